"""Interleaved measuring: medians of A, B, A, B …, so that a drifting machine cancels out."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """Seconds of each run of one thing."""

    name: str
    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle run, in seconds."""
        return statistics.median(self.seconds)

    def spread(self) -> str:
        """Fastest to slowest, in milliseconds."""
        return f"{min(self.seconds) * 1e3:.2f}–{max(self.seconds) * 1e3:.2f}"


def interleaved(
    runs: int, subjects: Sequence[tuple[str, Callable[[], float]]], *, warmup: int = 2
) -> tuple[Sample, ...]:
    """Run the subjects in turn; each returns its own seconds."""
    seconds: dict[str, list[float]] = {name: [] for name, _ in subjects}
    for turn in range(warmup + runs):
        for name, subject in subjects:
            took = subject()
            if turn >= warmup:
                seconds[name].append(took)
    return tuple(Sample(name, tuple(seconds[name])) for name, _ in subjects)


def timed(act: Callable[[], object]) -> Callable[[], float]:
    """``act`` as a subject that is timed from the outside."""

    def subject() -> float:
        start = time.perf_counter()
        act()
        return time.perf_counter() - start

    return subject
