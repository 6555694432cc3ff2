"""P6 and P10: a list of many launches, every one verified, beside one bare listing."""

from __future__ import annotations

from validation.bench.farm import Farm
from validation.bench.measure import Sample, interleaved, timed

GOAL = 2.0


def measure(made: Farm, runs: int) -> tuple[Sample, Sample]:
    """(floor, ours), in seconds, in a process that already runs."""
    floor = timed(made.bare.list)

    def ours() -> None:
        seen = made.control.list(made.records())
        wrong = [each for each in seen if each.verdict.state != "running"]
        if wrong:
            raise AssertionError(f"{len(wrong)} of {len(seen)} launches did not verify")

    subjects = ((made.bare.listing, floor), ("verified list", timed(ours)))
    first, second = interleaved(runs, subjects)
    return first, second
