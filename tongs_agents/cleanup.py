"""Removes what is left of launches that ended or never claimed; never of one that may live."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tongs_agents.attaching import settings_path
from tongs_agents.launches import may_forget
from tongs_agents.mcp_server.rules import ROOT
from tongs_agents.parcel import parcel_path
from tongs_agents.sends import SendStore
from tongs_agents.sessions import Session, SessionStore, bell_path, pulse_path
from tongs_agents.sweeping import litter, sweep
from tongs_mux.acts import Act, Actor
from tongs_mux.audit import AuditEntry, AuditLog
from tongs_mux.control import Controller
from tongs_mux.errors import LaunchNotFound, LockTimeout
from tongs_mux.model import LaunchRecord

if TYPE_CHECKING:
    from tongs_agents.services import Services


@dataclass(frozen=True, slots=True)
class Leftovers:
    """What is over and may go; made by a look alone."""

    records: tuple[LaunchRecord, ...]
    sessions: tuple[Session, ...]
    """Of nobody's launch: those of a launch go with its record."""
    litter: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What was removed, and a sentence for each that was left alone."""

    records: tuple[LaunchRecord, ...]
    sessions: tuple[Session, ...]
    swept: int
    left_alone: tuple[str, ...]

    @property
    def removed(self) -> list[str]:
        """The ids: of launches, then the canonical ones of sessions."""
        return [
            *(record.launch_id for record in self.records),
            *(session.canonical_id for session in self.sessions),
        ]


def leftovers(services: Services, records: tuple[LaunchRecord, ...]) -> Leftovers:
    """What may go, with the launches that are on record. Reads only."""
    by_id = {record.launch_id: record for record in records}
    sessions = tuple(one for one in services.fleet.unlaunched(by_id) if one.status == "ended")
    found = forgettable(services.control, records)
    roots = {record.labels[ROOT] for record in records if ROOT in record.labels}
    return Leftovers(found, sessions, litter(services.places, services.clock(), roots))


def clean(services: Services, found: Leftovers, by: Actor) -> Cleaned:
    """Remove it, each audited; what somebody else holds is left alone.

    Raises AuditFailed, PlaceRefused: what was removed by then stays removed.
    """
    swept = sweep(found.litter)
    records: list[LaunchRecord] = []
    sessions: list[Session] = []
    busy: list[str] = []
    for record in found.records:
        try:
            if forget(services.acting(), services.watch.sessions, record.launch_id, by):
                records.append(record)
        except LockTimeout as error:
            busy.append(error.message)
    for session in found.sessions:
        try:
            if _forget_session(services.auditing(), services.watch.sessions, session, by):
                sessions.append(session)
        except LockTimeout as error:
            busy.append(error.message)
    return Cleaned(tuple(records), tuple(sessions), swept, tuple(busy))


def _forget_session(log: AuditLog, store: SessionStore, session: Session, by: Actor) -> bool:
    entry = AuditEntry(by.name, "gc", caller=by.caller, labels={"session": session.canonical_id})
    act = log.begin(entry)
    ended = replace(entry, outcome="busy", exit_code=1, reason="busy", effect="none")
    try:
        gone = store.remove(session)
        ended = replace(entry, outcome="ok", exit_code=0) if gone else ended
    finally:
        log.outcome(act, ended)
    return gone


def forgettable(control: Controller, records: Iterable[LaunchRecord]) -> tuple[LaunchRecord, ...]:
    """The records that may be removed. Reads only; a silent multiplexer's are not among them."""
    return tuple(seen.record for seen in control.list(records) if may_forget(seen, control))


def forget(control: Controller, sessions: SessionStore, launch_id: str, by: Actor) -> bool:
    """Remove a launch's record and files, audited; False where it must stay after all.

    Looked at again under the record's own lock, so that a claim made meanwhile
    keeps it. Raises LockTimeout, AuditFailed.
    """
    with control.store.holding(launch_id):
        try:
            record = control.store.read(launch_id)
        except LaunchNotFound:
            # somebody else was quicker: what is left is the lock that we just made
            control.store.remove(launch_id)
            return False
        if not may_forget(control.verify(record), control):
            return False
        with Act(control.audit, control.judge, "gc", by, record) as act:
            act.begin()
            for path in _belongings(record, control.runtime):
                path.unlink(missing_ok=True)
            for session in sessions.of_launch(launch_id):
                sessions.remove(session)
            control.store.remove(launch_id)
    return True


def _belongings(record: LaunchRecord, runtime: Path) -> tuple[Path, ...]:
    """A launch's files in its runtime dir, which the record names (A81)."""
    home = Path(record.places.get("runtime_dir", runtime))
    return (
        parcel_path(home, record.launch_id),
        settings_path(home, record.launch_id, record.labels.get("harness", "other")),
        pulse_path(home, record.launch_id),
        bell_path(home, record.launch_id),
        SendStore(home).path(record.launch_id),
        home / "leftovers" / f"{record.launch_id}.json",
        home / "locks" / f"{record.launch_id}.send",
    )


__all__ = ["Cleaned", "Leftovers", "clean", "forget", "forgettable", "leftovers"]
