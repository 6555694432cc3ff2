"""``mcp``: the MCP server on standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tongs_agents.cli.verb import App, Verb

if TYPE_CHECKING:
    from tongs_agents.hooks.command import Source


@click.command(
    "mcp",
    cls=Verb,
    inside="open",
    json=False,
    example="claude mcp add tongs-agents -- tongs-agents mcp",
)
@click.option(
    "--from",
    "source",
    type=click.Choice(["installed", "attached"]),
    default="installed",
    show_default=True,
    help="Who registered it: a launch that was given a server of its own needs no other.",
)
@click.pass_obj
def verb(app: App, source: Source) -> int:
    """Serve the tools of this product to one agent, on standard input and output.

    Harnesses start it; a person has no use for it. It ends with its client.
    """
    from tongs_agents.mcp_server.main import run

    return run(source)


__all__ = ["verb"]
