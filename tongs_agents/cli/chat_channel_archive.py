"""``chat channel-archive``: closes a channel, or opens it again."""

from __future__ import annotations

import click

from tongs_agents.cli.reply import Reply
from tongs_agents.cli.verb import App, Verb


@click.command(
    "channel-archive", cls=Verb, example="tongs-agents chat channel-archive reviews --undo"
)
@click.argument("name")
@click.option("--undo", is_flag=True, help="Open it again.")
@click.pass_obj
def verb(app: App, name: str, undo: bool) -> Reply:
    """Archive channel NAME: it can still be read by name, and takes no posts."""
    from tongs_agents.chat.desk import Desk

    changed = Desk(app.services).archive(name, undo=undo)
    word = "open again" if undo else "archived"
    line = f"#{name} is {word}" if changed else f"#{name} was {word} already"
    return Reply({"ok": True, "name": name, "archived": not undo}, (line,))


__all__ = ["verb"]
