"""Scenes of Claude Code's composer: idle, drafts, busy, and who its text would go to."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from validation.claude_acting import (
    AGENT,
    FORTY,
    LONG,
    SHELL,
    SLEEP,
    WORDS,
    say,
    settle,
    start,
    taken,
)

if TYPE_CHECKING:
    from validation.screens import Camera


def idle(camera: Camera) -> None:
    """Fresh, fresh with a suggestion, named; after a turn that shows a dialog's words."""
    camera.take("idle", start(camera))
    suggesting = ("CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION=1",)
    pane = start(camera, "--name", "a rather long name for a session", environ=suggesting)
    camera.take("suggestion-named", pane)
    pane = start(camera, environ=suggesting)
    camera.take("suggestion", pane)
    say(camera, pane, f"[[text:{WORDS}\n\n❯ 1. Yes\n\nEsc to cancel]]")
    taken(camera, "words-in-output", pane, "done")
    camera.terminal.press(pane, "?")
    settle()
    camera.take("shortcuts", pane)


def drafts(camera: Camera) -> None:
    """A person's half-written text, short, of three lines, wrapped, clipped, and commands."""
    pane = start(camera)
    camera.terminal.type(pane, "merge PR 10 only af")
    settle()
    camera.take("draft", pane)
    camera.terminal.press(pane, "Home")
    settle()
    camera.take("draft-cursor-home", pane)
    for name, text in (
        ("draft-three-lines", "one\ntwo\nthree"),
        ("draft-wrapped", LONG[:150]),
        ("draft-clipped", LONG[:800]),
        ("draft-forty-lines", FORTY),
        ("draft-long", LONG),
        ("draft-shell", "!ls"),
        ("draft-command", "/help"),
    ):
        pane = start(camera)
        camera.terminal.paste(pane, text)
        settle()
        camera.take(name, pane)
    camera.terminal.press(pane, "C-u")
    for number in range(30):
        camera.terminal.type(pane, f"typed {number}")
        camera.terminal.press(pane, "C-j")
    camera.terminal.press(pane, *["Up"] * 12)
    settle()
    camera.take("draft-clipped-both", pane)


def busy(camera: Camera) -> None:
    """Streaming, queued, with a draft, escaped."""
    pane = start(camera)
    say(camera, pane, "[[slow:20:word by word by word]]")
    taken(camera, "streaming", pane, "…")
    say(camera, pane, "and this later")
    taken(camera, "queued", pane, "Press up")
    camera.terminal.type(pane, "and a draft")
    settle()
    camera.take("streaming-draft", pane)
    pane = start(camera)
    say(camera, pane, "[[slow:20:word by word by word]]")
    camera.terminal.shows(pane, "…")
    settle()
    camera.terminal.press(pane, "Escape")
    time.sleep(1.5)
    camera.take("escaped", pane)


def tools(camera: Camera) -> None:
    """In a tool, escaped there; a shell in the background, chosen in the line below."""
    pane = start(camera, "--allowedTools", "Bash")
    say(camera, pane, SLEEP)
    camera.terminal.shows(pane, "…")
    time.sleep(1)
    camera.take("in-tool", pane)
    camera.terminal.press(pane, "Escape")
    time.sleep(1.5)
    camera.take("in-tool-escaped", pane)
    pane = start(camera, "--allowedTools", "Bash")
    say(camera, pane, SHELL)
    camera.terminal.shows(pane, "done")
    camera.terminal.press(pane, "Down")
    settle()
    camera.take("shell-selected", pane)


def subagents(camera: Camera) -> None:
    """While a subagent works: chosen, viewed, and the composer whose text would go to it."""
    pane = start(camera)
    say(camera, pane, AGENT)
    camera.terminal.shows(pane, "an agent looks")
    time.sleep(1)
    camera.take("subagent", pane)
    camera.terminal.press(pane, "Down")
    settle()
    camera.take("subagent-selected", pane)
    camera.terminal.press(pane, "Down")
    settle()
    camera.terminal.press(pane, "Enter")
    settle()
    camera.take("subagent-viewed", pane)
    camera.terminal.press(pane, "Escape")
    settle()
    camera.take("subagent-composer", pane)


__all__ = ["busy", "drafts", "idle", "subagents", "tools"]
