"""Chat over a real harness: tools come with the grant and go with it, hooks tell of mentions."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from typing import Any

from validation.cell import Cell
from validation.stage import CLI, Launch, Stage
from validation.terminal import wait_for
from validation.troubles import NotHeld

_ENV = {"ENABLE_TOOL_SEARCH": "false"}
"""So that the model server is offered the tools at once, and need not search for them."""

_INBOX = "[[tool:mcp__tongs-agents__chat_inbox {}]]"
_NOTICE = "Chat text comes from other sessions"


def run(stage: Stage) -> None:
    stage.configure("--allowedTools", "Bash", env=dict(_ENV))
    launch = stage.spawn_ready()
    _turn(stage, launch, "[[text:before any grant]]")
    request = stage.all_asked_with("before any grant")[-1]
    stage.show("without a grant its model is offered no chat tool", not request.holds("chat_inbox"))
    _grant(stage, launch)
    state = _granted(stage)
    stage.show("right after the grant its tools are pending, or listed already",
               state in ("tools-pending", "active"), state)  # fmt: skip
    wait_for(lambda: _granted(stage) == "active" or None, "its client to list the tools", 60)
    stage.show("its client listed them in the running session", True)
    _turn(stage, launch, f"{_INBOX}[[text:looked]]")
    stage.show(
        "chat_inbox was called without a question, and its model read the notice",
        any(it.holds('\\"handle\\"') or it.holds('"handle"') for it in _noticed(stage)),
    )
    _told_by_prompt(stage, launch)
    _told_by_tool(stage, launch)
    _revoked(stage, launch)


def _turn(stage: Stage, launch: Launch, script: str) -> None:
    """One whole turn."""
    stage.until(launch, lambda reading: reading.composer == "empty", "an empty composer")
    stage.send(launch, script)
    stage.wait(launch, "--timeout", "60")


def _noticed(stage: Stage) -> list[Any]:
    return stage.all_asked_with(_NOTICE)


def _granted(stage: Stage) -> str:
    found = stage.tongs("chat", "grants")["grants"] or [{"state": "none"}]
    return str(found[0]["state"])


def _told_by_prompt(stage: Stage, launch: Launch) -> None:
    stage.tongs("chat", "post", "general", "@agent nonce-of-the-prompt")
    _turn(stage, launch, "[[text:prompted]]")
    stage.show(
        "the next prompt's request carries the mention, framed as data",
        any(it.holds("nonce-of-the-prompt") and it.holds(_NOTICE) for it in _noticed(stage)),
    )
    _turn(stage, launch, '[[tool:mcp__tongs-agents__chat_read {"channel":"general",'
                         '"mark_read":true}]][[text:read]]')  # fmt: skip
    before = len(stage.all_asked_with("1 unread mention"))
    _turn(stage, launch, "[[text:nothing is new]]")
    last = stage.all_asked_with("nothing is new")[-1]
    again = len(stage.all_asked_with("1 unread mention")) > before
    tail = str(last.body)[-4000:]
    stage.show("once it was read, no prompt tells of it again",
               not again or "unread mention" not in tail, tail)  # fmt: skip


def _told_by_tool(stage: Stage, launch: Launch) -> None:
    """A mention in the middle of a turn: the notice reaches the next request, not its words."""
    stage.until(launch, lambda reading: reading.composer == "empty", "an empty composer")
    script = (
        '[[tool:Bash {"command": "touch begun; while [ ! -e go ]; do timeout 0.1 tail -f '
        '/dev/null; done", "description": "Wait"}]]'
        '[[tool:Bash {"command": "true", "description": "Nothing"}]][[text:through]]'
    )
    stage.send(launch, script)
    wait_for(lambda: (stage.world.project / "begun").exists() or None, "its first tool", 30)
    stage.tongs("chat", "post", "general", "@agent nonce-of-the-tool")
    (stage.world.project / "go").touch()
    stage.wait(launch, "--timeout", "60")
    told = stage.all_asked_with("A new chat mention has arrived")
    stage.show("a mention in mid-turn is told at the next tool call", bool(told))
    stage.show("without a word of it", not told[-1].holds("nonce-of-the-tool"))


def _revoked(stage: Stage, launch: Launch) -> None:
    stage.tongs("chat", "revoke", "@agent")
    _turn(stage, launch, "[[tool!:mcp__tongs-agents__chat_inbox {}]][[text:after]]")
    wait_for(lambda: stage.all_asked_with("[[text:after]]") or None, "its next request", 30)

    def gone() -> bool | None:
        _turn(stage, launch, "[[text:and now]]")
        last = stage.all_asked_with("and now")[-1]
        return not last.holds('"mcp__tongs-agents__chat_inbox"') or None

    wait_for(gone, "its model to be offered no chat tool any more", 60)
    stage.show("after the revoke its model is offered them no more", True)


def _grant(stage: Stage, launch: Launch) -> None:
    """The person types the handle, on a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", CLI, "chat", "grant", launch.launch_id, "--as", "agent"],
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.PIPE,
        env=stage.environ(),
        cwd=stage.world.project,
    )
    os.close(theirs)
    seen, until = b"", time.monotonic() + 30
    while b"to grant it:" not in seen:
        if time.monotonic() > until or not select.select([ours], [], [], 30)[0]:
            raise NotHeld(f"it did not ask for the handle: {seen[-300:]!r}")
        seen += os.read(ours, 4096)
    os.write(ours, b"agent\n")
    process.communicate(timeout=30)
    os.close(ours)
    stage.show("granted by the handle, typed on a terminal", process.returncode == 0, seen)


CELL = Cell(
    "chat",
    "granted while it runs: tools listed, mentions told at prompt and tool, gone by a revoke",
    ("2.11", "2.14", "3.9", "3.10", "4.3", "X1"),
    run,
    harnesses=("claude",),
)
