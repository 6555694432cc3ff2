"""``config path``: where the config file is."""

from __future__ import annotations

import click

from tongs_agents.cli.reply import Reply
from tongs_agents.cli.verb import App, Verb


@click.command("path", cls=Verb, inside="open", example='$EDITOR "$(tongs-agents config path)"')
@click.pass_obj
def verb(app: App) -> Reply:
    """Print the path of the config file, whether it exists or not."""
    path = str(app.services.places.config)
    return Reply({"ok": True, "path": path}, (path,))


__all__ = ["verb"]
