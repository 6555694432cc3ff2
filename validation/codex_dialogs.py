"""Scenes of what stands in place of Codex's composer, and of what follows it."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from validation import codex
from validation.codex_acting import TOUCH, say, settle, start, taken

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
    script = (
        '[[tool:functions__exec {"input": "text(await tools.mcp__probe__ping({}))"}]][[text:x]]'
    )
    say(camera, pane, script)
    taken(camera, "mcp", pane, "1. Allow")
    pane = start(camera)
    camera.terminal.press(pane, "BTab")
    say(camera, pane, _QUESTION)
    taken(camera, "question", pane, "Red")


_QUESTION = (
    '[[tool:functions__request_user_input {"questions": [{"id": "colour", "header": "Colour", '
    '"question": "Which colour?", "options": [{"label": "Red", "description": "warm"}, '
    '{"label": "Blue", "description": "cold"}]}]}]][[text:asked]]'
)


def before(camera: Camera) -> None:
    """What may stand before the composer: trust, model, hooks, login, resume."""
    elsewhere = camera.terminal.world.directory / "other"
    elsewhere.mkdir(exist_ok=True)
    taken(camera, "trust", camera.open(cwd=elsewhere), "1. Trust")
    taken(camera, "model", camera.open("--model", codex.OLDER_MODEL), "1. Try")
    hook = 'hooks.Stop=[{hooks=[{type="command",command="true"}]}]'
    plain = camera.open("-c", hook, *camera.drawn.options, argv=("codex",))
    taken(camera, "hooks", plain, "1. Review")
    camera.terminal.press(plain, "Enter")
    settle()
    camera.take("hooks-list", plain)
    nobody = camera.terminal.world.directory / "nobody"
    nobody.mkdir(exist_ok=True)
    login = camera.terminal.open(
        camera.command, size=camera.size, environ=(f"CODEX_HOME={nobody}",)
    )
    taken(camera, "login", login, "1. Sign")
    pane = start(camera)
    say(camera, pane, "[[text:hello]]")
    camera.terminal.shows(pane, "Worked for")
    taken(camera, "resume", camera.open(argv=("codex", "resume")), "Resume a")


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
