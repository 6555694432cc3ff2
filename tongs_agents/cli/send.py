"""``send``: pastes a text into the verified pane and presses Enter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tongs_agents.cli.asking import asked_on_terminal, has_terminal
from tongs_agents.cli.reply import Reply
from tongs_agents.cli.stdin import text_or_stdin
from tongs_agents.cli.target import name_of, resolve
from tongs_agents.cli.verb import App, Verb
from tongs_agents.cli.waited import waited, within_bounds

if TYPE_CHECKING:
    from tongs_agents.errors import AgentsError
    from tongs_agents.services import Services
    from tongs_mux.model import LaunchRecord, Receipt


@click.command(
    "send",
    cls=Verb,
    example="tongs-agents send 3f2a 'Now run the tests'\n"
    "git diff | tongs-agents send 3f2a -\n"
    "tongs-agents send 3f2a -- '-v is missing in the Makefile'",
    usage_hint="TEXT is one argument, in quotes; one that begins with - goes after --",
)
@click.argument("launch")
@click.argument("text", metavar="TEXT|-")
@click.option("--wait", is_flag=True, help="Then wait until the agent is done.")
@click.option(
    "--timeout",
    metavar="S",
    type=float,
    callback=within_bounds,
    help="Seconds that --wait may take (default 120, at most 600).",
)
@click.option(
    "--unseen",
    is_flag=True,
    help="Where its screen can't be read: show it to you and ask. On a terminal only.",
)
@click.pass_obj
def verb(
    app: App, launch: str, text: str, wait: bool, timeout: float | None, unseen: bool
) -> Reply:
    """Paste TEXT into the pane of LAUNCH and press Enter.

    The pane is verified first. Where a dialog, a draft or anything else is in
    the way, nothing is typed, and no other key than Enter is ever pressed.

    "-" reads the text from standard input, as UTF-8. A text that begins with
    "-" goes after "--".
    """
    if timeout is not None and not wait:
        raise click.UsageError("--timeout is for --wait")
    from tongs_agents.sending import send
    from tongs_mux.acts import Act, Actor

    by, record = Actor("cli"), resolve(app.services, launch)
    control = app.services.acting()
    if error := _impossible(app.services, record, wait=wait, unseen=unseen):
        with Act(control.audit, control.judge, "send", by, record):
            raise error
    body = text_or_stdin(app.services, text, "send", record.launch_id)
    asked = asked_on_terminal if unseen else None
    reply = _reply(record, send(app.services, record, body, by, asked=asked))
    if not wait:
        return reply
    return waited(app.services, record, "done", timeout, after=reply)


def _impossible(
    services: Services, record: LaunchRecord, *, wait: bool, unseen: bool
) -> AgentsError | None:
    """Why an option can't be had, None where all can; nothing has been typed then."""
    from tongs_agents.errors import Refused, Unsupported

    if wait and not services.watch.hooked(record):
        return Unsupported(
            f"launch {record.launch_id} has no hooks that would say when it is done",
            hint="send without --wait, and look with `tongs-agents capture`",
        )
    if unseen and not has_terminal():
        return Refused(
            "--unseen shows you the screen and asks: that takes a terminal",
            reason="no-terminal",
            hint="run it in a terminal, with the text as an argument",
        )
    return None


def _reply(record: LaunchRecord, receipt: Receipt) -> Reply:
    from tongs_agents.shapes import receipt_shape

    where = f"pane {record.pane.pane_id}" if record.pane else "its pane"
    words = f"{receipt.receipt}: {receipt.bytes} bytes into {where} of {name_of(record)}"
    worth = (fact for fact in receipt.evidence if fact.check not in ("paste", "enter"))
    return Reply(receipt_shape(receipt), (words, *(f"  {x.check}: {x.seen}" for x in worth)))


__all__ = ["verb"]
