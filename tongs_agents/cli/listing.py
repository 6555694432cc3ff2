"""``list``: every launch, verified."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from tongs_agents.cli.reply import Line, Reply, Span, table
from tongs_agents.cli.verb import App, Verb

if TYPE_CHECKING:
    from tongs_agents.services import Services

_HEADS = ("PROFILE", "LAUNCH", "STATE", "STATUS", "WHERE", "CWD")
_COLOURS = {
    "running": "green",
    "pending": "yellow",
    "unknown": "yellow",
    "exited": "bright_black",
    "replaced": "red",
    "not-listed": "red",
}
_NOTHING = "no launches yet: `tongs-agents spawn PROFILE` starts one"


@click.command("list", cls=Verb, inside="open", example="tongs-agents list --json")
@click.pass_obj
def verb(app: App) -> Reply:
    """List every launch, verified.

    STATE is what verification says: running, pending, exited, replaced,
    not-listed, or unknown where the multiplexer gave no answer. STATUS is what
    the agent is doing, "-" for a program without hooks; of a start that failed
    it says why.
    """
    launches, sessions, notes, failed = everything(app.services)
    document = {"ok": True, "launches": launches, "sessions": sessions}
    lines = (*launch_lines(launches, str(app.services.home), failed), *session_lines(sessions))
    if not lines:
        notes = (*notes, _NOTHING)
    return Reply(document, lines, notes)


class Everything(NamedTuple):
    """What there is: launches and sessions as JSON, and what is said beside them."""

    launches: list[dict[str, Any]]
    sessions: list[dict[str, Any]]
    notes: tuple[str, ...]
    failed: Mapping[str, str]
    """Why each launch whose start failed did not start."""


def everything(services: Services) -> Everything:
    """Launches, and sessions that nobody launched; notes on what can't be read."""
    from tongs_agents.chat.shown import chat_of
    from tongs_agents.shapes import launch_shape, session_shape
    from tongs_agents.status import is_orphan

    records, troubles = services.records()
    by_id = {record.launch_id: record for record in records}
    found = services.watch.look_all(records)
    chat = chat_of(services, tuple(doing.seen for doing in found))
    launches = [
        launch_shape(
            doing,
            orphan=is_orphan(doing.seen.record, by_id, services.processes),
            chat=chat.get(doing.seen.record.launch_id),
        )
        for doing in found
    ]
    sessions = [session_shape(session) for session in services.fleet.unlaunched(by_id)]
    notes = tuple(f"left out: {trouble}" for trouble in troubles)
    failed = {record.launch_id: record.start_error for record in records if record.start_error}
    return Everything(launches, sessions, notes, failed)


def session_lines(sessions: list[dict[str, Any]]) -> tuple[Line, ...]:
    """The sessions that nobody launched, for people."""
    if not sessions:
        return ()
    rows = ((one["harness"], one["session_id"], one["status"], one["cwd"]) for one in sessions)
    return ("", "not launched here:", *table(("HARNESS", "SESSION", "STATUS", "CWD"), rows))


def launch_lines(
    launches: list[dict[str, Any]], home: str, failed: Mapping[str, str]
) -> tuple[Line, ...]:
    """The table for people; nothing where there is nothing to show."""
    if not launches:
        return ()
    rows = (_row(launch, home, failed.get(launch["launch_id"], "")) for launch in launches)
    return table(_HEADS, rows)


def _row(launch: dict[str, Any], home: str, failed: str) -> tuple[str | Span, ...]:
    pane, state = launch["pane"], launch["state"]
    shown = f"{state}, orphan" if launch["orphan"] else state
    cwd: str = launch["cwd"]
    if cwd == home or cwd.startswith(f"{home}/"):
        cwd = f"~{cwd[len(home) :]}"
    return (
        launch["profile"],
        launch["launch_id"],
        Span(shown, _COLOURS.get(state, "")),
        f"ended: {failed}" if failed else launch["status"] or "-",
        f"{pane['session']} {pane['pane_id']}" if pane else "-",
        cwd,
    )


__all__ = ["Everything", "everything", "launch_lines", "session_lines", "verb"]
