"""The registered command: how a harness starts the MCP server."""

from __future__ import annotations

from pathlib import Path

from tongs_agents.hooks.command import Source

MODULE = "tongs_agents.mcp_server"


def mcp_command(source: Source, *, python: Path) -> tuple[str, ...]:
    """The command line, with an absolute interpreter. Pure; nothing in it is of one launch.

    A verb of the command line would cost the start of that, too, for every agent.
    """
    return (str(python), "-I", "-m", MODULE, "--from", source)


__all__ = ["MODULE", "mcp_command"]
