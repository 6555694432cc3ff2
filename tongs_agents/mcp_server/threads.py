"""Blocking work beside the event loop: a thread each, so that none ever waits for another."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable
from threading import Thread
from typing import TypeVar

_Result = TypeVar("_Result")


class Threads:
    """Starts threads and knows how many still work. Used from the event loop only.

    They are daemons: work that does not end in time is left behind by the process.
    """

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._working = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def start(self, work: Callable[[], None]) -> None:
        """Have ``work`` done; an error of it is printed, and nobody else's."""
        self._begin(lambda: _contained(work), self._ended)

    async def result(self, work: Callable[[], _Result]) -> _Result:
        """What ``work`` returns or raises. Cancelled, it returns at once, and the work goes on."""
        future: asyncio.Future[_Result] = self.loop.create_future()
        found: list[tuple[_Result | None, BaseException | None]] = []

        def run() -> None:
            try:
                found.append((work(), None))
            except BaseException as error:  # noqa: BLE001 - whoever asked gets it, whatever it is
                found.append((None, error))

        def done() -> None:
            self._ended()
            value, error = found[0]
            if future.cancelled():
                return
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(value)  # type: ignore[arg-type]

        self._begin(run, done)
        return await future

    async def idle(self) -> None:
        """Return once nothing is being worked on."""
        await self._idle.wait()

    def _begin(self, run: Callable[[], None], done: Callable[[], None]) -> None:
        self._working += 1
        self._idle.clear()

        def body() -> None:
            run()
            try:
                self.loop.call_soon_threadsafe(done)
            except RuntimeError:
                return  # the loop is closed: the process is ending

        Thread(target=body, daemon=True).start()

    def _ended(self) -> None:
        self._working -= 1
        if not self._working:
            self._idle.set()


def _contained(work: Callable[[], None]) -> None:
    try:
        work()
    except Exception:  # noqa: BLE001 - nobody waits for it who could take it
        traceback.print_exc()


__all__ = ["Threads"]
