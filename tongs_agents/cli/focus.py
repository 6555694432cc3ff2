"""``focus``: brings a launch's pane to the front."""

from __future__ import annotations

import click

from tongs_agents.cli.reply import Reply
from tongs_agents.cli.target import name_of, resolve
from tongs_agents.cli.verb import App, Verb


@click.command("focus", cls=Verb, example="tongs-agents focus 3f2a")
@click.argument("launch")
@click.pass_obj
def verb(app: App, launch: str) -> Reply:
    """Bring the pane of LAUNCH to the front.

    Only the client that was used last moves.
    """
    from tongs_mux.acts import Actor

    record = resolve(app.services, launch)
    client = app.services.acting().focus(record, Actor("cli"))
    notes = () if client else ("no client is attached: it is in front for the next one",)
    words = f"focused {name_of(record)}" + (f" on {client}" if client else "")
    return Reply({"ok": True, "launch_id": record.launch_id}, (words,), notes)


__all__ = ["verb"]
