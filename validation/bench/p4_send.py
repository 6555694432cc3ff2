"""P4 and P10: a verified send to one of many panes, beside the multiplexer's bare commands."""

from __future__ import annotations

from validation.bench.farm import Farm
from validation.bench.measure import Sample, interleaved

TEXT = "x" * 400
GOAL = 3.0
FLAT = 1.3


def measure(made: Farm, runs: int) -> tuple[Sample, Sample]:
    """(floor, ours): seconds from the call until the program has read the Enter."""

    def floor() -> float:
        return made.read_after(lambda: made.raw_send(TEXT))

    def ours() -> float:
        return made.read_after(lambda: made.send(TEXT))

    subjects = ((made.bare.sending, floor), ("verified send", ours))
    first, second = interleaved(runs, subjects)
    return first, second
