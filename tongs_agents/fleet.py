"""Every session, launched here or not, and what it is doing by now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tongs_agents.sessions import Session, SessionStore
from tongs_mux.model import LaunchRecord
from tongs_mux.process import Processes, alive

if TYPE_CHECKING:
    from tongs_agents.status import Status
    from tongs_agents.watching import Watch


@dataclass(frozen=True, slots=True)
class Fleet:
    """Looks at sessions. Reads only.

    A session of a launch is what that launch is doing; one whose program has
    ended without a word is ended, whatever its last word was.
    """

    sessions: SessionStore
    processes: Processes
    watch: Watch

    def all(self, records: Mapping[str, LaunchRecord]) -> tuple[Session, ...]:
        """Every session, newest first; one listing for each multiplexer server of a launch's."""
        found = self.sessions.all()
        told = {one.launch_id for one in found}
        doing = self.watch.look_all([one for one in records.values() if one.launch_id in told])
        statuses = {each.seen.record.launch_id: each.status for each in doing}
        return tuple(self._now(one, statuses.get(one.launch_id or "")) for one in found)

    def unlaunched(self, records: Mapping[str, LaunchRecord]) -> tuple[Session, ...]:
        """Sessions that nobody here launched, newest first; asks no multiplexer."""
        found = (one for one in self.sessions.all() if one.launch_id not in records)
        return tuple(self._now(one, None) for one in found)

    def one(self, text: str, records: Mapping[str, LaunchRecord]) -> Session:
        """The session that ``text`` names. Raises UsageError, LaunchAmbiguous (7.3)."""
        session = self.sessions.find(text)
        record = records.get(session.launch_id or "")
        return self._now(session, None if record is None else self.watch.look(record).status)

    def _now(self, session: Session, launch: Status | None) -> Session:
        if launch is None:
            return _ended(session) if self.has_ended(session) else session
        if launch.status == "ended":
            return _ended(session, launch.since)
        if launch.status is None or launch.session_id != session.session_id:
            return session
        return replace(
            session,
            status=launch.status,
            since=session.since if launch.since is None else launch.since,
            detail=launch.detail,
            tool=launch.tool,
        )

    def has_ended(self, session: Session) -> bool:
        """True where its own last word says so, or exactly its program lives no more."""
        who = session.process
        gone = who is not None and who.start_token is not None and not alive(self.processes, who)
        return session.status == "ended" or gone


def _ended(session: Session, since: float | None = None) -> Session:
    """``session`` as one that has ended: when it did, or when it was last heard of."""
    if session.status == "ended":
        return session
    return replace(session, status="ended", since=since or session.ts, detail="", tool="")


__all__ = ["Fleet"]
