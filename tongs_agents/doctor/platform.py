"""Checks of the ground that everything stands on: Python, the system, locale, multiplexers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tongs_agents.doctor.check import Check, Level

TMUX_MINIMUM = (3, 2)
ZELLIJ_MINIMUM = (0, 44, 2)


def system(platform: str, python: str) -> Iterator[Check]:
    """``platform`` as ``sys.platform`` has it, ``python`` the running version's number."""
    yield Check("python", "ok", f"Python {python}")
    if platform.startswith("linux"):
        yield Check("platform", "ok", "Linux, where everything is validated")
    else:
        text = f"{platform}: hooks inject no chat here, and identity is asked of `ps`"
        yield Check("platform", "warning", text, "use Linux where chat has to be delivered")


def locale(environ: Mapping[str, str]) -> Check:
    """Whether the locale speaks UTF-8, by the variable that rules (A22)."""
    names = ("LC_ALL", "LC_CTYPE", "LANG")
    name = next((name for name in names if environ.get(name)), "")
    value = environ.get(name, "")
    if re.search(r"utf-?8", value, re.IGNORECASE):
        return Check("locale", "ok", f"{name}={value}")
    seen = f"{name}={value}" if name else "none is set"
    text = f"no UTF-8 locale ({seen}): your own tmux shows other characters as _"
    return Check("locale", "warning", text, "set LANG to a UTF-8 locale, as C.UTF-8")


def multiplexers(tmux: str, zellij: str, wanted: str | None) -> Iterator[Check]:
    """``tmux`` and ``zellij`` are what the programs say of their version, empty for none.

    ``wanted`` is the config's choice. One that is not chosen may be missing.
    """
    rows = (("tmux", tmux, TMUX_MINIMUM), ("zellij", zellij, ZELLIJ_MINIMUM))
    usable = [name for name, said, minimum in rows if number(said) >= minimum]
    for name, said, minimum in rows:
        lowest = ".".join(map(str, minimum))
        needed = wanted == name or (wanted is None and not usable)
        if name in usable:
            yield Check(name, "ok", said)
        elif said:
            level: Level = "fault" if needed else "warning"
            yield Check(name, level, f"{said} is older than {lowest}", f"update {name}")
        elif needed:
            yield Check(
                name, "fault", f"{name} is not on PATH", f"install {name} {lowest} or newer"
            )
        else:
            yield Check(name, "ok", f"{name} is not there, and not needed")


def number(said: str) -> tuple[int, ...]:
    """The version in what a program says, empty where it says none."""
    found = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", said)
    return tuple(int(part) for part in found.groups(default="0")) if found else ()


__all__ = ["TMUX_MINIMUM", "ZELLIJ_MINIMUM", "locale", "multiplexers", "number", "system"]
