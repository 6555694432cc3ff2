"""``close``: ends a launch and removes its pane."""

from __future__ import annotations

import click

from tongs_agents.cli.reply import Reply
from tongs_agents.cli.target import name_of, resolve
from tongs_agents.cli.verb import App, Verb


@click.command("close", cls=Verb, example="tongs-agents close 3f2a")
@click.argument("launch")
@click.pass_obj
def verb(app: App, launch: str) -> Reply:
    """End the program of LAUNCH and remove its pane.

    No other pane is touched. The pane of a program that has ended is removed too.
    """
    from tongs_mux.acts import Actor

    record = resolve(app.services, launch)
    notice = app.services.acting().close(record, Actor("cli"))
    document = {"ok": True, "launch_id": record.launch_id}
    return Reply(document, (f"closed {name_of(record)}",), (f"note: {notice}",) if notice else ())


__all__ = ["verb"]
