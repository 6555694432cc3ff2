"""``gc``: removes the records of launches that ended or never claimed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tongs_agents.cli.reply import Line, Reply
from tongs_agents.cli.target import name_of
from tongs_agents.cli.verb import App, Verb

if TYPE_CHECKING:
    from tongs_agents.services import Services
    from tongs_mux.model import LaunchRecord


@click.command("gc", cls=Verb, example="tongs-agents gc --dry-run")
@click.option("--dry-run", is_flag=True, help="Only list what would go; name orphans too.")
@click.pass_obj
def verb(app: App, dry_run: bool) -> Reply:
    """Remove the records of launches that are over.

    Those are launches that ended, or were not claimed within a minute. No
    program is ended by it, and where the multiplexer gives no answer nothing
    is removed. What a killed program left half written goes after an hour.
    """
    from tongs_agents.cleanup import forgettable
    from tongs_agents.sweeping import litter, sweep

    services = app.services
    records, troubles = services.records()
    notes = tuple(f"left alone: {trouble}" for trouble in troubles)
    found = forgettable(services.control, records)
    left = litter(services.places, services.clock())
    if dry_run:
        return _would(services, records, found, (*notes, *_swept("would sweep up", len(left))))
    notes = (*notes, *_swept("swept up", sweep(left)))
    removed, busy = _remove(services, found)
    lines = tuple(f"removed {name_of(record)}" for record in removed)
    document = {"ok": True, "removed": [record.launch_id for record in removed]}
    return Reply(document, lines or ("nothing to remove",), notes + busy)


def _swept(done: str, count: int) -> tuple[str, ...]:
    return (f"{done} {count} left-over file{'s' if count > 1 else ''}",) if count else ()


def _remove(
    services: Services, found: tuple[LaunchRecord, ...]
) -> tuple[list[LaunchRecord], tuple[str, ...]]:
    """What was removed, and a note for each that somebody else holds."""
    from tongs_agents.cleanup import forget
    from tongs_mux.acts import Actor
    from tongs_mux.errors import LockTimeout

    removed, busy = [], []
    for record in found:
        try:
            control, sessions = services.acting(), services.watch.sessions
            if forget(control, sessions, record.launch_id, Actor("cli")):
                removed.append(record)
        except LockTimeout as error:
            busy.append(f"left alone: {error.message}")
    return removed, tuple(busy)


def _would(
    services: Services,
    records: tuple[LaunchRecord, ...],
    found: tuple[LaunchRecord, ...],
    notes: tuple[str, ...],
) -> Reply:
    from tongs_agents.status import is_orphan

    by_id = {record.launch_id: record for record in records}
    orphans = [
        record
        for record in records
        if record not in found and is_orphan(record, by_id, services.processes)
    ]
    lines: list[Line] = [f"would remove {name_of(record)}" for record in found]
    lines += [
        f"orphan {name_of(record)}: its opener {record.labels['spawned_by']} has ended;"
        f" `tongs-agents close {record.launch_id}` ends it"
        for record in orphans
    ]
    document = {
        "ok": True,
        "removed": [record.launch_id for record in found],
        "orphans": [record.launch_id for record in orphans],
    }
    return Reply(document, tuple(lines) or ("nothing to remove",), notes)


__all__ = ["verb"]
