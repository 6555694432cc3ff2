"""The scenes of the demo, each a step that holds or says what was seen instead."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from tongs_agents.demo.chatting import granted, mention, revoked
from tongs_agents.demo.leading import closed_profile, lead, prompt, wait, worker
from tongs_agents.demo.play import Play
from tongs_agents.demo.stage import SceneFailed, Stage, process_gone


def watch(play: Play) -> str:
    """watch its answer appear"""
    words = "hello from the scripted agent"
    play.stage.wait(lambda: words in play.stage.screen(play.launch), "the answer on the screen")
    play.stage.ok("capture", play.launch)
    play.proof = play.stage.audited("send")
    return f"the screen shows {words!r}"


def awkward(play: Play) -> str:
    """40 lines with every awkward character arrive as one prompt"""
    text = "\n".join(
        f"-{i} 日本語 👩‍👩‍👧 e\u0301 #{{pane_id}} {{}} 'q' \"q\" $HOME \\ ;" for i in range(40)
    )
    play.submitted(text)
    return f"{play.proof['bytes']} bytes in 40 lines, byte for byte"


def draft(play: Play) -> str:
    """refused: a person's half-typed draft"""
    play.ready(play.launch)
    play.stage.hands.keys(play.pane, b"merge PR 10 only af")
    play.stage.wait(lambda: "only af" in play.stage.screen(play.launch), "the person's draft")
    play.refused("draft")
    play.stage.hands.keys(play.pane, b"\x7f" * 19)
    play.ready(play.launch)
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
    play.ready(play.launch)
    with play.stage.hands.reading(play.pane):
        play.refused("copy-mode")
    return "nothing typed while they read"


def moved(play: Play) -> str:
    """a pane that was moved is still the same pane"""
    moved = play.stage.hands.move(play.pane)
    play.ready(play.launch)
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


SCENES: tuple[Callable[[Play], str], ...] = (
    lead,
    worker,
    prompt,
    watch,
    wait,
    closed_profile,
    awkward,
    draft,
    dialog,
    copy_mode,
    moved,
    granted,
    mention,
    revoked,
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
    "awkward",
    "close",
    "copy_mode",
    "dialog",
    "draft",
    "moved",
    "replaced",
    "scenes_on",
    "silent_server",
    "watch",
]
