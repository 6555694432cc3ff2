"""``gc``: removes the records of launches that ended or never claimed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tongs_agents.cli.reply import Line, Reply
from tongs_agents.cli.target import name_of
from tongs_agents.cli.verb import App, Verb

if TYPE_CHECKING:
    from tongs_agents.cleanup import Leftovers
    from tongs_agents.services import Services
    from tongs_agents.sessions import Session
    from tongs_mux.model import LaunchRecord


@click.command("gc", cls=Verb, example="tongs-agents gc --dry-run")
@click.option("--dry-run", is_flag=True, help="Only list what would go; name orphans too.")
@click.pass_obj
def verb(app: App, dry_run: bool) -> Reply:
    """Remove the records of launches that are over.

    Those are launches that ended, or were not claimed within a minute, and
    ended sessions that nobody launched here. No program is ended by it, and
    where the multiplexer gives no answer nothing is removed. What a killed
    program left half written goes after an hour.
    """
    from tongs_agents.cleanup import clean, leftovers
    from tongs_mux.acts import Actor

    services = app.services
    records, troubles = services.records()
    notes = tuple(f"left alone: {trouble}" for trouble in troubles)
    found = leftovers(services, records)
    if dry_run:
        return _would(services, records, found, notes)
    done = clean(services, found, Actor("cli"))
    lines = _lines("removed", done.records, done.sessions)
    busy = tuple(f"left alone: {trouble}" for trouble in done.left_alone)
    notes = (*notes, *_swept("swept up", done.swept), *busy)
    return Reply({"ok": True, "removed": done.removed}, lines or ("nothing to remove",), notes)


def _lines(
    done: str, records: tuple[LaunchRecord, ...], sessions: tuple[Session, ...]
) -> tuple[Line, ...]:
    launches = (f"{done} {name_of(record)}" for record in records)
    unlaunched = (f"{done} session {one.session_id} ({one.harness})" for one in sessions)
    return (*launches, *unlaunched)


def _swept(done: str, count: int) -> tuple[str, ...]:
    return (f"{done} {count} left-over file{'s' if count > 1 else ''}",) if count else ()


def _would(
    services: Services,
    records: tuple[LaunchRecord, ...],
    found: Leftovers,
    notes: tuple[str, ...],
) -> Reply:
    from tongs_agents.status import is_orphan

    by_id = {record.launch_id: record for record in records}
    orphans = [
        record
        for record in records
        if record not in found.records and is_orphan(record, by_id, services.processes)
    ]
    lines = list(_lines("would remove", found.records, found.sessions))
    lines += [
        f"orphan {name_of(record)}: its opener {record.labels['spawned_by']} has ended;"
        f" `tongs-agents close {record.launch_id}` ends it"
        for record in orphans
    ]
    document = {
        "ok": True,
        "removed": [
            *(record.launch_id for record in found.records),
            *(session.canonical_id for session in found.sessions),
        ],
        "orphans": [record.launch_id for record in orphans],
    }
    notes = (*notes, *_swept("would sweep up", len(found.litter)))
    return Reply(document, tuple(lines) or ("nothing to remove",), notes)


__all__ = ["verb"]
