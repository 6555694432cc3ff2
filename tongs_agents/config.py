"""The config file: TOML in, frozen settings out, every fault named with its line."""

from __future__ import annotations

import os.path
import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from tongs_agents.config_lines import key_lines
from tongs_agents.config_schema import (
    HARNESS_OF_COMMAND,
    PROFILE,
    PROFILE_NAME,
    SECTIONS,
    TABLE,
    Wrong,
    check_env,
    check_table,
    dotted,
)
from tongs_agents.errors import ConfigError, Fault
from tongs_mux.files import read_user_file

MAX_BYTES = 256 * 1024
"""Longest config file that is read."""

Harness = Literal["claude", "codex", "pi", "other", "scripted"]

_LINE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)\Z")


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where panes are opened. ``multiplexer`` None: chosen when it is needed."""

    multiplexer: Literal["tmux", "zellij"] | None = None
    session: str = "agents"
    socket: str = "tongs-agents"


@dataclass(frozen=True, slots=True)
class Control:
    """What agents may do to panes over MCP (6.2); the caps are below one root launch."""

    mcp_enabled: bool = False
    mcp_any_target: bool = False
    mcp_nested_spawn: bool = False
    mcp_rate_per_minute: int = 6
    mcp_max_live: int = 8
    mcp_max_spawns: int = 50


@dataclass(frozen=True, slots=True)
class Chat:
    """Defaults of chat among agents."""

    peer_messages: Literal["accept", "refuse"] = "accept"
    retry_wakes: bool = True


@dataclass(frozen=True, slots=True)
class Sidebar:
    """Settings of the workspace's side pane."""

    notify: bool = True


@dataclass(frozen=True, slots=True)
class Profile:
    """A program that may be started by name, exactly as it is configured (6.2)."""

    name: str
    command: tuple[str, ...]
    cwd: Path | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    harness: Harness = "other"
    wrapper: bool = False
    attach: Literal["auto", "always", "never"] = "auto"
    multiline: bool = False
    mcp_control: bool = False


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting; what the file leaves out has its default."""

    path: Path
    workspace: Workspace = Workspace()
    control: Control = Control()
    chat: Chat = Chat()
    sidebar: Sidebar = Sidebar()
    profiles: Mapping[str, Profile] = field(default_factory=dict)


def load(path: Path, *, home: Path) -> Config:
    """The settings in ``path``; a missing file is no fault and has no profiles.

    Raises:
        ConfigError: with every fault that was found.
        PlaceRefused: the file is foreign, or others may write it.
    """
    try:
        data = read_user_file(path, MAX_BYTES)
    except FileNotFoundError as error:
        if os.path.lexists(path):
            raise _unusable(path, "is a link to a file that is missing") from error
        return Config(path=path)
    except OSError as error:
        raise _unusable(path, f"can't be read: {error.strerror}") from error
    return parse(data, path=path, home=home)


def parse(data: bytes, *, path: Path, home: Path) -> Config:
    """The settings in ``data``; ``path`` is named in faults, ``~`` stands for ``home``.

    Raises:
        ConfigError: with every fault that was found.
    """
    text = _text(data, path)
    wrong: list[Wrong] = []
    document = check_table((), _document(text, path), _TOP, wrong)
    sections = {
        name: check_table((name,), document.get(name, {}), kinds, wrong)
        for name, kinds in SECTIONS.items()
    }
    profiles = {
        name: _profile(name, table, home, wrong)
        for name, table in document.get("profiles", {}).items()
    }
    if wrong:
        raise ConfigError(str(path), _faults(wrong, text))
    return Config(
        path=path,
        workspace=Workspace(**sections["workspace"]),
        control=Control(**sections["control"]),
        chat=Chat(**sections["chat"]),
        sidebar=Sidebar(**sections["sidebar"]),
        profiles=profiles,
    )


_TOP = dict.fromkeys(("workspace", "control", "chat", "profiles", "sidebar"), TABLE)


def _unusable(path: Path, problem: str) -> ConfigError:
    fault = Fault(key="", line=None, problem=problem, allowed="a file that you can read")
    return ConfigError(str(path), (fault,), hint=f"make {path} readable, or remove it")


def _text(data: bytes, path: Path) -> str:
    try:
        # Some editors begin a file with a byte order mark.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        fault = Fault(key="", line=line, problem="is not UTF-8", allowed="UTF-8 text")
        raise ConfigError(str(path), (fault,)) from error


def _document(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # Beside its own error, tomllib lets those of int() and of deep nesting through.
        message = str(error)
        where = _LINE.search(message)
        line = int(where[1] or text.count("\n") + 1) if where else None
        problem = f"is not TOML: {_LINE.sub('', message)}"
        raise ConfigError(str(path), (Fault("", line, problem, "a TOML document"),)) from error


def _profile(name: str, table: object, home: Path, wrong: list[Wrong]) -> Profile:
    where = ("profiles", name)
    if not PROFILE_NAME.fits(name):
        wrong.append(Wrong(where, "is no profile name", PROFILE_NAME.allowed))
    good = check_table(where, table, PROFILE, wrong)
    if isinstance(table, dict) and "command" not in table:
        allowed = f"command = {PROFILE['command'].allowed}"
        wrong.append(Wrong(where, "has no command", allowed, missing=True))
    check_env((*where, "env"), good.get("env", {}), wrong)
    good["command"] = tuple(good.get("command", ()))
    if "harness" not in good:
        program = os.path.basename(good["command"][0]) if good["command"] else ""
        good["harness"] = HARNESS_OF_COMMAND.get(program, "other")
    if good.get("multiline") and good["harness"] != "other":
        problem = f"is true for harness {good['harness']}"
        wrong.append(Wrong((*where, "multiline"), problem, 'true with harness "other" only'))
    if "cwd" in good:
        good["cwd"] = _expanded(good["cwd"], home)
    return Profile(name=name, **good)


def _expanded(cwd: str, home: Path) -> Path:
    return home / cwd[2:] if cwd == "~" or cwd.startswith("~/") else Path(cwd)


def _faults(wrong: list[Wrong], text: str) -> tuple[Fault, ...]:
    """``wrong`` with lines, in the file's order.

    A missing key's line is its table's, but it comes after what is wrong in that
    table: one of those may be a typo of it.
    """
    lines = key_lines(text)
    faults: list[tuple[int | None, Fault]] = []
    for each in wrong:
        above = (each.path[:length] for length in range(len(each.path), 0, -1))
        line = next((lines[path] for path in above if path in lines), None)
        inside = [at for path, at in lines.items() if path[: len(each.path)] == each.path]
        place = max(inside, default=line) if each.missing else line
        faults.append((place, Fault(dotted(each.path), line, each.problem, each.allowed)))
    faults.sort(key=lambda pair: (pair[0] is None, pair[0] or 0))
    return tuple(fault for _, fault in faults)


def as_dict(config: Config) -> dict[str, Any]:
    """The settings as JSON for people to look at; the values of ``env`` are masked."""
    values = asdict(config)
    values["path"] = str(config.path)
    for profile in values["profiles"].values():
        profile["command"] = list(profile["command"])
        profile["cwd"] = None if profile["cwd"] is None else str(profile["cwd"])
        profile["env"] = dict.fromkeys(profile["env"], "***")
    return values


__all__ = [
    "MAX_BYTES",
    "Chat",
    "Config",
    "Control",
    "Harness",
    "Profile",
    "Sidebar",
    "Workspace",
    "as_dict",
    "load",
    "parse",
]
