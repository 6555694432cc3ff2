"""``uninstall``: takes out what ``install`` registered."""

from __future__ import annotations

import click

from tongs_agents.cli.registering import agent_option, dry_run_option, register
from tongs_agents.cli.reply import Reply
from tongs_agents.cli.verb import App, Verb


@click.command("uninstall", cls=Verb, example="tongs-agents uninstall --agent claude")
@agent_option
@dry_run_option
@click.pass_obj
def verb(app: App, agent: str, dry_run: bool) -> Reply:
    """Take hooks and the MCP server out of your coding agents' settings again.

    A file that nobody changed since comes back byte for byte; from one that
    was changed only what is ours is cut out.
    """
    return register(app.services, agent, "uninstall", dry_run=dry_run)


__all__ = ["verb"]
