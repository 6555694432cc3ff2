"""What the scenes hand to each other, and what several of them do."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tongs_agents.demo.stage import Reply, SceneFailed, Stage
from tongs_mux.text import sha256


@dataclass
class Play:
    """The two launches of the play: the worker, whom most scenes are about, and its lead."""

    stage: Stage
    launch: str = ""
    pane: str = ""
    lead: str = ""
    lead_pane: str = ""
    proof: dict[str, Any] = field(default_factory=dict)

    def refused(self, reason: str, *, within: float | None = None) -> Reply:
        """A send that must be refused for ``reason`` without one byte typed."""
        before = self.stage.typed()
        reply = self.stage.run("send", self.launch, "this must never arrive")
        if reply.code != 5 or reply.json.get("reason") != reason:
            raise SceneFailed(f"expected exit 5 with reason {reason}, got {reply.json}")
        if self.stage.typed() != before:
            raise SceneFailed(f"refused with {reason}, and still something was typed")
        self.proof = self.stage.audited("send")
        return reply

    def submitted(self, text: str) -> None:
        """Send ``text`` and find it, byte for byte, in the worker's journal."""
        self.stage.ok("send", self.launch, "-", stdin=text)
        self.arrived(text)

    def arrived(self, text: str) -> None:
        """The worker's journal has ``text`` as a prompt, byte for byte, and so has the audit."""
        data = text.encode("utf-8")
        digest = sha256(data)
        self.stage.wait(
            lambda: [x for x in self.stage.journal("submit") if x["sha256"] == digest],
            "the whole prompt in the worker's journal",
        )
        self.proof = self.stage.audited("send")
        if self.proof["sha256"] != digest or self.proof["bytes"] != len(data):
            raise SceneFailed(f"the audit speaks of another text: {self.proof}")

    def ready(self, launch: str) -> None:
        """The launch's composer is empty and idle."""

        def idle() -> bool:
            return "? for shortcuts" in self.stage.screen(launch)

        self.stage.wait(idle, "an idle composer")

    def calls(
        self, who: str, tool: str, arguments: dict[str, Any], *, force: bool = False
    ) -> dict[str, Any]:
        """Tell the lead or the worker to use a tool that needs no question; what it answered.

        ``force``: also where its server does not list it.
        """
        stage = self.stage
        launch, log = (self.lead, stage.lead_log) if who == "lead" else (self.launch, stage.log)
        answered = len(stage.journal("tool-result", log))
        self.ready(launch)
        words = json.dumps(arguments)
        stage.say(f"    the {who} calls {tool} {words}")
        directive = "force" if force else "tool"
        prompt = f"[[{directive}:mcp__tongs-agents__{tool} {words}]]"
        sent = stage.quietly("send", launch, "-", stdin=prompt)
        if sent.code != 0:
            raise SceneFailed(f"the {who} could not be told: {sent.json}")
        stage.wait(
            lambda: len(stage.journal("tool-result", log)) > answered, f"an answer of {tool}"
        )
        result: dict[str, Any] = stage.journal("tool-result", log)[answered]["content"]
        return result

    def leads(
        self, tool: str, arguments: dict[str, Any], *, approve: bool = True
    ) -> dict[str, Any]:
        """Tell the lead to use a tool of ours, say yes where it asks; returns what it answered.

        ``{{name}}`` in an argument is what a tool of the lead's answered before.
        """
        stage, log = self.stage, self.stage.lead_log
        asked, answered = len(stage.journal("dialog", log)), len(stage.journal("tool-result", log))
        self.ready(self.lead)
        words = json.dumps(arguments)
        stage.say(f"    the lead calls {tool} {words}")
        prompt = f"[[tool:mcp__tongs-agents__{tool} {words}]]"
        sent = stage.quietly("send", self.lead, "-", stdin=prompt)
        if sent.code != 0:
            raise SceneFailed(f"the lead could not be told: {sent.json}")
        if approve:
            stage.wait(lambda: len(stage.journal("dialog", log)) > asked, "the lead's question")
            stage.say("    its person is asked, and says yes")
            stage.hands.keys(self.lead_pane, b"\r")
        stage.wait(
            lambda: len(stage.journal("tool-result", log)) > answered, f"an answer of {tool}"
        )
        result: dict[str, Any] = stage.journal("tool-result", log)[answered]["content"]
        self.proof = stage.audited(tool.removeprefix("agents_"))
        if self.proof["actor"] != f"mcp:{self.lead}":
            raise SceneFailed(f"the audit does not name the lead: {self.proof}")
        return result


__all__ = ["Play"]
