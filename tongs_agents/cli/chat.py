"""``chat``: who may talk, and what is said; bare, the chat pane."""

from __future__ import annotations

from tongs_agents.cli.group import VerbGroup

_HERE = "tongs_agents.cli.chat_"

verb = VerbGroup(
    "chat",
    help="Let agents and yourself talk, where you granted it. Without a command: the chat pane.",
    example="tongs-agents chat grant 3f2a\ntongs-agents chat post general 'hello @worker'",
    bare=f"{_HERE}pane",
    verbs={
        "grant": f"{_HERE}grant",
        "revoke": f"{_HERE}revoke",
        "grants": f"{_HERE}grants",
        "post": f"{_HERE}post",
        "read": f"{_HERE}read",
        "channels": f"{_HERE}channels",
        "channel-create": f"{_HERE}channel_create",
        "channel-archive": f"{_HERE}channel_archive",
        "prune": f"{_HERE}prune",
        "purge": f"{_HERE}purge",
    },
)

__all__ = ["verb"]
