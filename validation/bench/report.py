"""The page that a bench run writes: figures as ratios, goals reached and missed."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from validation.bench.measure import Sample

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "benchmarks.md"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure: ours as a multiple of its floor, both from interleaved runs."""

    goal: str
    what: str
    floor: Sample
    ours: Sample
    limit: float
    note: str = ""

    @property
    def ratio(self) -> float:
        """Median of ours over median of the floor."""
        return self.ours.median / self.floor.median

    @property
    def reached(self) -> bool:
        """True within the goal."""
        return self.ratio <= self.limit


_HEAD = """\
# Benchmarks

Written by `make bench`. Absolute times drift with the machine; only ratios within one
run count. Each pair was measured in turn, A B A B …, medians of {runs} runs.

{machine}

| goal | what | floor (ms) | ours (ms) | ratio | goal | |
|---|---|---|---|---|---|---|
"""


def page(rows: Sequence[Row], growth: Sequence[str], runs: int) -> str:
    """The page as Markdown."""
    text = _HEAD.format(runs=runs, machine=_machine())
    for row in rows:
        verdict = "reached" if row.reached else "**missed**"
        text += (
            f"| {row.goal} | {row.what} | {row.floor.median * 1e3:.2f} ({row.floor.spread()}) "
            f"| {row.ours.median * 1e3:.2f} ({row.ours.spread()}) | {row.ratio:.2f} × "
            f"| ≤ {row.limit:g} × | {verdict} |\n"
        )
    text += "\n## Growth (P10)\n\n" + "\n".join(growth) + "\n"
    missed = [f"- {row.goal}, {row.what}: {row.note}" for row in rows if not row.reached]
    if missed:
        text += "\n## Missed goals\n\n" + "\n".join(missed) + "\n"
    return text


def _machine() -> str:
    tmux = subprocess.run(["tmux", "-V"], capture_output=True, text=True, check=True).stdout
    return f"{platform.system()}, Python {platform.python_version()}, {tmux.strip()}."


def write(text: str) -> None:
    """Replace the page."""
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(text, encoding="utf-8")
