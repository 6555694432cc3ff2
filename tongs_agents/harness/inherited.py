"""What a program must not inherit from whoever starts it: the one list (A89)."""

from __future__ import annotations

from collections.abc import Mapping

_NAMES = frozenset(
    {
        "AI_AGENT",
        "CLAUDECODE",
        "CLAUDE_CODE_CHILD_SESSION",
        "CLAUDE_CODE_ENTRYPOINT",
        "CLAUDE_CODE_EXECPATH",
        "CLAUDE_CODE_SESSION_ID",
        "CLAUDE_CODE_SSE_PORT",
        "CLAUDE_EFFORT",
        "CLAUDE_ENV_FILE",
        "CLAUDE_PID",
        "CLAUDE_PROJECT_DIR",
        "CODEX_SANDBOX",
        "CODEX_SANDBOX_NETWORK_DISABLED",
        "CODEX_THREAD_ID",
        "PI_CODING_AGENT",
        "PI_MODEL",
        "PI_PROVIDER",
        "PI_REASONING_LEVEL",
        "PI_SESSION_FILE",
        "PI_SESSION_ID",
        "SCRIPTED_PID",
        "SCRIPTED_SESSION_ID",
    }
)
_PREFIXES = ("TONGS_AGENTS_", "TMUX", "ZELLIJ", "CLAUDE_CODE_MESSAGING_", "CODEX_MANAGED_")

_OF_THE_PANE = (
    "TERM",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "COLORTERM",
    "TMUX",
    "TMUX_PANE",
)


def is_inherited(name: str) -> bool:
    """True for a variable that names its owner's session, pane or launch.

    The user's own settings (``CLAUDE_CONFIG_DIR``, ``CODEX_HOME``,
    ``CLAUDE_CODE_USE_*``, keys) are none.
    """
    return name in _NAMES or name.startswith(_PREFIXES)


def cleaned(environ: Mapping[str, str]) -> dict[str, str]:
    """``environ`` without what is its owner's alone: for servers that we start."""
    return {name: value for name, value in environ.items() if not is_inherited(name)}


def for_launch(
    pane: Mapping[str, str],
    opener: Mapping[str, str] | None,
    profile: Mapping[str, str],
    ours: Mapping[str, str],
) -> dict[str, str]:
    """The environment of a launch (A81, A89).

    The opener's less what is its own, plus the profile's ``env``, plus ours.
    ``opener`` is None for a launch over MCP, which gets its pane's. What says
    which pane and terminal this is always comes from the pane itself.
    """
    base = cleaned(pane if opener is None else opener)
    base |= {name: value for name, value in pane.items() if _is_the_panes(name)}
    base |= profile
    return base | dict(ours)


def _is_the_panes(name: str) -> bool:
    return name in _OF_THE_PANE or name.startswith("ZELLIJ")


__all__ = ["cleaned", "for_launch", "is_inherited"]
