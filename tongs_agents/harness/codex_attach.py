"""Attaching to one launch of Codex: hooks and MCP server by ``-c``, behind the profile's own."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tongs_agents.harness.codex_trust import BYPASS, Hook
from tongs_agents.hooks.command import DIRECTORY, Source, hook_command
from tongs_agents.mcp_server.command import mcp_command
from tongs_agents.mcp_server.names import PREAPPROVED, SERVER_NAME
from tongs_agents.paths import ATTACHED, LAUNCH_WRAPPER, VARIABLES

EVENTS = (
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PermissionRequest",
    "Stop",
    "Interrupt",
    "SubagentStart",
    "SubagentStop",
)
"""The hook table's events of Codex; it passes over one that a version does not know (A75)."""

_TIMEOUT, _SHORT_TIMEOUT = 10, 3
"""Seconds that Codex gives a hook; at an interrupt and a session's end it gives no more than 3."""

TOOL_SECONDS = 660
"""How long Codex waits for a tool of ours: longer than any wait of ours takes (F3)."""

ENV_VARS = (
    *VARIABLES,
    LAUNCH_WRAPPER,
    ATTACHED,
    "TMUX",
    "TMUX_PANE",
    "ZELLIJ",
    "ZELLIJ_PANE_ID",
    "ZELLIJ_SESSION_NAME",
    "ZELLIJ_SOCKET_DIR",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
)
"""All that our server is given besides HOME, PATH and the like: Codex hands on nothing else."""

_VALUED = frozenset(
    (
        *("-c", "--config", "--enable", "--disable", "--remote", "--remote-auth-token-env"),
        *("-i", "--image", "-m", "--model", "--local-provider", "-p", "--profile"),
        *("-s", "--sandbox", "-C", "--cd", "--add-dir", "-a", "--ask-for-approval"),
    )
)
_SESSIONS = frozenset(("", "resume", "fork"))
_ONCE = frozenset(("exec", "e", "review"))
_OTHER_PROGRAMS = re.compile(
    "agents|login|logout|mcp|plugin|app-server|remote-control|completion|update|doctor|sandbox"
    "|debug|apply|a|queue|archive|delete|migrate-rollouts|migrate-nfs-db|unarchive|cloud"
    "|exec-server|features|help"
)
_NO_DAEMON = "--no-daemon"
_SCRIPTED = re.compile(r"-[a-z]*c[a-z]*\Z")
_SHELLS = frozenset(("sh", "bash", "dash", "zsh", "fish", "ksh", "csh", "tcsh"))


@dataclass(frozen=True, slots=True)
class _Given:
    """What a command line says by itself: the subcommand, and the config that it overrides."""

    subcommand: str
    overrides: tuple[str, ...]
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Attached:
    """A command line as it is to be started; ``hooks`` are ours, none where not attached."""

    argv: tuple[str, ...]
    hooks: tuple[Hook, ...]
    notices: tuple[str, ...] = ()


def without_daemon(argv: tuple[str, ...], known: str) -> tuple[str, ...]:
    """``argv`` with ``--no-daemon`` where its subcommand takes that; ``known`` is Codex's help.

    Codex would run hooks and servers of every session in one background server, with the
    environment of the first (A71). A version that does not know the flag has no such server.
    """
    words, rest = _parted(argv)
    given = _given(words)
    takes = given.subcommand in _SESSIONS or given.subcommand == "agents"
    if not takes or _NO_DAEMON in given.words or _NO_DAEMON not in known or _elsewhere(given):
        return argv
    return (*words, _NO_DAEMON, *rest)


def attach(argv: tuple[str, ...], known: str, source: Source, *, python: Path) -> Attached:
    """``argv`` with our hooks and our MCP server for this launch, the user's files untouched (A73).

    Our hooks stand behind those that the command gives for the same event. Nothing in a
    hook's command is of one launch, so that it is trusted once for all (A101).
    """
    words, rest = _parted(argv)
    given = _given(words)
    refusal = _refusal(words, given, known)
    if refusal:
        return Attached(argv, (), (_NOT_ATTACHED.format(refusal),))
    try:
        theirs = dict(_tables(given.overrides))
        groups = {event: _groups(theirs, event) for event in EVENTS}
    except ValueError as error:
        why = f"its own -c for hooks can't be merged with ours: {error}"
        return Attached(argv, (), (_NOT_ATTACHED.format(why),))
    hooks = tuple(_hook(event, len(groups[event]), source, python) for event in EVENTS)
    flags = [flag for hook in hooks for flag in _hook_flag(hook, groups[hook.event])]
    notices: tuple[str, ...] = ()
    if f"mcp_servers.{SERVER_NAME}" in theirs:
        notices = (f"it names an MCP server {SERVER_NAME} of its own: ours is not attached",)
    else:
        flags += ["-c", f"mcp_servers.{SERVER_NAME}={_toml(server(source, python=python))}"]
    return Attached((*words, *flags, *rest), hooks, notices)


def hooks_in(argv: tuple[str, ...]) -> tuple[Hook, ...]:
    """Our hooks in a command line as it runs, by whichever of our installations."""
    try:
        theirs = dict(_tables(_given(_parted(argv)[0]).overrides))
        return tuple(
            Hook(event, at, handler["command"], handler["timeout"])
            for event in EVENTS
            for at, group in enumerate(_groups(theirs, event))
            for handler in group["hooks"]
            if f" tongs-agents codex --from attached {event} " in handler["command"]
        )
    except (ValueError, KeyError, TypeError):
        return ()


_NOT_ATTACHED = "hooks are not attached, so its status stays unknown: {}"


def server(source: Source, *, python: Path) -> dict[str, Any]:
    """Our MCP server as Codex's config holds it. Nothing in it is of one launch."""
    command, *words = mcp_command(source, python=python)
    return {
        "command": command,
        "args": words,
        "env_vars": list(ENV_VARS),
        "tool_timeout_sec": TOOL_SECONDS,
        # else it would ask only about a tool that says of itself that it destroys something
        "default_tools_approval_mode": "prompt",
        "tools": {tool: {"approval_mode": "approve"} for tool in PREAPPROVED},
    }


def _hook(event: str, group: int, source: Source, python: Path) -> Hook:
    command = hook_command("codex", source, event, python=python, directory=DIRECTORY)
    short = event in ("SessionEnd", "Interrupt")
    return Hook(event, group, command, _SHORT_TIMEOUT if short else _TIMEOUT)


def _hook_flag(hook: Hook, theirs: list[Any]) -> tuple[str, str]:
    handler = {"type": "command", "command": hook.command, "timeout": hook.timeout}
    return "-c", f"hooks.{hook.event}={_toml([*theirs, {'hooks': [handler]}])}"


def _parted(argv: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Everything up to ``--``, and that with what follows."""
    end = argv.index("--") if "--" in argv else len(argv)
    return argv[:end], argv[end:]


def _given(words: tuple[str, ...]) -> _Given:
    """What follows the program, or the word ``codex`` where another program stands first."""
    at = next((at for at, word in enumerate(words) if os.path.basename(word) == "codex"), 0)
    rest = iter(words[at + 1 :])
    subcommand, overrides = "", []
    for word in rest:
        name, sign, value = word.partition("=")
        if name in ("-c", "--config"):
            overrides.append(value if sign else next(rest, ""))
        elif word in _VALUED:
            next(rest, "")
        elif not word.startswith("-") and not subcommand:
            subcommand = word
    known = subcommand in _SESSIONS | _ONCE or _OTHER_PROGRAMS.fullmatch(subcommand)
    return _Given(subcommand if known else "", tuple(overrides), frozenset(words))


def _elsewhere(given: _Given) -> bool:
    return any(word == "--remote" or word.startswith("--remote=") for word in given.words)


def _refusal(words: tuple[str, ...], given: _Given, known: str) -> str:
    """Why nothing of ours can be attached, empty where it can."""
    if os.path.basename(words[0]) in _SHELLS and any(map(_SCRIPTED.match, words[1:2])):
        return "a shell starts it, and would keep our flags to itself"
    if given.subcommand and given.subcommand not in _SESSIONS | _ONCE:
        return f"`codex {given.subcommand}` is no session of its own"
    if _elsewhere(given):
        return "--remote runs it in another program, where nobody can tell whose its hooks are"
    if BYPASS not in known:
        return "`codex --help` names no hooks that a flag can bring"
    return ""


def _tables(overrides: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """What the command overrides of hooks and servers, by dotted key, the last last.

    Raises ValueError where it can't be told.
    """
    for override in overrides:
        name, _, text = override.partition("=")
        path = [part.strip().strip("'\"") for part in name.split(".")]
        if path[0] not in ("hooks", "mcp_servers"):
            continue
        try:
            value = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"{name} is no TOML: {error}") from None
        if len(path) == 1 and isinstance(value, Mapping):
            yield from ((f"{path[0]}.{key}", inner) for key, inner in value.items())
        else:
            yield ".".join(path[:2]), value


def _groups(theirs: Mapping[str, Any], event: str) -> list[Any]:
    found = theirs.get(f"hooks.{event}", [])
    if not isinstance(found, list):
        raise ValueError(f"hooks.{event} is no list")
    return found


def _toml(value: Any) -> str:
    """A value as TOML in one line. Raises ValueError for a kind that JSON has no word for."""
    if isinstance(value, Mapping):
        pairs = (f"{json.dumps(key)}={_toml(inner)}" for key, inner in value.items())
        return f"{{{','.join(pairs)}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_toml, value))}]"
    try:
        return json.dumps(value, ensure_ascii=False)
    except TypeError:
        raise ValueError(f"a {type(value).__name__} in it") from None


__all__ = [
    "ENV_VARS",
    "EVENTS",
    "TOOL_SECONDS",
    "Attached",
    "attach",
    "hooks_in",
    "server",
    "without_daemon",
]
