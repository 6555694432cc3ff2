"""Notices that the client is gone, where no end of input says so."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Thread

LOOK_SECONDS = 0.5


def watch(outgoing: int, gone: Callable[[], None]) -> None:
    """Call ``gone``, from a thread, once our parent has died or nobody reads ``outgoing``."""
    Thread(target=_watch, args=(outgoing, os.getppid(), gone), daemon=True).start()


def _watch(outgoing: int, parent: int, gone: Callable[[], None]) -> None:
    poller = select.poll()
    with suppress(OSError):
        poller.register(outgoing, 0)  # 0: errors and hang-ups only, which are always told
    while os.getppid() == parent:
        if poller.poll(LOOK_SECONDS * 1000):
            break
    gone()


def leave_in(seconds: float, code: int) -> None:
    """End this process then, whatever still runs: the promise of two seconds."""

    def end() -> None:
        time.sleep(seconds)
        os._exit(code)

    Thread(target=end, daemon=True).start()


__all__ = ["LOOK_SECONDS", "leave_in", "watch"]
