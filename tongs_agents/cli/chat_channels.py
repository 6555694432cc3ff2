"""``chat channels``: what channels there are."""

from __future__ import annotations

import click

from tongs_agents.cli.reply import Reply, table
from tongs_agents.cli.verb import App, Verb


@click.command("channels", cls=Verb, example="tongs-agents chat channels")
@click.pass_obj
def verb(app: App) -> Reply:
    """List channels, with how much in each you have not read."""
    from tongs_agents.chat.desk import Desk

    found = Desk(app.services).channels()
    listed = [{"name": it.name, "archived": it.archived, "unread": it.unread} for it in found]
    rows = ((it.name, str(it.unread), "archived" if it.archived else "") for it in found)
    lines = table(("CHANNEL", "UNREAD", ""), rows) if found else ()
    notes = () if found else ("no channels: they come with the first grant",)
    return Reply({"ok": True, "channels": listed}, lines, notes)


__all__ = ["verb"]
