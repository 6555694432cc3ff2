"""The scenes of the demo, each a step that holds or says what was seen instead."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tongs_agents.demo.stage import Reply, SceneFailed, Stage, process_gone
from tongs_mux.text import sha256


@dataclass
class Play:
    """What the scenes hand to each other: the launch they are about."""

    stage: Stage
    launch: str = ""
    pane: str = ""
    pid: int = 0
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
        data = text.encode("utf-8")
        self.stage.ok("send", self.launch, "-", stdin=text)
        digest = sha256(data)
        self.stage.wait(
            lambda: [x for x in self.stage.journal("submit") if x["sha256"] == digest],
            "the whole prompt in the worker's journal",
        )
        self.proof = self.stage.audited("send")
        if self.proof["sha256"] != digest or self.proof["bytes"] != len(data):
            raise SceneFailed(f"the audit speaks of another text: {self.proof}")


def spawn(play: Play) -> str:
    """start an agent in a pane that claims its launch"""
    reply = play.stage.ok("spawn", "worker")
    play.launch, play.pane = reply.json["launch_id"], reply.json["pane"]["pane_id"]
    if reply.json["state"] != "running":
        raise SceneFailed(f"it is {reply.json['state']}")
    play.proof = play.stage.audited("spawn")
    status = play.stage.ok("agent-status", play.launch, "--why").json
    play.pid = status["pid"]
    return f"launch {play.launch} in pane {play.pane}, {len(status['evidence'])} checks passed"


def prompt(play: Play) -> str:
    """send it a prompt: the same bytes arrive"""
    _composer_ready(play)
    play.submitted("Reply with [[text:hello from the scripted agent]]")
    return f"{play.proof['bytes']} bytes, sha256 {play.proof['sha256'][:12]}… on both sides"


def watch(play: Play) -> str:
    """watch its answer appear"""
    words = "hello from the scripted agent"
    play.stage.wait(lambda: words in play.stage.screen(play.launch), "the answer on the screen")
    play.stage.ok("capture", play.launch)
    play.proof = play.stage.audited("send")
    return f"the screen shows {words!r}"


def status(play: Play) -> str:
    """its hooks say what it is doing; a wait ends with its turn"""
    sent = play.stage.ok("send", play.launch, "[[slow:4:a longer answer]]").json
    if sent["receipt"] != "submitted":
        raise SceneFailed(f"the agent did not say that it took the prompt: {sent}")
    play.proof = play.stage.audited("send")
    busy = play.stage.ok("agent-status", play.launch).json["status"]
    waited = play.stage.ok("wait", play.launch).json
    if (busy, waited["status"]) != ("working", "done"):
        raise SceneFailed(f"it was {busy}, then {waited['status']}")
    return f"submitted, working, and done after {waited['waited_s']:.1f} s"


def second(play: Play) -> str:
    """a second agent beside it: each gets only its own prompt"""
    before = play.stage.typed()
    reply = play.stage.ok("spawn", "lead", "--prompt", "Reply with [[text:I lead]]")
    lead = play.stage.lead_log
    play.stage.wait(lambda: play.stage.journal("turn-end", lead), "the lead's answer")
    launches = play.stage.ok("list").json["launches"]
    states = sorted((x["profile"], x["state"]) for x in launches)
    if states != [("lead", "running"), ("worker", "running")]:
        raise SceneFailed(f"the list says {states}")
    if play.stage.typed() != before:
        raise SceneFailed("the worker got something of it")
    play.proof = play.stage.audited("spawn")
    return f"launch {reply.json['launch_id']} took its prompt as it started; the list verifies both"


def awkward(play: Play) -> str:
    """40 lines with every awkward character arrive as one prompt"""
    text = "\n".join(
        f"-{i} 日本語 👩‍👩‍👧 e\u0301 #{{pane_id}} {{}} 'q' \"q\" $HOME \\ ;" for i in range(40)
    )
    play.submitted(text)
    return f"{play.proof['bytes']} bytes in 40 lines, byte for byte"


def draft(play: Play) -> str:
    """refused: a person's half-typed draft"""
    _composer_ready(play)
    play.stage.hands.keys(play.pane, b"merge PR 10 only af")
    play.stage.wait(lambda: "only af" in play.stage.screen(play.launch), "the person's draft")
    play.refused("draft")
    play.stage.hands.keys(play.pane, b"\x7f" * 19)
    _composer_ready(play)
    return "the draft was left as it was"


def dialog(play: Play) -> str:
    """refused: a permission dialog, where Enter would say yes"""
    play.submitted('[[tool:Bash {"command": "rm -rf build"}]]')
    play.stage.wait(lambda: play.stage.journal("dialog"), "the permission dialog")
    play.stage.ok("wait", play.launch, "--until", "waiting")
    play.refused("dialog")
    if play.stage.journal("approved"):
        raise SceneFailed("the tool call was approved")
    play.stage.hands.keys(play.pane, b"\x1b")
    play.stage.wait(lambda: play.stage.journal("declined"), "the person's no")
    return "the tool call was not approved; the person then said no"


def copy_mode(play: Play) -> str:
    """refused: somebody is reading back in the pane"""
    _composer_ready(play)
    with play.stage.hands.reading(play.pane):
        play.refused("copy-mode")
    return "nothing typed while they read"


def moved(play: Play) -> str:
    """a pane that was moved is still the same pane"""
    moved = play.stage.hands.move(play.pane)
    _composer_ready(play)
    play.submitted("Reply with [[text:still here]]")
    return f"{moved}; verified and prompted there"


def silent_server(play: Play) -> str:
    """refused: a server that does not answer is unknown, never gone"""
    server = play.stage.hands.server_pid()
    os.kill(server, signal.SIGSTOP)
    try:
        play.refused("unknown")
    finally:
        os.kill(server, signal.SIGCONT)
    return "`unknown` within the deadline; nothing was concluded"


def replaced(play: Play) -> str:
    """refused: a stranger in the pane with the same id"""
    agent = play.stage.run("config", "show").json["config"]["profiles"]["stranger"]["command"][0]
    log = play.stage.directory / "stranger.jsonl"
    how = play.stage.hands.replace(play.pane, (agent, "--log", str(log)))
    play.stage.wait(log.exists, "the stranger's start")
    play.refused("replaced")
    if '"event": "bytes"' in log.read_text("utf-8"):
        raise SceneFailed("the stranger was typed into")
    return f"{how}; it got not one byte"


def close(play: Play) -> str:
    """start it again, and end it"""
    reply = play.stage.ok("respawn", play.launch)
    play.launch = reply.json["launch_id"]
    pid = play.stage.ok("agent-status", play.launch).json["pid"]
    play.stage.ok("close", play.launch)
    play.stage.wait(lambda: process_gone(pid), "the end of its process")
    play.proof = play.stage.audited("close")
    return f"a new launch {play.launch}; its pane and process are gone"


def _composer_ready(play: Play) -> None:
    def ready() -> bool:
        return "? for shortcuts" in play.stage.screen(play.launch)

    play.stage.wait(ready, "an idle composer")


SCENES: tuple[Callable[[Play], str], ...] = (
    spawn,
    prompt,
    watch,
    status,
    second,
    awkward,
    draft,
    dialog,
    copy_mode,
    moved,
    silent_server,
    replaced,
    close,
)
"""In the order of the play."""


def scenes_on(stage: Stage) -> tuple[Callable[[Play], str], ...]:
    """Those that its multiplexer has."""
    return tuple(scene for scene in SCENES if scene is not copy_mode or stage.hands.reads)


__all__ = [
    "SCENES",
    "Play",
    "awkward",
    "close",
    "copy_mode",
    "dialog",
    "draft",
    "moved",
    "prompt",
    "replaced",
    "scenes_on",
    "second",
    "silent_server",
    "spawn",
    "status",
    "watch",
]
