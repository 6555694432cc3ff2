"""``focus``: brings a launch's pane to the front."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tongs_agents.cli.reply import Reply
from tongs_agents.cli.target import name_of, resolve
from tongs_agents.cli.verb import App, Verb

if TYPE_CHECKING:
    from tongs_mux.evidence import Seen


@click.command("focus", cls=Verb, example="tongs-agents focus 3f2a")
@click.argument("launch")
@click.pass_obj
def verb(app: App, launch: str) -> Reply:
    """Bring the pane of LAUNCH to the front.

    Only the client that was used last moves. Where none is attached, it says how
    to attach one.
    """
    from tongs_mux.acts import Actor

    record = resolve(app.services, launch)
    control = app.services.acting()
    client = control.focus(record, Actor("cli"))
    notes = () if client else (_unseen(control.verify(record)),)
    words = f"focused {name_of(record)}" + (f" on client {client}" if client else "")
    return Reply({"ok": True, "launch_id": record.launch_id}, (words,), notes)


def _unseen(seen: Seen) -> str:
    """No client shows it: how to get to see it, in the session that it is in by now."""
    from tongs_agents.shapes import pane_of
    from tongs_agents.viewing import attach_command

    pane = pane_of(seen)
    how = f"; see it with `{attach_command(pane)}`" if pane is not None else ""
    return f"no client is attached: it is in front for the next one{how}"


__all__ = ["verb"]
