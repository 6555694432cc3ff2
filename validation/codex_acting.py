"""How Codex is brought into a state: what it is asked, and by whose hand."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from validation import codex

if TYPE_CHECKING:
    from validation.screens import Camera

SETTLE = 0.7
"""A screen is taken this long after its mark appeared: hints come and go until then."""

FORTY = "\n".join(f"line {number} of the text" for number in range(1, 41))
PARAGRAPHS = "one\n\ntwo\n\n  three\n\nfour"
LONG = ("word " * 300)[:1250]
WORDS = "Would you like to run the following command? › 1. Yes Press enter to confirm or esc"
SLEEP = f"{codex.shell('timeout 30 tail -f /dev/null')}[[text:slept]]"
TOUCH = f"{codex.shell('touch made', asks=True)}[[text:made]]"


def settle() -> None:
    """Wait until hints have come and gone."""
    time.sleep(SETTLE)


def start(camera: Camera, *options: str) -> str:
    """Codex in a pane, its composer drawn, and what it shows a moment later."""
    pane = camera.open(*options)
    camera.terminal.shows(pane, codex.READY, "Ask Codex")
    time.sleep(2)
    return pane


def say(camera: Camera, pane: str, text: str) -> None:
    """Paste a prompt and press Enter."""
    camera.terminal.paste(pane, text)
    time.sleep(0.3)
    camera.terminal.press(pane, "Enter")


def taken(camera: Camera, state: str, pane: str, *marks: str) -> None:
    """Take ``state`` once the screen shows all ``marks``."""
    camera.terminal.shows(pane, *marks)
    settle()
    camera.take(state, pane)


__all__ = [
    "FORTY",
    "LONG",
    "PARAGRAPHS",
    "SETTLE",
    "SLEEP",
    "TOUCH",
    "WORDS",
    "say",
    "settle",
    "start",
    "taken",
]
