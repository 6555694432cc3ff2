"""Evidence files: what a cell showed, small, stable, without a path or a key of the machine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from validation.cell import Cell
from validation.kinds import KINDS
from validation.world import World

LONGEST = 400
"""Characters of what was seen where a cell did not hold."""

PLACE = Path(__file__).with_name("evidence")
_VERDICT = re.compile(r"^result: (.*)$", re.MULTILINE)
_LAUNCH_ID = re.compile(r"\b[0-9a-z]{8}-[0-9a-z-]{8,55}\b|\b[0-9a-f]{12,64}\b")


@dataclass(frozen=True, slots=True)
class Ran:
    """A cell that was run: on what, and whether it held. ``trouble`` is empty where it did."""

    cell: Cell
    harness: str
    multiplexer: str
    versions: str
    network: str
    notes: tuple[str, ...]
    trouble: str

    @property
    def name(self) -> str:
        """As its file is called."""
        return f"{self.harness}-{self.multiplexer}-{self.cell.name}"


def write(ran: Ran, world: World, place: Path = PLACE) -> Path:
    """Write the evidence down; the file's path."""
    lines = [
        f"{ran.cell.name}: {ran.cell.promise}",
        f"shows: {', '.join(ran.cell.shows)}",
        f"with: {ran.versions}",
        f"network: {ran.network}",
        "",
        *(f"- {note}" for note in ran.notes),
        *([f"- NOT: {ran.trouble[:LONGEST]}"] if ran.trouble else []),
        "",
        f"result: {'not held' if ran.trouble else 'held'}",
    ]
    place.mkdir(exist_ok=True)
    file = place / f"{ran.name}.txt"
    file.write_text(cleaned("\n".join(lines) + "\n", world), encoding="utf-8")
    return file


def cleaned(text: str, world: World) -> str:
    """``text`` without what only this machine and this run know."""
    text = text.replace(str(world.directory), "WORLD")
    for kind in KINDS.values():
        for secret in kind.secrets:
            text = text.replace(secret, "KEY")
    return _LAUNCH_ID.sub("ID", text)


def result_of(name: str, place: Path = PLACE) -> str:
    """``held``, ``not held``, or empty where it was never run."""
    try:
        found = _VERDICT.search((place / f"{name}.txt").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ""
    return found[1] if found else ""


__all__ = ["LONGEST", "PLACE", "Ran", "cleaned", "result_of", "write"]
