"""Registering hooks and the MCP server in the user's own settings, and taking them out again."""
