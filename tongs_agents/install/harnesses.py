"""The harnesses that can be registered with, and the files of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tongs_agents.doctor.check import Check
from tongs_agents.install import claude, pi
from tongs_agents.install.registration import Registered


@dataclass(frozen=True, slots=True)
class Machine:
    """What a registration may ask of the world it is made in."""

    environ: Mapping[str, str]
    home: Path
    python: Path
    """The interpreter of this environment, absolute."""
    version: Callable[[str], str]
    """What a harness's program says of its version, empty where there is none."""


@dataclass(frozen=True, slots=True)
class Installable:
    """One harness: its name, which is its program's too, and the files of a registration."""

    name: str
    files: Callable[[Machine, str], tuple[Registered, ...]]
    """Given the machine and the version, which is empty where the program is missing."""
    after: str
    """What a person still has to do, or should know, once it is installed."""
    trust: Callable[[Machine], Iterable[Check]] = lambda _: ()
    """Whether the harness runs what is registered, where it asks its user first."""


def _claude(machine: Machine, version: str) -> tuple[Registered, ...]:
    return claude.files(machine.environ, machine.home, version, python=machine.python)


def _pi(machine: Machine, version: str) -> tuple[Registered, ...]:
    return pi.files(machine.environ, machine.home, version, python=machine.python)


INSTALLABLE: Mapping[str, Installable] = {
    each.name: each
    for each in (
        Installable(
            "claude", _claude, "sessions of Claude Code that run already keep what they had"
        ),
        Installable("pi", _pi, "sessions of Pi that run already keep what they had"),
    )
}
"""Every harness that `install` knows, by name."""


__all__ = ["INSTALLABLE", "Installable", "Machine"]
