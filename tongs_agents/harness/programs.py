"""Which running program is a harness: by its own name, its file or its first word (7.12).

What else stands in a command line is no evidence that a program is a harness. One
place only refuses by it: an interpreter that runs a file of a harness's name.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from tongs_mux.model import ProcessFacts
from tongs_mux.process import Processes

_NAMES: Mapping[str, str] = {
    "claude": "claude",
    "codex": "codex",
    "opencode": "opencode",
    "pi": "pi",
    "tongs-agents-scripted": "scripted",
}
_INTERPRETERS = ("node", "nodejs", "bun", "deno", "python", "python3")
_NAME_LENGTH = 15
"""Of a process's name, as Linux keeps it."""


@dataclass(frozen=True, slots=True)
class Program:
    """A process as a harness: ``harness`` is empty for what is none."""

    harness: str
    launched: bool = False
    """True where only the file that an interpreter runs says so: it may be a harness's launcher."""
    serves: bool = False
    """True for a server that several sessions of the harness may share (A71)."""


def program_of(processes: Processes, facts: ProcessFacts) -> Program:
    """What the process is, as far as the system tells. Costs three reads of ``/proc``."""
    argv = processes.argv(facts.pid)
    names = (facts.name, _file(processes.program(facts.pid)), _first(argv))
    found = next((it for it in map(_harness, names) if it), "")
    if found:
        return Program(found, serves="app-server" in argv)
    if len(argv) > 1 and _first(argv) in _INTERPRETERS:
        return Program(_harness(os.path.basename(argv[1])), launched=True)
    return Program("")


def _file(program: str) -> str:
    """The file's name; empty where the system keeps it to itself."""
    try:
        return os.path.basename(os.path.realpath(program, strict=True)) if program else ""
    except OSError:
        return ""


def _first(argv: tuple[str, ...]) -> str:
    return os.path.basename(argv[0]) if argv else ""


def _harness(name: str) -> str:
    """The harness that is called ``name``, which the system may have cut short."""
    whole = (full for full in _NAMES if name in (full, full[:_NAME_LENGTH]))
    return _NAMES.get(next(whole, ""), "")


__all__ = ["Program", "program_of"]
