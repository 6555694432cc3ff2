"""Claude Code's registration: hooks and approvals in settings.json, the server in .claude.json."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tongs_agents.harness.attach import CLAUDE_EVENTS, hook_settings, mcp_server
from tongs_agents.harness.claude_attach import known_events
from tongs_agents.install import json_edit
from tongs_agents.install.registration import Registered
from tongs_agents.mcp_server.command import MODULE
from tongs_agents.mcp_server.names import PREAPPROVED, SERVER_NAME, model_name

OUR_HOOK = re.compile(r"/tongs_agents/hooks/front\.sh\b")
"""A hook command of ours, of whatever version and wherever that was."""

_EMPTY = "{}\n"
_SERVER = ("mcpServers", SERVER_NAME)
_ALLOW = ("permissions", "allow")
_APPROVED = tuple(map(model_name, PREAPPROVED))


def config_dir(environ: Mapping[str, str], home: Path) -> Path:
    """Where Claude Code keeps its settings."""
    given = environ.get("CLAUDE_CONFIG_DIR", "")
    return Path(given) if given else home / ".claude"


def files(
    environ: Mapping[str, str], home: Path, version: str, *, python: Path
) -> tuple[Registered, ...]:
    """The two files that a registration is in; ``version`` is the harness's own word."""
    known = known_events(version)
    events = tuple(event for event in CLAUDE_EVENTS if event in known)
    hooks = hook_settings("claude", "installed", events, python=python)
    directory = config_dir(environ, home)
    own = directory if environ.get("CLAUDE_CONFIG_DIR") else home
    return (
        settings_file(directory / "settings.json", json_edit.read(hooks)["hooks"]),
        server_file(own / ".claude.json", mcp_server("installed", python=python)),
    )


def settings_file(path: Path, hooks: Mapping[str, list[Any]]) -> Registered:
    """settings.json: ``hooks`` behind the user's own, and the tools that need no question."""

    def put_in(text: str) -> str:
        _check(json_edit.read(text))
        return _with_approvals(with_hooks(text, hooks))

    def take_out(text: str) -> str:
        found = json_edit.read(text)
        _check(found)
        text = _without_approvals(without_hooks(text))
        return without_empty(text, found, (_ALLOW, _ALLOW[:1]))

    def holds(text: str) -> bool:
        found = json_edit.read(text)
        _check(found)
        return our_hooks(found) == dict(hooks) and set(_APPROVED) <= set(_allowed(found))

    return Registered(path, put_in, take_out, holds, _EMPTY)


def _with_approvals(text: str) -> str:
    there = _allowed(json_edit.read(text))
    for name in _APPROVED:
        if name not in there:
            text = json_edit.append(text, _ALLOW, name)
    return text


def _without_approvals(text: str) -> str:
    there = _allowed(json_edit.read(text))
    for index in reversed(range(len(there))):
        if there[index] in _APPROVED:
            text = json_edit.remove(text, _ALLOW, index)
    return text


def server_file(path: Path, server: Mapping[str, Any]) -> Registered:
    """.claude.json: the server under the one name, refused where that is another's."""

    def put_in(text: str) -> str:
        _server(json_edit.read(text))
        return json_edit.put(text, _SERVER, server)

    def take_out(text: str) -> str:
        found = json_edit.read(text)
        if _server(found) is None:
            return text
        return without_empty(json_edit.remove(text, _SERVER), found, (_SERVER[:1],))

    def holds(text: str) -> bool:
        return bool(_server(json_edit.read(text)) == server)

    return Registered(path, put_in, take_out, holds, _EMPTY)


def our_hooks(found: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The entries of ours by event, as they stand there."""
    ours: dict[str, list[Any]] = {}
    for event, entries in found.get("hooks", {}).items():
        mine = [each for each in entries if is_ours(each)]
        if mine:
            ours[event] = mine
    return ours


def is_ours(entry: object) -> bool:
    """True for an entry all of whose hooks are our commands."""
    hooks = entry.get("hooks") if isinstance(entry, dict) else None
    commands = [h.get("command") if isinstance(h, dict) else None for h in hooks or ()]
    return bool(commands) and all(isinstance(c, str) and OUR_HOOK.search(c) for c in commands)


def with_hooks(text: str, hooks: Mapping[str, list[Any]]) -> str:
    """``text`` with ``hooks`` behind what it has for each event."""
    for event, entries in hooks.items():
        for each in entries:
            text = json_edit.append(text, ("hooks", event), each)
    return text


def without_hooks(text: str) -> str:
    """``text`` without our entries, and without a list or table that held nothing else."""
    found = json_edit.read(text)
    emptied = []
    for event, entries in found.get("hooks", {}).items():
        mine = [index for index, each in enumerate(entries) if is_ours(each)]
        for index in reversed(mine):
            text = json_edit.remove(text, ("hooks", event), index)
        if mine:
            emptied.append(("hooks", event))
    return without_empty(text, found, (*emptied, ("hooks",)) if emptied else ())


def without_empty(text: str, before: Mapping[str, Any], paths: tuple[tuple[str, ...], ...]) -> str:
    """``text`` without those of ``paths`` that hold nothing now, and held something before."""
    for path in paths:
        if _at(json_edit.read(text), path) in ({}, []) and _at(before, path):
            text = json_edit.remove(text, path)
    return text


def _at(found: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _check(found: Mapping[str, Any]) -> None:
    hooks = found.get("hooks", {})
    if not isinstance(hooks, dict) or not all(isinstance(v, list) for v in hooks.values()):
        raise ValueError("its hooks are no lists by event")
    if not isinstance(found.get("permissions", {}), dict):
        raise ValueError("its permissions are no table")
    if not isinstance(_at(found, _ALLOW) or [], list):
        raise ValueError("its permissions.allow is no list")


def _allowed(found: Mapping[str, Any]) -> list[Any]:
    return _at(found, _ALLOW) or []


def _server(found: Mapping[str, Any]) -> Any:
    """Our entry, None where there is none. Raises ValueError where the name is another's."""
    if not isinstance(found.get("mcpServers", {}), dict):
        raise ValueError("its mcpServers are no table")
    there = _at(found, _SERVER)
    if there is not None and MODULE not in (_at(there, ("args",)) or ()):
        raise ValueError(f"its mcpServers has a {SERVER_NAME!r} that is not ours")
    return there


__all__ = [
    "OUR_HOOK",
    "config_dir",
    "files",
    "is_ours",
    "our_hooks",
    "server_file",
    "settings_file",
    "with_hooks",
    "without_empty",
    "without_hooks",
]
