"""Attaching to one launch of Claude Code: ``--settings`` with our file, theirs merged into it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SINCE = {
    "PreToolUse": (1, 0, 38),
    "PostToolUse": (1, 0, 38),
    "Notification": (1, 0, 38),
    "Stop": (1, 0, 38),
    "SubagentStop": (1, 0, 41),
    "UserPromptSubmit": (1, 0, 54),
    "SessionStart": (1, 0, 62),
    "SessionEnd": (1, 0, 85),
    "SubagentStart": (2, 0, 43),
    "PermissionRequest": (2, 0, 45),
    "StopFailure": (2, 1, 78),
}
"""The version that brought each event, from the vendor's changelog."""

_OTHER_PROGRAMS = re.compile(
    "agents|attach|auth|auto-mode|doctor|gateway|import|install|logs|mcp|plugins?|purge"
    "|respawn|rm|setup-token|stop|update|upgrade"
)
"""Subcommands: they are no session, and some know no ``--settings``."""

_WITHOUT_HOOKS = {"--bare", "--safe-mode"}
_FLAG = "--settings"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A command line as it is to be started.

    ``settings`` is what our settings file has to hold, None where there is none;
    ``by_flags`` is True where the command line alone attaches all. Where nothing
    is attached ``notices`` say why.
    """

    argv: tuple[str, ...]
    settings: str | None
    notices: tuple[str, ...] = ()
    by_flags: bool = False

    @property
    def attached(self) -> bool:
        """True where its program will have our hooks."""
        return self.by_flags or self.settings is not None


def known_events(version: str) -> tuple[str, ...]:
    """Our hook table's events that this version knows (A75); none where it says no number.

    An event that it does not know would put a dialog before its screen.
    """
    found = re.match(r"(\d+)\.(\d+)\.(\d+)", version)
    if found is None:
        return ()
    number = tuple(map(int, found.groups()))
    return tuple(event for event, since in _SINCE.items() if since <= number)


def attach(
    argv: tuple[str, ...],
    settings_path: Path,
    ours: str,
    servers: str,
    read: Callable[[str], str],
) -> Attachment:
    """``argv`` with our settings and MCP server for this launch, the user's files untouched (A73).

    ``ours`` are settings as JSON, ``servers`` is what ``--mcp-config`` takes:
    that one adds to any that the command names, and to the user's own. Where
    the command already names settings, which the program would take instead of
    ours, both become one file of ours; ``read`` gives the text of a file that
    it names and may raise OSError.
    """
    end = argv.index("--") if "--" in argv else len(argv)
    words, rest = argv[:end], argv[end:]
    refusal = _refusal(words)
    if refusal:
        return _unattached(argv, refusal)
    given, kept = _without_settings(words)
    if given is None:
        return Attachment(_placed(words, settings_path, servers) + rest, ours)
    try:
        theirs = json.loads(given if given.lstrip().startswith("{") else read(given))
        merged = merge(theirs, json.loads(ours))
    except (OSError, ValueError) as error:
        return _unattached(argv, f"its own {_FLAG} can't be merged with ours: {error}")
    return Attachment(
        _placed(kept, settings_path, servers) + rest, json.dumps(merged, indent=1) + "\n"
    )


def _refusal(words: tuple[str, ...]) -> str:
    bare = _WITHOUT_HOOKS & set(words)
    if bare:
        return f"{min(bare)} turns hooks off"
    if len(words) > 1 and _OTHER_PROGRAMS.fullmatch(words[1]):
        return f"`{words[0]} {words[1]}` is no session of its own"
    return ""


def _unattached(argv: tuple[str, ...], why: str) -> Attachment:
    return Attachment(argv, None, (f"hooks are not attached, so its status stays unknown: {why}",))


def _placed(words: tuple[str, ...], settings_path: Path, servers: str) -> tuple[str, ...]:
    """The flags right behind the program, before anything that could swallow them.

    Behind all else where another program stands first, which may hand its
    arguments on. ``--mcp-config`` takes all words up to the next flag: never last.
    """
    flags = ("--mcp-config", servers, _FLAG, str(settings_path))
    if Path(words[0]).name == "claude":
        return (words[0], *flags, *words[1:])
    return (*words, *flags)


def _without_settings(words: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    """(the value that the program would take, which is the last; the words without any)."""
    value: str | None = None
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == _FLAG:
            value = next(rest, "")
        elif word.startswith(f"{_FLAG}="):
            value = word.partition("=")[2]
        else:
            kept.append(word)
    return value, tuple(kept)


def merge(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    """``theirs`` with our hooks behind their own, event by event, and our allowed tools.

    Raises ValueError where their settings are not of the form that we know.
    """
    if not isinstance(theirs, Mapping):
        raise ValueError("they are no JSON object")
    hooks = theirs.get("hooks", {})
    if not isinstance(hooks, Mapping) or not all(isinstance(v, list) for v in hooks.values()):
        raise ValueError("their hooks are no lists by event")
    added = ours["hooks"]
    both = {event: [*hooks.get(event, []), *added.get(event, [])] for event in (*hooks, *added)}
    return {**theirs, "hooks": both, "permissions": _permissions(theirs, ours)}


def _permissions(theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    """What they allow, and what we do; what they deny stays denied."""
    permissions = theirs.get("permissions", {})
    allowed = permissions.get("allow", []) if isinstance(permissions, Mapping) else None
    if not isinstance(allowed, list):
        raise ValueError("their allowed tools are no list")
    added = [each for each in ours.get("permissions", {}).get("allow", []) if each not in allowed]
    return {**permissions, "allow": [*allowed, *added]}


__all__ = ["Attachment", "attach", "known_events", "merge"]
