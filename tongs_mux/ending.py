"""Ending what ran in a closed pane: closing hangs up; who ignores that is ended by identity."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass

from tongs_mux.errors import DeliveryUncertain
from tongs_mux.model import ProcessFacts, ProcessIdentity
from tongs_mux.process import Processes, alive, ancestors, end

END_SECONDS = 3.0
"""How long a closed pane's program may take to end before it is ended by signal."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Looks processes up, waits, and signals exactly those that it was told of."""

    processes: Processes
    monotonic: Callable[[], float]
    pause: Callable[[float], None]
    step: float

    def program(self, who: ProcessIdentity | None) -> tuple[ProcessIdentity, ...]:
        """``who``, and all below it that is in its session: a wrapper's agent, its jobs (D3).

        What has made a session of its own, as a server it started, is not meant.
        """
        if who is None or not alive(self.processes, who):
            return ()
        claimed = self.processes.facts(who.pid)
        if claimed is None:
            return ()
        below = [
            ProcessIdentity(facts.pid, facts.start_token)
            for facts in map(self.processes.facts, self.processes.pids())
            if facts is not None
            and _together(claimed, facts)
            and claimed.pid in ancestors(self.processes, facts.pid)
        ]
        return (who, *below)

    def await_end(self, program: tuple[ProcessIdentity, ...]) -> None:
        """Wait until all of it has ended; SIGTERM and SIGKILL where it takes too long.

        Raises DeliveryUncertain where even that ends it not.
        """

        def gone() -> bool:
            return not any(alive(self.processes, who) for who in program)

        for number in (signal.SIGTERM, signal.SIGKILL):
            if self._within(END_SECONDS, gone):
                return
            for who in program:
                end(who, number, self.processes)
        if not self._within(END_SECONDS, gone):
            left = ",".join(str(who.pid) for who in program if alive(self.processes, who))
            raise DeliveryUncertain(
                f"the pane was closed, but its program (pid {left}) does not end",
                reason="failed", effect="partial", hint=f"look at it with `ps -p {left}`",
            )  # fmt: skip

    def _within(self, seconds: float, gone: Callable[[], bool]) -> bool:
        until = self.monotonic() + seconds
        while not gone():
            if self.monotonic() >= until:
                return False
            self.pause(self.step)
        return True


def _together(claimed: ProcessFacts, other: ProcessFacts) -> bool:
    """In one session; where the system names none, in the terminal's foreground group."""
    if claimed.session > 0:
        return other.session == claimed.session
    return other.group == claimed.foreground_group > 0


__all__ = ["END_SECONDS", "Ending"]
