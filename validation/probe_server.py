"""The smallest MCP server there is: one tool, that a harness asks its user about."""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer

server = MCPServer("probe")


@server.tool()
def ping() -> str:
    """Answer."""
    return "pong"


if __name__ == "__main__":
    server.run()


__all__ = ["ping", "server"]
