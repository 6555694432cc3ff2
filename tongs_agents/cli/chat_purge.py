"""``chat purge``: deletes all chat."""

from __future__ import annotations

import sys

import click

from tongs_agents.cli import printing
from tongs_agents.cli.asking import has_terminal
from tongs_agents.cli.reply import Reply
from tongs_agents.cli.verb import App, Verb

WORD = "purge"


@click.command("purge", cls=Verb, example="tongs-agents chat purge --yes")
@click.option("--yes", is_flag=True, help="Don't ask.")
@click.pass_obj
def verb(app: App, yes: bool) -> Reply:
    """Delete the chat file with every message and every grant.

    It asks for the word "purge", unless --yes is given.
    """
    from tongs_agents.chat.desk import Desk

    desk = Desk(app.services)
    if not app.services.places.chat_db.exists():
        return Reply({"ok": True, "purged": False}, ("there is no chat yet",))
    if not yes:
        with desk.refusals("purge", None):
            _confirm(len(desk.granted()))
    purged = desk.purge()
    words = "deleted all chat; every grant has ended" if purged else "there is no chat any more"
    return Reply({"ok": True, "purged": purged}, (words,))


def _confirm(grants: int) -> None:
    from tongs_agents.errors import Refused

    if not has_terminal():
        raise Refused(
            "purge asks first, on a terminal",
            reason="no-terminal",
            hint="run it in a terminal, or give --yes",
        )
    ends = f"{grants} grant{'' if grants == 1 else 's'}"
    printing.note(f"This deletes every message, and ends {ends}. It can't be undone.")
    sys.stderr.write(f"Type {WORD} to go on: ")
    sys.stderr.flush()
    if sys.stdin.readline().strip() != WORD:
        raise Refused("nothing was deleted", reason="not-confirmed", hint=f"type {WORD} when asked")


__all__ = ["WORD", "verb"]
