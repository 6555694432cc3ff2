"""``chat channel-create``: makes a channel."""

from __future__ import annotations

import click

from tongs_agents.cli.reply import Reply
from tongs_agents.cli.verb import App, Verb


@click.command("channel-create", cls=Verb, example="tongs-agents chat channel-create reviews")
@click.argument("name")
@click.pass_obj
def verb(app: App, name: str) -> Reply:
    """Make channel NAME: 1 to 32 of a-z, 0-9 and "-". Only a person does."""
    from tongs_agents.chat.desk import Desk

    Desk(app.services).create_channel(name)
    return Reply({"ok": True, "name": name}, (f"made #{name}",))


__all__ = ["verb"]
