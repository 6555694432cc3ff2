"""``doctor``: what of the set-up is well, and what to do about the rest."""

from __future__ import annotations

import click

from tongs_agents.cli.checked import checked
from tongs_agents.cli.reply import Reply
from tongs_agents.cli.verb import App, Verb


@click.command("doctor", cls=Verb, inside="open", example="tongs-agents doctor")
@click.pass_obj
def verb(app: App) -> Reply:
    """Check versions, config, places, and what is registered with your coding agents.

    Changes nothing. Exit code 1 on a fault, 0 with warnings.
    """
    from tongs_agents.cli.registering import machine
    from tongs_agents.doctor.examine import examine

    return checked(examine(app.services, machine(app.services)), "the set-up")


__all__ = ["verb"]
