"""Scenes of Pi's composer: idle, drafts, busy, modes."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from validation.pi_acting import FORTY, LONG, NINE, SLEEP, WORDS, command, say, settle, start, taken

if TYPE_CHECKING:
    from validation.screens import Camera


def idle(camera: Camera) -> None:
    """Fresh, named; after a turn that shows a dialog's words and rules."""
    camera.take("idle", start(camera))
    camera.take("idle-named", start(camera, "--name", "a rather long name for a session"))
    pane = start(camera)
    rules = "─" * camera.size[0]
    say(camera, pane, f"[[text:{WORDS}\n\n→ Yes\n\n> quoted\n\n---\n\n{rules}\n\ndone]]")
    taken(camera, "words-in-output", pane, "done")


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
        ("draft-blank-first", "\n\ntwo"),
        ("draft-dialog-words", "Allow it?\n→ Yes\n> No\nenter select  escape/ctrl+c cancel"),
        ("draft-rules", f"one\n{'─' * (camera.size[0] + 5)}\nthree"),
        ("draft-wrapped", LONG[:150]),
        ("draft-clipped", LONG[:990]),
        ("draft-nine-lines", NINE),
        ("draft-forty-lines", FORTY),
        ("draft-pasted", LONG),
        ("draft-shell", "!ls"),
        ("draft-wide", "漢字 e\u0301 \U0001f468\u200d\U0001f469 x"),
    ):
        pane = start(camera)
        camera.terminal.paste(pane, text)
        settle()
        camera.take(name, pane)
    pane = start(camera)
    camera.terminal.type(pane, "/mod")
    settle()
    camera.take("draft-menu", pane)
    pane = start(camera)
    for number in range(30):
        camera.terminal.type(pane, f"typed {number}")
        camera.terminal.press(pane, "C-j")
    camera.terminal.press(pane, *["Up"] * 12)
    settle()
    camera.take("draft-clipped-both", pane)


def busy(camera: Camera) -> None:
    """Streaming, steered, with a draft, escaped; failed."""
    pane = start(camera)
    say(camera, pane, "[[slow:20:word by word by word]]")
    taken(camera, "streaming", pane, "wor")
    say(camera, pane, "and this later")
    taken(camera, "steered", pane, "Steering")
    camera.terminal.type(pane, "and a draft")
    settle()
    camera.take("streaming-draft", pane)
    camera.terminal.press(pane, "C-u")
    settle()
    camera.terminal.type(pane, "\n".join(f"draft {number}" for number in range(30)))
    settle()
    camera.take("streaming-clipped", pane)
    pane = start(camera)
    say(camera, pane, "[[slow:20:word by word by word]]")
    camera.terminal.shows(pane, "wor")
    settle()
    camera.terminal.press(pane, "Escape")
    taken(camera, "escaped", pane, "aborted")
    pane = start(camera)
    say(camera, pane, "[[error:529]]")
    time.sleep(1)
    camera.take("failed", pane)


def tools(camera: Camera) -> None:
    """In a tool, escaped there; a command of the user's own; another program in front."""
    pane = start(camera)
    say(camera, pane, SLEEP)
    taken(camera, "in-tool", pane, "tail -f")
    camera.terminal.press(pane, "Escape")
    time.sleep(1.5)
    camera.take("in-tool-escaped", pane)
    pane = start(camera)
    camera.terminal.type(pane, "!timeout 30 tail -f /dev/null")
    settle()
    camera.terminal.press(pane, "Enter")
    taken(camera, "own-command", pane, "$ timeout")
    camera.terminal.press(pane, "Escape")
    time.sleep(1)
    camera.take("own-command-ended", pane)
    pane = camera.open(environ=("EDITOR=timeout 30 tail -f /dev/null",))
    camera.terminal.shows(pane, "k (auto)")
    time.sleep(1.5)
    camera.terminal.press(pane, "C-g")
    time.sleep(1)
    camera.take("editor", pane)


def modes(camera: Camera) -> None:
    """The user's own settings: a padded composer, the terminal's cursor."""
    file = camera.terminal.world.home / ".pi" / "agent" / "settings.json"
    before = file.read_text(encoding="utf-8")
    more = {**json.loads(before), "editorPaddingX": 2, "showHardwareCursor": True}
    try:
        file.write_text(json.dumps(more), encoding="utf-8")
        pane = start(camera)
        camera.take("padded", pane)
        camera.terminal.type(pane, "merge PR 10 only af")
        settle()
        camera.take("padded-draft", pane)
        camera.terminal.press(pane, "C-u")
        command(camera, pane, "/settings")
        camera.take("padded-settings", pane)
    finally:
        file.write_text(before, encoding="utf-8")


__all__ = ["busy", "drafts", "idle", "modes", "tools"]
