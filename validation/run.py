"""Runs cells, each in a world of its own, and says as it goes what held."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from validation import evidence
from validation.cell import Cell
from validation.evidence import Ran
from validation.install import Pinned
from validation.kinds import KINDS
from validation.model.server import serving
from validation.stage import Stage, staged
from validation.terminal import Terminal
from validation.tmux_terminal import TmuxTerminal
from validation.troubles import NotHeld
from validation.world import World, world
from validation.zellij_terminal import ZellijTerminal

_TERMINALS: dict[str, type[Terminal]] = {
    each.multiplexer: each for each in (TmuxTerminal, ZellijTerminal)
}


@dataclass(frozen=True, slots=True)
class Rig:
    """What all cells of one harness share. ``network`` says whether loopback is all there is."""

    harness: Pinned
    programs: tuple[Path, ...]
    network: str
    keep: bool = False


def run(rig: Rig, cell: Cell, multiplexer: str) -> Ran:
    """Run one cell and write its evidence down."""
    kind = KINDS[rig.harness.harness]
    with (
        world(*rig.programs, beside=kind.beside, keep=rig.keep) as made,
        serving(made.requests) as port,
    ):
        here = World(made.directory, {**made.environ, **kind.environment(port)})
        kind.seed(here, port)
        terminal = _TERMINALS[multiplexer](here)
        versions = f"{rig.harness.harness} {rig.harness.version}, {_version_of(terminal)}"
        with staged(kind, terminal, port) as stage:
            trouble = _trouble(cell, stage)
            notes = tuple(stage.notes)
            ran = Ran(cell, rig.harness.harness, multiplexer, versions, rig.network, notes, trouble)
            evidence.write(ran, here)
            if rig.keep:
                print(f"    kept: {here.directory}: {terminal.attach_command()}")
        return ran


def _trouble(cell: Cell, stage: Stage) -> str:
    try:
        cell.run(stage)
    except (NotHeld, subprocess.TimeoutExpired) as error:
        return str(error) or repr(error)
    return ""


def _version_of(terminal: Terminal) -> str:
    return terminal.ran(terminal.multiplexer, "-V").stdout.decode().strip()


def run_all(rig: Rig, cells: list[Cell], multiplexers: list[str]) -> Iterator[Ran]:
    """Each cell on each multiplexer that it is for; progress goes to standard output."""
    for multiplexer in multiplexers:
        for cell in cells:
            if multiplexer not in cell.multiplexers:
                continue
            name = f"{rig.harness.harness}-{multiplexer}-{cell.name}"
            print(f"  {name:<36}", end="", flush=True)
            began = time.monotonic()
            ran = run(rig, cell, multiplexer)
            took = time.monotonic() - began
            print(f"{'NOT HELD' if ran.trouble else 'held'}  {took:5.1f} s", flush=True)
            if ran.trouble:
                print(f"    {ran.trouble}", flush=True)
            yield ran


__all__ = ["Rig", "run", "run_all"]
