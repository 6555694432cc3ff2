"""When a program that was just started has had the time to end at once. Pure."""

from __future__ import annotations

from tongs_mux.model import ProcessFacts

AT_ONCE = 0.1
"""Seconds within which a program that ends is one that could not be started (A91)."""

STARVED_SECONDS = 2.0
"""How long a program that gets no turn of the processor is waited for."""


def has_begun(first: ProcessFacts | None, now: ProcessFacts | None, waited: float) -> bool:
    """True where a program that runs has had the time within which one can end at once.

    The time is its own: on a busy machine it may get no turn for longer than that.
    """
    if first is None or waited >= STARVED_SECONDS:
        return True
    if now is None or now.zombie:
        return False  # it has ended since it was looked at: another look says so
    starved = now.ready and now.used - first.used < AT_ONCE
    return waited >= AT_ONCE and not starved


__all__ = ["AT_ONCE", "STARVED_SECONDS", "has_begun"]
