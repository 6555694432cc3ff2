"""What a wait does between its looks: it tells its client, and asks who its caller is by now.

Progress comes every ten seconds (A8), so that no client takes a long wait for a dead one;
rule 1 is asked again every five, and ends the wait when it is broken twice in a row (6.26).
"""

from __future__ import annotations

from collections.abc import Callable

from tongs_agents.errors import Refused
from tongs_agents.mcp_server.tool import Call
from tongs_mux.errors import MuxError

TELL_SECONDS = 10.0
"""Between two notifications of progress."""

STAND_SECONDS = 5.0
"""Between two verifications of the caller."""

STRIKES = 2
"""Failures in a row that end a wait; one may be the multiplexer's alone."""


class Vigil:
    """One wait's rounds; ``verify`` raises where the caller is not who it was."""

    def __init__(
        self, call: Call, verify: Callable[[], object], words: str, monotonic: Callable[[], float]
    ) -> None:
        self._call = call
        self._verify = verify
        self._words = words
        self._monotonic = monotonic
        self._began = self._told = self._stood = monotonic()
        self._strikes = 0

    def stand(self) -> None:
        """Before each look. Raises Refused or MuxError at the second failure in a row."""
        now = self._monotonic()
        if now - self._stood < STAND_SECONDS:
            return
        try:
            self._verify()
        except (Refused, MuxError):
            self._strikes += 1
            if self._strikes >= STRIKES:
                raise
        else:
            self._strikes = 0
        self._stood = self._monotonic()

    def pause(self, seconds: float) -> None:
        """Until the next look, or until the call is cancelled."""
        self._call.cancelled.wait(seconds)
        now = self._monotonic()
        if now - self._told >= TELL_SECONDS:
            self._told = now
            self._call.progress(now - self._began, self._words)


__all__ = ["STAND_SECONDS", "STRIKES", "TELL_SECONDS", "Vigil"]
