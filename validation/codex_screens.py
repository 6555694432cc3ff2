"""Scenes of Codex's composer: idle, drafts, busy, modes."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from validation.codex_acting import (
    FORTY,
    LONG,
    PARAGRAPHS,
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
    """Fresh; after a turn that shows a dialog's words; with the shortcuts open."""
    pane = start(camera)
    camera.take("idle", pane)
    say(camera, pane, f"[[text:{WORDS}\n\n› 1. Yes\n\nesc to cancel]]")
    taken(camera, "words-in-output", pane, "Worked for")
    camera.terminal.press(pane, "?")
    settle()
    camera.take("shortcuts", pane)


def drafts(camera: Camera) -> None:
    """A person's half-written text, of every size, and commands."""
    pane = start(camera)
    camera.terminal.type(pane, "merge PR 10 only af")
    settle()
    camera.take("draft", pane)
    camera.terminal.press(pane, "Home")
    settle()
    camera.take("draft-cursor-home", pane)
    for name, text in (
        ("draft-three-lines", "one\ntwo\nthree"),
        ("draft-paragraphs", PARAGRAPHS),
        ("draft-wrapped", LONG[:150]),
        ("draft-long", LONG[:800]),
        ("draft-forty-lines", FORTY),
        ("draft-pasted", LONG),
        ("draft-dialog-words", "1. Yes\n2. No\n\nPress enter to confirm or esc to cancel"),
        ("draft-shell", "!ls"),
        ("draft-command", "/mod"),
    ):
        pane = start(camera)
        camera.terminal.paste(pane, text)
        settle()
        camera.take(name, pane)
    pane = start(camera)
    camera.terminal.paste(pane, PARAGRAPHS)
    camera.terminal.press(pane, "Up", "Up", "Up")
    settle()
    camera.take("draft-cursor-middle", pane)
    pane = start(camera)
    camera.terminal.paste(pane, FORTY)
    camera.terminal.press(pane, *["Up"] * 25)
    settle()
    camera.take("draft-clipped-both", pane)
    pane = start(camera)
    for _ in range(2):
        camera.terminal.paste(pane, LONG)
        settle()
    camera.take("draft-pasted-twice", pane)


def busy(camera: Camera) -> None:
    """Streaming, with a draft, queued, escaped."""
    pane = start(camera)
    say(camera, pane, "[[slow:20:word by word by word]]")
    taken(camera, "streaming", pane, "• word")
    camera.terminal.type(pane, "and a draft")
    settle()
    camera.take("streaming-draft", pane)
    camera.terminal.press(pane, "Tab")
    settle()
    camera.take("queued", pane)
    pane = start(camera)
    say(camera, pane, "[[slow:20:word by word by word]]")
    camera.terminal.shows(pane, "• word")
    camera.terminal.press(pane, "Escape")
    taken(camera, "escaped", pane, "interrupted")
    pane = start(camera)
    say(camera, pane, "[[error:400]]")
    taken(camera, "failed", pane, "scripted error")


def tools(camera: Camera) -> None:
    """In a tool, with a message behind it, escaped there."""
    pane = start(camera)
    say(camera, pane, SLEEP)
    camera.terminal.shows(pane, "Working")
    time.sleep(1)
    camera.take("in-tool", pane)
    say(camera, pane, "and this later")
    taken(camera, "steering", pane, "and this")
    camera.terminal.press(pane, "Escape")
    time.sleep(1.5)
    camera.take("in-tool-escaped", pane)


def modes(camera: Camera) -> None:
    """Vim's modes, plan mode, shell mode with nothing in it."""
    vim = ("-c", "tui.vim_mode_default=true")
    pane = start(camera, *vim)
    camera.take("vim-insert", pane)
    camera.terminal.press(pane, "Escape")
    settle()
    camera.take("vim-normal", pane)
    pane = start(camera, *vim)
    camera.terminal.press(pane, "i")
    camera.terminal.type(pane, "merge PR 10")
    camera.terminal.press(pane, "Escape")
    settle()
    camera.take("vim-normal-draft", pane)
    pane = start(camera)
    camera.terminal.press(pane, "BTab")
    settle()
    camera.take("plan-mode", pane)
    pane = start(camera)
    camera.terminal.type(pane, "!")
    settle()
    camera.take("shell-mode", pane)


__all__ = ["busy", "drafts", "idle", "modes", "tools"]
