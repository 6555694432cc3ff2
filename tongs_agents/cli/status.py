"""``status``: the list and its counts."""

from __future__ import annotations

import click

from tongs_agents.cli.listing import everything, launch_lines, session_lines
from tongs_agents.cli.reply import Reply
from tongs_agents.cli.verb import App, Verb


@click.command("status", cls=Verb, example="tongs-agents status")
@click.pass_obj
def verb(app: App) -> Reply:
    """Show every launch, and count them by status.

    Where the status of a launch is not known, its state is counted instead.
    """
    from tongs_agents.shapes import counts

    launches, sessions, notes, failed = everything(app.services)
    counted = counts(launches)
    document = {"ok": True, "launches": launches, "sessions": sessions, "counts": counted}
    number = len(launches)
    words = f"{number} launch{'' if number == 1 else 'es'}"
    if counted:
        words += ": " + ", ".join(f"{count} {word}" for word, count in counted.items())
    home = str(app.services.home)
    lines = (*launch_lines(launches, home, failed), *session_lines(sessions))
    return Reply(document, (*lines, words), notes)


__all__ = ["verb"]
