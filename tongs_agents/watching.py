"""What launches are doing: verification, hooks, and other means put together, in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tongs_agents.hooks import HOOKS_LABEL
from tongs_agents.receipts import proof_for
from tongs_agents.sends import SendStore, Sent
from tongs_agents.sessions import SessionStore, Told
from tongs_mux.control import Controller, Proof
from tongs_mux.evidence import Seen
from tongs_mux.model import LaunchRecord

if TYPE_CHECKING:
    from tongs_agents.status import Status
    from tongs_agents.waiting import Look


@dataclass(frozen=True, slots=True)
class Doing:
    """A launch as it was found, and what it is doing."""

    seen: Seen
    status: Status


@dataclass(frozen=True, slots=True)
class Watch:
    """Looks at launches. Reads only, but for the note of a send."""

    control: Controller
    sessions: SessionStore
    runtime: Path
    clock: Callable[[], float]

    def hooked(self, record: LaunchRecord) -> bool:
        """True where hooks tell of this launch, so that a send can be proved and waited for."""
        return HOOKS_LABEL in record.labels or bool(self.sessions.of_launch(record.launch_id))

    def look(self, record: LaunchRecord) -> Doing:
        """One launch; a ``working`` in doubt is looked at by other means (A68)."""
        return self._of(self.control.verify(record), self.sessions.told(record))

    def look_all(self, records: Iterable[LaunchRecord]) -> tuple[Doing, ...]:
        """Many launches: one listing a multiplexer server, one pass over the sessions."""
        told = self.sessions.by_launch()
        found = []
        for seen in self.control.list(records):
            sessions = told.get(seen.record.launch_id, ())
            found.append(self._of(seen, Told(sessions, self.sessions.pulse(seen.record))))
        return tuple(found)

    def _of(self, seen: Seen, told: Told) -> Doing:
        from tongs_agents.status import fold, untrusted  # here: a send asks for no status

        now, processes = self.clock(), self.control.processes
        status = fold(seen.record, seen.verdict, told, now)
        if seen.verdict.verified:
            from tongs_agents.hearing import heard, is_untrusted  # as above

            more = heard(seen.record, told, status, now, processes)
            status = fold(seen.record, seen.verdict, told, now, more) if more else status
            if is_untrusted(seen.record, told, processes):
                status = untrusted(status, now)
        return Doing(seen, status)

    def sends(self, record: LaunchRecord) -> SendStore:
        """Where the last send to a launch is noted: its own runtime dir (A81)."""
        return SendStore(Path(record.places.get("runtime_dir", self.runtime)))

    def proof(self, record: LaunchRecord) -> Proof:
        """What a send asks for proof; it notes the send too (A74)."""
        return proof_for(self.sessions, self.sends(record), record.launch_id)

    def note_uncertain(self, record: LaunchRecord, since: float, sha256: str) -> None:
        """A send that may have landed counts for the waits to come as well."""
        self.sends(record).note(record.launch_id, Sent(since, sha256, "pasted"))

    def for_wait(self, record: LaunchRecord) -> Look:
        """What a wait looks at."""
        from tongs_agents.waiting import Look  # here: a send may not wait

        doing = self.look(record)
        verdict = doing.seen.verdict
        sent = self.sends(record).last(record.launch_id)
        return Look(verdict.state, verdict.reason, verdict.checks, doing.status, sent)


__all__ = ["Doing", "Watch"]
