"""How Pi is brought into a state: what it is asked, and by whose hand."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from validation import pi

if TYPE_CHECKING:
    from validation.screens import Camera

SETTLE = 0.6
"""A screen is taken this long after its mark appeared."""

FORTY = "\n".join(f"line {number} of the text" for number in range(1, 41))
NINE = "\n".join(f"line {number} of the text" for number in range(1, 10))
LONG = ("word " * 300)[:1250]
WORDS = "Allow it? → Yes No ↑↓ navigate  enter select  escape/ctrl+c cancel"
SLEEP = f"{pi.shell('timeout 30 tail -f /dev/null')}[[text:slept]]"
TOUCH = f"{pi.shell('touch made', asks=True)}[[text:made]]"


def settle() -> None:
    """Wait until what comes and goes has gone."""
    time.sleep(SETTLE)


def start(camera: Camera, *options: str) -> str:
    """Pi in a pane, its composer drawn, and ready."""
    pane = camera.open(*options)
    camera.terminal.shows(pane, "k (auto)")
    time.sleep(1.5)
    return pane


def say(camera: Camera, pane: str, text: str) -> None:
    """Paste a prompt and press Enter."""
    camera.terminal.paste(pane, text)
    time.sleep(0.3)
    camera.terminal.press(pane, "Enter")


def command(camera: Camera, pane: str, text: str) -> None:
    """Type a command, leave its menu, and press Enter."""
    camera.terminal.type(pane, text)
    time.sleep(0.4)
    camera.terminal.press(pane, "Escape")
    time.sleep(0.2)
    camera.terminal.press(pane, "Enter")
    settle()


def taken(camera: Camera, state: str, pane: str, *marks: str) -> None:
    """Take ``state`` once the screen shows all ``marks``."""
    camera.terminal.shows(pane, *marks)
    settle()
    camera.take(state, pane)


__all__ = [
    "FORTY",
    "LONG",
    "NINE",
    "SETTLE",
    "SLEEP",
    "TOUCH",
    "WORDS",
    "command",
    "say",
    "settle",
    "start",
    "taken",
]
