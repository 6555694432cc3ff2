"""How Claude Code is brought into a state: what it is asked, and by whose hand."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from validation import claude

if TYPE_CHECKING:
    from validation.screens import Camera

SETTLE = 0.5
"""A screen is taken this long after its mark appeared: hints come and go until then."""

FORTY = "\n".join(f"line {number} of the text" for number in range(1, 41))
LONG = ("word " * 200)[:801]
WORDS = "Do you want to proceed? ❯ 1. Yes 2. No Esc to cancel, Enter to confirm"
TOUCH = '[[tool:Bash {"command": "touch made", "description": "Make a file"}]][[text:made]]'
SLEEP = (
    '[[tool:Bash {"command": "timeout 30 tail -f /dev/null", "description": "Wait"}]][[text:slept]]'
)
WRITE = '[[tool:Write {"file_path": "FILE", "content": "one\\ntwo\\n"}]][[text:written]]'
ASK = (
    '[[tool:AskUserQuestion {"questions": [{"question": "Which colour?", "header": "Colour", '
    '"multiSelect": false, "options": [{"label": "Red", "description": "warm"}, '
    '{"label": "Blue", "description": "cold"}]}]}]][[text:asked]]'
)
PLAN = (
    '[[tool:ToolSearch {"query": "select:ExitPlanMode"}]]'
    '[[tool:ExitPlanMode {"plan": "# The plan\\n1. do it"}]][[text:planned]]'
)
SHELL = (
    '[[tool:Bash {"command": "sleep 60", "description": "Wait", "run_in_background": true}]]'
    "[[text:it runs]]"
)
AGENT = (
    '[[tool:Agent {"description": "Look", "prompt": {"$script": ["slow:20:looking"]}, '
    '"subagent_type": "general-purpose"}]][[text:an agent looks]]'
)


def settle() -> None:
    """Wait until hints have come and gone."""
    time.sleep(SETTLE)


def start(camera: Camera, *options: str, environ: tuple[str, ...] = ()) -> str:
    """Claude Code in a pane, its composer drawn."""
    pane = camera.open(*options, environ=environ)
    camera.terminal.shows(pane, claude.READY, "⏸")
    settle()
    return pane


def say(camera: Camera, pane: str, text: str) -> None:
    """Paste a prompt and press Enter."""
    camera.terminal.paste(pane, text)
    time.sleep(0.2)
    camera.terminal.press(pane, "Enter")


def taken(camera: Camera, state: str, pane: str, *marks: str) -> None:
    """Take ``state`` once the screen shows all ``marks``."""
    camera.terminal.shows(pane, *marks)
    settle()
    camera.take(state, pane)


__all__ = [
    "AGENT",
    "ASK",
    "FORTY",
    "LONG",
    "PLAN",
    "SETTLE",
    "SHELL",
    "SLEEP",
    "TOUCH",
    "WORDS",
    "WRITE",
    "say",
    "settle",
    "start",
    "taken",
]
