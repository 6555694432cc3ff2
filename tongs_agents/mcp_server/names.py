"""What the MCP server and its tools are called, and which of them are approved beforehand."""

from __future__ import annotations

SERVER_NAME = "tongs-agents"
"""The name under which every harness knows the server; both registrations use it (A72)."""

FLEET = (
    "fleet_status",
    "fleet_session",
    "fleet_sessions_needing_attention",
    "fleet_focus",
    "fleet_cleanup",
)
"""Always there (7.1)."""

AGENTS = ("agents_spawn", "agents_send", "agents_status", "agents_wait")
"""There with ``[control] mcp_enabled`` (6.1)."""

CHAT = ("chat_inbox", "chat_read", "chat_post")
"""There while the server's own launch is granted, as are ``PEERS`` (A12)."""

PEERS = ("list_peer_chats", "send_chat_message", "wait_for_chat_message")

PREAPPROVED = (
    "fleet_status",
    "fleet_session",
    "fleet_sessions_needing_attention",
    "agents_status",
    "agents_wait",
    "chat_inbox",
    "chat_read",
    "chat_post",
    "list_peer_chats",
    "send_chat_message",
    "wait_for_chat_message",
)
"""What a registration lets run without a question: tools that act on nothing, and the two
that post, which without a grant do not exist."""


def model_name(tool: str) -> str:
    """What a model calls ``tool``, in Claude Code's way, which others follow."""
    return f"mcp__{SERVER_NAME}__{tool}"


__all__ = ["AGENTS", "CHAT", "FLEET", "PEERS", "PREAPPROVED", "SERVER_NAME", "model_name"]
