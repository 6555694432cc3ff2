"""SIGTERM and SIGHUP as an orderly end: what was begun is written down, and cleaned up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from tongs_agents.errors import Terminated

ENDING = (signal.SIGHUP, signal.SIGTERM)
"""A closed terminal, and ``kill`` or ``timeout``. Ctrl-C is Python's own KeyboardInterrupt."""


@contextmanager
def orderly() -> Iterator[None]:
    """Inside, the first of these signals raises Terminated, and no further one does anything.

    One that is ignored (``nohup``), or that somebody else handles, stays so.
    """
    usual: list[signal.Signals] = []
    if threading.current_thread() is threading.main_thread():
        usual = [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]
    for number in usual:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number in usual:
            signal.signal(number, signal.SIG_DFL)


def deafen() -> None:
    """From here on nothing is cut short: the end has begun, and is short itself."""
    for number in ENDING:
        if signal.getsignal(number) is _end:
            # no SIG_IGN: a program that is started would inherit it
            signal.signal(number, _nothing)


def _end(number: int, frame: FrameType | None) -> None:
    deafen()
    raise Terminated(number, signal.Signals(number).name)


def _nothing(number: int, frame: FrameType | None) -> None:
    return


__all__ = ["ENDING", "deafen", "orderly"]
