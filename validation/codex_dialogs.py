"""Scenes of what stands in place of Codex's composer, and of what follows it."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from validation import codex
from validation.codex_acting import TOUCH, say, settle, start, taken
from validation.troubles import NotHeld

if TYPE_CHECKING:
    from validation.screens import Camera

_PROBE = Path(__file__).with_name("probe_server.py")


def approvals(camera: Camera) -> None:
    """What it asks before it runs something, and what Escape leaves of it."""
    pane = start(camera, *codex.ASKING)
    say(camera, pane, TOUCH)
    taken(camera, "approval", pane, "1. Yes")
    camera.terminal.press(pane, "Escape")
    time.sleep(1)
    camera.take("approval-escaped", pane)
    server = f'{{command="{sys.executable}",args=["{_PROBE}"]}}'
    pane = start(camera, *codex.ASKING, "-c", f"mcp_servers.probe={server}")
    _until_asked(camera, pane)
    camera.take("mcp", pane)
    pane = start(camera)
    camera.terminal.press(pane, "BTab")
    say(camera, pane, _QUESTION)
    taken(camera, "question", pane, "Red")


def _until_asked(camera: Camera, pane: str) -> None:
    """Its server may take its time to start; until then it has no such tool."""
    for _ in range(6):
        say(camera, pane, _PING)
        try:
            camera.terminal.shows(pane, "1. Allow", seconds=5)
        except NotHeld:
            continue
        settle()
        return
    raise NotHeld("its user was never asked about the server's tool")


_PING = '[[tool:functions__exec {"input": "text(await tools.mcp__probe__ping({}))"}]][[text:x]]'
_QUESTION = (
    '[[tool:functions__request_user_input {"questions": [{"id": "colour", "header": "Colour", '
    '"question": "Which colour?", "options": [{"label": "Red", "description": "warm"}, '
    '{"label": "Blue", "description": "cold"}]}]}]][[text:asked]]'
)


def before(camera: Camera) -> None:
    """What may stand before the composer: trust, model, hooks, login, resume."""
    plain = ("codex", "--no-daemon", *camera.drawn.options)
    taken(
        camera,
        "trust",
        camera.open(argv=plain, cwd=codex.untrusted(camera.terminal.world)),
        "1. Trust",
    )
    taken(camera, "model", camera.open("--model", codex.OLDER_MODEL), "1. Try")
    hook = 'hooks.Stop=[{hooks=[{type="command",command="true"}]}]'
    pane = camera.open("-c", hook, argv=plain)
    taken(camera, "hooks", pane, "1. Review")
    camera.terminal.press(pane, "Enter")
    settle()
    camera.take("hooks-list", pane)
    nobody = camera.terminal.world.directory / "nobody"
    nobody.mkdir(exist_ok=True)
    login = camera.terminal.open(
        camera.command, size=camera.size, environ=(f"CODEX_HOME={nobody}",)
    )
    taken(camera, "login", login, "1. Sign")
    pane = start(camera)
    say(camera, pane, "[[text:hello]]")
    camera.terminal.shows(pane, "Worked for")
    taken(camera, "resume", camera.open("resume", argv=plain), "Resume a")


def overlays(camera: Camera) -> None:
    """What a person may have opened over the composer, or beside it."""
    pane = start(camera)
    say(camera, pane, "[[text:hello]]")
    camera.terminal.shows(pane, "Worked for")
    camera.terminal.press(pane, "Escape")
    time.sleep(0.2)
    camera.take("escape-once", pane)
    camera.terminal.press(pane, "Escape")
    settle()
    camera.take("browsing", pane)
    camera.terminal.press(pane, "Escape")
    settle()
    camera.terminal.press(pane, "C-t")
    settle()
    camera.take("transcript", pane)
    pane = start(camera)
    camera.terminal.press(pane, "F2")
    settle()
    camera.take("warnings", pane)
    pane = start(camera)
    camera.terminal.type(pane, "/model")
    settle()
    camera.terminal.press(pane, "Enter")
    settle()
    camera.take("model-picker", pane)
    pane = start(camera)
    camera.terminal.press(pane, "C-r")
    settle()
    camera.take("history-search", pane)
    pane = start(camera)
    camera.terminal.press(pane, "Left")
    settle()
    camera.take("agents", pane)


def ended(camera: Camera) -> None:
    """Back at a shell: exited, suspended."""
    pane = camera.open(argv=("sh",))
    camera.terminal.type(pane, " ".join((*camera.command, *camera.drawn.options)))
    camera.terminal.press(pane, "Enter")
    camera.terminal.shows(pane, codex.READY, "Ask Codex")
    time.sleep(2)
    camera.terminal.press(pane, "C-z")
    settle()
    camera.take("suspended", pane)
    pane = camera.open(argv=("sh",))
    camera.terminal.type(pane, " ".join((*camera.command, *camera.drawn.options)))
    camera.terminal.press(pane, "Enter")
    camera.terminal.shows(pane, codex.READY, "Ask Codex")
    time.sleep(2)
    camera.terminal.type(pane, "/exit")
    settle()
    camera.terminal.press(pane, "Enter")
    time.sleep(1.5)
    camera.take("exited", pane)


__all__ = ["approvals", "before", "ended", "overlays"]
