"""The live matrix: which cell held with which harness on which multiplexer, from the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from validation.cell import Cell
from validation.evidence import PLACE, result_of

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "live-matrix.md"
_FOOT = """
What is not applicable on Zellij, within cells that held:

- `classic`: a composer that is taller than its pane is told only by the program's cursor, and
  Zellij does not say where a hidden one is. Enter is then not pressed, and the reply says so
  (`effect: partial`). The pane is started narrow there: of one that was made narrow Zellij dumps
  several rows of the main screen as one line, so that no composer is seen and a send is refused.
- `narrow`: Zellij drops blank rows of a pane that is made narrow, and Codex draws again only what
  it has changed: its composer may then not be where its cursor is. It is not seen, and a send is
  refused (`unknown`), until Codex draws anew. It is started narrow there.
- `busy`: while Codex streams an answer only its title says so, and Zellij does not show the title
  of a pane that was opened with a command: there the status says it, and the screen does not.
- `odd-text`: of joined emoji Zellij keeps the first only. The text is not seen whole, Enter is not
  pressed, and the reply says so.

What is not applicable with Pi: it asks before no tool and has no subagents. `dialogs` and `narrow`
show the question of an extension of its user's in the permission dialog's place, `modals` its own
pickers and what extensions can ask; what Pi asks before a session is in `before-composer`.
"""
_HEAD = """# What was shown with the real programs

<!-- Written by `make validate`; do not edit. -->

Each cell was run against the real program in a world of its own: see `validation/README.md`. The
evidence is in `validation/evidence/`, a file a cell.

"""


def page(cells: Sequence[Cell], versions: dict[str, str], place: Path = PLACE) -> str:
    """The table, from the evidence that is there."""
    columns = sorted({(h, m) for cell in cells for h in cell.harnesses for m in cell.multiplexers})
    titles = [f"{harness} {versions.get(harness, '')} on {mux}" for harness, mux in columns]
    rows = [["cell", "promise", "shows", *titles], ["---"] * (3 + len(columns))]
    for cell in cells:
        marks = [_mark(cell, harness, mux, place) for harness, mux in columns]
        rows.append([f"`{cell.name}`", cell.promise, ", ".join(cell.shows), *marks])
    return _HEAD + "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n" + _FOOT


def _mark(cell: Cell, harness: str, mux: str, place: Path) -> str:
    if harness not in cell.harnesses or mux not in cell.multiplexers:
        return "not applicable"
    return result_of(f"{harness}-{mux}-{cell.name}", place) or "not run"


__all__ = ["PAGE", "page"]
