"""``respawn``: starts the profile of an ended launch again."""

from __future__ import annotations

import click

from tongs_agents.cli.reply import Reply
from tongs_agents.cli.spawned import spawned_reply
from tongs_agents.cli.target import resolve
from tongs_agents.cli.verb import App, Verb


@click.command("respawn", cls=Verb, example="tongs-agents respawn 3f2a")
@click.argument("launch")
@click.pass_obj
def verb(app: App, launch: str) -> Reply:
    """Start the profile of LAUNCH again.

    It becomes a new launch; one that is still alive is refused.
    """
    from tongs_mux.acts import Actor

    record = resolve(app.services, launch)
    spawned = app.services.starter.respawn(record, Actor("cli"))
    return spawned_reply(spawned, respawned_from=record.launch_id)


__all__ = ["verb"]
