"""``config check``: says what is wrong with the config, and does nothing else."""

from __future__ import annotations

import click

from tongs_agents.cli.checked import checked
from tongs_agents.cli.reply import Reply
from tongs_agents.cli.verb import App, Verb


@click.command("check", cls=Verb, inside="open", example="tongs-agents config check")
@click.pass_obj
def verb(app: App) -> Reply:
    """Check the config: each fault with its line, and what is allowed there.

    Exit code 1 on a fault, 0 with warnings.
    """
    from tongs_agents.doctor.settings import checks, programs_of

    services = app.services
    programs = programs_of(services.environ.get("PATH"))
    return checked(checks(services.places.config, lambda: services.config, programs), "the config")


__all__ = ["verb"]
