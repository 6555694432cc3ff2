"""A launch's first prompt: in its command line, or sent once its composer is ready (A21, A91)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tongs_agents.harness.registry import Harness
from tongs_mux.control import Controller
from tongs_mux.model import LaunchRecord
from tongs_mux.reader import Reader

READY_SECONDS = 20.0
"""How long a first prompt waits for the composer of a program that takes none by argv."""

STILL_SECONDS = 5.0
"""How long it waits where the screen can't be read, and says nothing or moves on."""

STILL_LOOKS = 4
"""Looks, a tenth of a second apart, in which such a screen has to be the same."""


def await_ready(control: Controller, record: LaunchRecord, reader: Reader) -> None:
    """Until the composer is seen; where nobody can read it, until the screen is still (A21)."""
    until = control.monotonic() + (READY_SECONDS if reader.guarded else STILL_SECONDS)
    last: tuple[str, ...] = ()
    still = 0
    while control.monotonic() < until and still < STILL_LOOKS:
        sight = control.sight(record, reader)
        if sight.reading.composer != "unseen" or sight.seen.screen is None:
            return
        lines = sight.seen.screen.lines
        still = still + 1 if lines == last and any(map(str.strip, lines)) else 0
        still = 0 if reader.guarded else still
        last = lines
        control.pause(0.1)


def with_prompt(
    harness: Harness, argv: tuple[str, ...], prompt: str | None
) -> tuple[tuple[str, ...], str | None]:
    """(argv, prompt still to be sent): in the argv where the harness takes one there."""
    if prompt is None or harness.with_prompt is None:
        return argv, prompt
    placed = harness.with_prompt(argv, prompt)
    return (argv, prompt) if placed is None else (placed, None)


@contextmanager
def started() -> Iterator[None]:
    """Inside, an interruption comes after the start: to call again would start a second one."""
    try:
        yield
    except Exception:
        raise
    except BaseException as error:
        if getattr(error, "effect", "none") == "none":
            error.effect = "partial"  # type: ignore[attr-defined]
        raise


__all__ = [
    "READY_SECONDS",
    "STILL_LOOKS",
    "STILL_SECONDS",
    "await_ready",
    "started",
    "with_prompt",
]
