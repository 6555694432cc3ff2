"""Removes what is left of launches that ended or never claimed; never of one that may live."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tongs_agents.attaching import settings_path
from tongs_agents.launches import may_forget
from tongs_agents.parcel import parcel_path
from tongs_agents.sends import SendStore
from tongs_agents.sessions import SessionStore, bell_path, pulse_path
from tongs_mux.acts import Act, Actor
from tongs_mux.control import Controller
from tongs_mux.errors import LaunchNotFound
from tongs_mux.model import LaunchRecord


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
        settings_path(home, record.launch_id),
        pulse_path(home, record.launch_id),
        bell_path(home, record.launch_id),
        SendStore(home).path(record.launch_id),
        home / "leftovers" / f"{record.launch_id}.json",
        home / "locks" / f"{record.launch_id}.send",
    )


__all__ = ["forget", "forgettable"]
