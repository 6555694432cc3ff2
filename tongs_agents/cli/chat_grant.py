"""``chat grant``: lets one launch take part, once a person has typed its handle."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from tongs_agents.cli import printing
from tongs_agents.cli.asking import has_terminal
from tongs_agents.cli.reply import Reply
from tongs_agents.cli.target import resolve
from tongs_agents.cli.verb import App, Verb

if TYPE_CHECKING:
    from tongs_agents.chat.candidate import Candidate
    from tongs_agents.services import Services
    from tongs_chat.model import Level
    from tongs_mux.model import LaunchRecord


@click.command("grant", cls=Verb, example="tongs-agents chat grant 3f2a --wake")
@click.argument("launch")
@click.option("--wake", is_flag=True, help="A mention may also wake its idle, unwatched pane.")
@click.option("--as", "handle", metavar="HANDLE", help="Its handle; the profile's name else.")
@click.pass_obj
def verb(app: App, launch: str, wake: bool, handle: str | None) -> Reply:
    """Let LAUNCH read and write chat, and message other granted launches.

    Its pane is verified first; then you type its handle, on a terminal. The
    grant ends by itself with the process. Without --wake it hears of a mention
    at its next prompt or tool call. Granting again replaces the level.
    """
    from tongs_agents.chat.desk import Desk

    services = app.services
    desk, record = Desk(services), resolve(services, launch)
    level: Level = "chat+wake" if wake else "chat"
    with desk.refusals("grant", record.launch_id):
        found = _verified(services, record)
        name = handle or desk.suggested(found)
        _confirm(found, name, level)
        found = _verified(services, record)  # the person may have taken their time
    granted = desk.grant(found, name, level)
    standing = next(each for each in desk.standings() if each.grant.launch_id == granted.launch_id)
    document = {"ok": True, "grant": standing.to_json()}
    return Reply(document, (f"granted {level} to @{granted.handle}", *_pending(standing.state)))


def _pending(state: str) -> tuple[str, ...]:
    if state != "tools-pending":
        return ()
    return ("tools pending: its client has to list its tools again, or be restarted",)


def _verified(services: Services, record: LaunchRecord) -> Candidate:
    from tongs_agents.attaching import version_of
    from tongs_agents.chat.candidate import candidate

    program, harness = record.argv[0], record.labels.get("harness", "other")
    return candidate(
        record, services.control.running, lambda: version_of(program, harness, services.environ)
    )


def _confirm(found: Candidate, handle: str, level: Level) -> None:
    """Show what it means and have the handle typed (2.4, 2.5)."""
    from tongs_agents.chat.candidate import told
    from tongs_agents.errors import Refused
    from tongs_chat.text import check_handle

    check_handle(handle)
    if not has_terminal():
        raise Refused(
            "a grant is confirmed by a person, on a terminal",
            reason="no-terminal",
            hint="run it in a terminal; there is no option that confirms it",
        )
    for line in told(found, handle, level):
        printing.note(line)
    sys.stderr.write("Type the handle to grant it: ")
    sys.stderr.flush()
    typed = sys.stdin.readline().strip().removeprefix("@")
    if typed != handle:
        raise Refused(
            "that is not the handle: nothing was granted",
            reason="not-confirmed",
            hint=f"type {handle} when asked",
        )


__all__ = ["verb"]
