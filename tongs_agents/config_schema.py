"""What each key of the config file may hold: one table a section, as data."""

from __future__ import annotations

import json
import os.path
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Kind:
    """The values that a key takes: in words for people, and as a pure test."""

    allowed: str
    fits: Callable[[Any], bool]
    secret: bool = False
    """True where an unfit value is never shown: it may hold a key or a password."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """One key that does not fit, by its path in the document."""

    path: tuple[str, ...]
    problem: str
    allowed: str
    missing: bool = False
    """True for a key that is not there: maybe one of the table's others is a typo of it."""


HARNESS_OF_COMMAND: Mapping[str, str] = {
    "claude": "claude",
    "codex": "codex",
    "pi": "pi",
    "tongs-agents-scripted": "scripted",
}
"""The harness that a command's basename stands for; any other name is ``other``."""

_PROFILE_NAME = re.compile(r"[a-z0-9-]{1,28}\Z")
_ENV_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
# Where a pane is and whose it is, the multiplexer and the launcher say (A81, A89).
_NOT_A_PROFILES = re.compile(r"(TMUX|TMUX_PANE|ZELLIJ|ZELLIJ_.*|TONGS_AGENTS_.*)\Z")
_SESSION = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}\Z")
_SOCKET_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}\Z")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+\Z")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SHORT_BITS = 128

PROFILE_NAME = Kind(
    'a name of 1 to 28 of a-z, 0-9 and -, but not "maintainer"',
    lambda name: _PROFILE_NAME.match(name) is not None and name != "maintainer",
)
ENV_NAME = Kind(
    "letters, digits and _, no digit first, and not what tmux, Zellij or tongs-agents set"
    " themselves (TMUX, TMUX_PANE, ZELLIJ*, TONGS_AGENTS_*)",
    lambda name: _ENV_NAME.match(name) is not None and not _NOT_A_PROFILES.match(name),
)
ENV_VALUE = Kind(
    "a string without a NUL", lambda value: isinstance(value, str) and "\0" not in value
)
TABLE = Kind("a table", lambda value: isinstance(value, dict), secret=True)
_BOOL = Kind("true or false", lambda value: isinstance(value, bool))


def _whole(low: int, high: int) -> Kind:
    return Kind(
        f"a whole number from {low} to {high}",
        # type(), because True is an int to isinstance().
        lambda value: type(value) is int and low <= value <= high,
    )


def _one_of(*words: str) -> Kind:
    *most, last = (f'"{word}"' for word in words)
    return Kind(
        f"{', '.join(most)} or {last}", lambda value: isinstance(value, str) and value in words
    )


def _is_socket(value: object) -> bool:
    if not isinstance(value, str) or _CONTROL.search(value):
        return False
    if os.path.isabs(value):
        return len(value.encode("utf-8")) <= 100
    return _SOCKET_NAME.match(value) is not None


def _is_command(value: object) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(word, str) and "\0" not in word for word in value)
        and bool(value)
        and bool(value[0])
    )


def _is_directory(value: object) -> bool:
    return (
        isinstance(value, str)
        and not _CONTROL.search(value)
        and (os.path.isabs(value) or value == "~" or value.startswith("~/"))
    )


SECTIONS: Mapping[str, Mapping[str, Kind]] = {
    "workspace": {
        "multiplexer": _one_of("tmux", "zellij"),
        "session": Kind(
            "a name of 1 to 64 letters, digits, _ and -, no - first",
            lambda value: isinstance(value, str) and _SESSION.match(value) is not None,
        ),
        "socket": Kind(
            "a socket name (letters, digits, . _ -) or an absolute path of at most 100 bytes",
            _is_socket,
        ),
    },
    "control": {
        "mcp_enabled": _BOOL,
        "mcp_any_target": _BOOL,
        "mcp_nested_spawn": _BOOL,
        "mcp_rate_per_minute": _whole(1, 60),
        "mcp_max_live": _whole(1, 1000),
        "mcp_max_spawns": _whole(1, 100_000),
    },
    "chat": {"peer_messages": _one_of("accept", "refuse"), "retry_wakes": _BOOL},
    "sidebar": {"notify": _BOOL},
}
"""The sections with fixed keys; ``profiles`` holds tables of PROFILE."""

PROFILE: Mapping[str, Kind] = {
    "command": Kind(
        'an array of strings: program and arguments, as ["claude"]', _is_command, secret=True
    ),
    "cwd": Kind("an absolute path, or one that begins with ~/", _is_directory),
    "env": Kind("a table of strings", TABLE.fits, secret=True),
    "harness": _one_of("claude", "codex", "pi", "other", "scripted"),
    "wrapper": _BOOL,
    "attach": _one_of("auto", "always", "never"),
    "multiline": _BOOL,
    "mcp_control": _BOOL,
}


def dotted(path: tuple[str, ...]) -> str:
    """A key as TOML writes it: ``profiles.lead.cwd``, odd parts quoted."""
    return ".".join(part if _BARE_KEY.match(part) else json.dumps(part) for part in path)


_TYPES = {
    "bool": "true or false",
    "int": "a number",
    "float": "a number",
    "str": "a string",
    "dict": "a table",
    "list": "an array",
}


def _shown(value: object, *, secret: bool) -> str:
    """What is there: the value itself where it is short enough and nobody's secret."""
    kind = _TYPES.get(type(value).__name__, "a date")
    if secret:
        return f"is {kind}"
    if isinstance(value, int) and value.bit_length() > _SHORT_BITS:
        return "is a number of far too many digits"  # which Python may refuse to write out
    if isinstance(value, (bool, int, float)):
        return f"is {str(value).lower()}"
    if isinstance(value, str):
        return f"is {json.dumps(value[:40])}"
    return f"is {kind}"


def check_table(
    where: tuple[str, ...], table: object, kinds: Mapping[str, Kind], wrong: list[Wrong]
) -> dict[str, Any]:
    """The entries of ``table`` that fit; what doesn't is added to ``wrong``."""
    if not isinstance(table, dict):
        wrong.append(Wrong(where, _shown(table, secret=TABLE.secret), TABLE.allowed))
        return {}
    good: dict[str, Any] = {}
    for key, value in table.items():
        path = (*where, key)
        if key not in kinds:
            keys, place = ", ".join(kinds), f"in [{dotted(where)}]" if where else "at the top"
            wrong.append(Wrong(path, "is no key that is known", f"{keys} {place}"))
        elif not kinds[key].fits(value):
            problem = _shown(value, secret=kinds[key].secret)
            wrong.append(Wrong(path, problem, kinds[key].allowed))
        else:
            good[key] = value
    return good


def check_env(where: tuple[str, ...], env: Mapping[str, object], wrong: list[Wrong]) -> None:
    """Adds what is wrong with a profile's ``env`` to ``wrong``; a value is never shown."""
    for name, value in env.items():
        if not ENV_NAME.fits(name):
            wrong.append(Wrong((*where, name), "can't be set", ENV_NAME.allowed))
        if not ENV_VALUE.fits(value):
            wrong.append(Wrong((*where, name), "has an unfit value", ENV_VALUE.allowed))


__all__ = [
    "ENV_NAME",
    "ENV_VALUE",
    "HARNESS_OF_COMMAND",
    "PROFILE",
    "PROFILE_NAME",
    "SECTIONS",
    "TABLE",
    "Kind",
    "Wrong",
    "check_env",
    "check_table",
    "dotted",
]
