"""A person's side of chat over the launches of a rig."""

from __future__ import annotations

import json
import os
import time
from typing import Any

from tests.stories.mcp_rig import McpRig
from tests.stories.rig import Agent
from tongs_agents.chat.candidate import candidate
from tongs_agents.chat.desk import Desk
from tongs_agents.services import Services
from tongs_chat.model import Grant, Level


class Person:
    """Grants, posts and reads, in the places of the rig."""

    def __init__(self, mcp: McpRig) -> None:
        self.mcp = mcp
        self.ahead = 0.0
        """So many seconds the person's clock is ahead of the world's."""
        rig = mcp.rig
        self.services = Services(
            {**rig.environ, **mcp.places()},
            home=rig.directory,
            cwd=rig.directory,
            uid=os.getuid(),
            pid=os.getpid(),
            clock=lambda: time.time() + self.ahead,
        )
        self.desk = Desk(self.services)

    def grant(self, agent: Agent, handle: str, level: Level = "chat") -> Grant:
        """Grant chat, the handle as if typed."""
        who = candidate(agent.record, self.services.control.running, lambda: "")
        return self.desk.grant(who, handle, level)

    def mention(self, handle: str, body: str = "look") -> list[str]:
        """Post a mention; what became of each wake."""
        _, woken = self.desk.post("general", f"@{handle} {body}")
        return [each.decision for each in woken]

    def state(self, agent: Agent) -> str:
        """What the agent's grant is worth."""
        return next(
            each.state for each in self.desk.standings() if each.grant.launch_id == agent.id
        )

    def said(self, channel: str = "general") -> list[tuple[str, str]]:
        """Author and body of each message."""
        return [(it.author, it.body) for it in self.desk.newest(channel, limit=50)]

    def audited(self) -> list[dict[str, Any]]:
        """The chat audit's lines."""
        path = self.services.places.chat_audit
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


__all__ = ["Person"]
