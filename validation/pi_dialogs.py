"""Scenes of what stands in place of Pi's composer, and of what follows it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from validation import pi
from validation.pi_acting import TOUCH, command, say, settle, start, taken

if TYPE_CHECKING:
    from validation.screens import Camera

_GATE = ("-e", str(pi.GATE))
_SEARCH = ("-H", "1b", "5b", "31", "30", "32", "3b", "36", "75")
"""Ctrl+Shift+F, as terminals say it that can."""


def questions(camera: Camera) -> None:
    """What extensions ask: before a tool, and at a command of their own."""
    pane = start(camera, *_GATE)
    say(camera, pane, TOUCH)
    taken(camera, "permission", pane, "Allow it")
    camera.terminal.press(pane, "Escape")
    time.sleep(1)
    camera.take("permission-escaped", pane)
    for name in ("choose", "field", "edit", "revise"):
        pane = start(camera, *_GATE)
        command(camera, pane, f"/{name}")
        camera.take(f"question-{name}", pane)


def before(camera: Camera) -> None:
    """What may stand before the composer: trust, and a list of sessions."""
    elsewhere = camera.terminal.world.directory / "other"
    (elsewhere / ".pi" / "extensions").mkdir(parents=True, exist_ok=True)
    (elsewhere / ".pi" / "settings.json").write_text("{}", encoding="utf-8")
    taken(camera, "trust", camera.open(cwd=elsewhere), "navigate")
    pane = start(camera)
    say(camera, pane, "[[text:hello]]")
    time.sleep(1.5)
    pane = camera.open("--resume")
    time.sleep(2)
    camera.take("resume", pane)


def overlays(camera: Camera) -> None:
    """What a person may have opened over the composer, or in its place."""
    for name in ("model", "settings", "tree", "resume", "trust", "mcp", "login", "thinking"):
        pane = start(camera)
        say(camera, pane, "[[text:hello]]")
        time.sleep(1)
        command(camera, pane, f"/{name}")
        camera.take(f"open-{name}", pane)
    pane = start(camera)
    say(camera, pane, "[[text:hello]]")
    time.sleep(1)
    command(camera, pane, "/fork")
    camera.take("open-fork", pane)
    pane = start(camera)
    if pi.REGULAR[0] not in camera.drawn.options:
        camera.terminal.press(pane, *_SEARCH)
        settle()
        camera.take("open-search", pane)


def ended(camera: Camera) -> None:
    """Back at a shell: exited, suspended."""
    pane = camera.open(argv=("sh",))
    words = " ".join((*pi.COMMAND, *camera.drawn.options))
    camera.terminal.type(pane, words)
    camera.terminal.press(pane, "Enter")
    camera.terminal.shows(pane, "k (auto)")
    time.sleep(1.5)
    camera.terminal.press(pane, "C-z")
    settle()
    camera.take("suspended", pane)
    camera.terminal.type(pane, "fg")
    camera.terminal.press(pane, "Enter")
    time.sleep(1)
    command(camera, pane, "/quit")
    time.sleep(1.5)
    camera.take("exited", pane)


__all__ = ["before", "ended", "overlays", "questions"]
