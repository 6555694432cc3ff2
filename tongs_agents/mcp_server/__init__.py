"""The MCP server: the product's tools for agents, on standard input and output."""
