"""One request from its arrival to the moment when its reply was written, or never will be."""

from __future__ import annotations

from collections.abc import Callable

Settled = Callable[[bool], None]
"""Told once: True after the whole reply was written, False where none will be."""


class Exchange:
    """What waits for the end of one request. All of it happens on the event loop."""

    def __init__(self, run: Callable[[Callable[[], None]], None], over: Callable[[], None]) -> None:
        self._run = run
        self._over = over
        self._waiting: list[Settled] = []
        self._written: bool | None = None

    def after_reply(self, hook: Settled) -> None:
        """Have ``hook`` called, in a thread of its own, once the request is settled."""
        if self._written is None:
            self._waiting.append(hook)
        else:
            self._call(hook, self._written)

    def settle(self, written: bool) -> None:
        """The request is over; a second word about it changes nothing."""
        if self._written is not None:
            return
        self._written = written
        for hook in self._waiting:
            self._call(hook, written)
        self._waiting.clear()
        self._over()

    async def unanswered(self) -> None:
        """The client took the request back, so that it gets no reply."""
        self.settle(False)

    def _call(self, hook: Settled, written: bool) -> None:
        self._run(lambda: hook(written))


__all__ = ["Exchange", "Settled"]
