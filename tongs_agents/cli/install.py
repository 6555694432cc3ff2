"""``install``: registers hooks and the MCP server in the user's own settings."""

from __future__ import annotations

import click

from tongs_agents.cli.registering import agent_option, dry_run_option, register
from tongs_agents.cli.reply import Reply
from tongs_agents.cli.verb import App, Verb


@click.command("install", cls=Verb, example="tongs-agents install --dry-run")
@agent_option
@dry_run_option
@click.pass_obj
def verb(app: App, agent: str, dry_run: bool) -> Reply:
    """Register hooks and the MCP server with your coding agents, and show the diff.

    The rest of each file keeps every byte, comments too; `uninstall` gives the
    file back as it was. A launch needs none of it: `attach = "auto"` hands the
    same to a launch whose harness has no registration. Run it again after the
    environment moved.
    """
    return register(app.services, agent, "install", dry_run=dry_run)


__all__ = ["verb"]
