"""Scenes of what stands in place of Claude Code's composer, and of what follows it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from validation import claude
from validation.claude_acting import ASK, PLAN, TOUCH, WRITE, say, settle, start, taken

if TYPE_CHECKING:
    from validation.screens import Camera


def permissions(camera: Camera) -> None:
    """The permission dialogs, and what Escape leaves of one."""
    pane = start(camera)
    say(camera, pane, TOUCH)
    taken(camera, "permission-bash", pane, "Do you want to")
    camera.terminal.press(pane, "Escape")
    time.sleep(1)
    camera.take("permission-escaped", pane)
    file = camera.terminal.world.project / "written"
    pane = start(camera, "--name", "a rather long name for a session")
    say(camera, pane, WRITE.replace("FILE", str(file)))
    taken(camera, "permission-write-named", pane, "Do you want to")
    file.write_text("one\n", encoding="utf-8")
    edit = f'{{"file_path": "{file}", "old_string": "one", "new_string": "two"}}'
    pane = start(camera)
    say(camera, pane, f'[[tool:Read {{"file_path": "{file}"}}]][[tool:Edit {edit}]][[text:x]]')
    taken(camera, "permission-edit", pane, "Do you want to")
    file.unlink()
    pane = start(camera)
    say(camera, pane, ASK)
    taken(camera, "question", pane, "1. Red")
    pane = start(camera, "--permission-mode", "plan")
    say(camera, pane, PLAN)
    time.sleep(2)
    camera.take("plan", pane)


def before(camera: Camera) -> None:
    """What may stand before the composer: trust, key, settings, mode, resume."""
    elsewhere = camera.terminal.world.directory / "other"
    elsewhere.mkdir(exist_ok=True)
    taken(camera, "trust", camera.open(cwd=elsewhere), "Enter to")
    key = "ANTHROPIC_API_KEY=sk-ant-another-made-up-one-0000000002"
    taken(camera, "api-key", camera.open(environ=(key,)), "Enter to")
    unknown = '{"hooks": {"NoSuchEvent": [{"hooks": [{"type": "command", "command": "true"}]}]}}'
    taken(camera, "settings-warning", camera.open("--settings", unknown), "Enter to")
    bypass = camera.open("--permission-mode", "bypassPermissions", environ=("IS_SANDBOX=1",))
    taken(camera, "bypass-warning", bypass, "Enter to")
    pane = start(camera)
    say(camera, pane, "[[text:hello]]")
    camera.terminal.shows(pane, "done")
    taken(camera, "resume", camera.open("--resume"), "Resume session")


def overlays(camera: Camera) -> None:
    """What a person may have opened over the composer."""
    pane = start(camera)
    say(camera, pane, "[[text:hello]]")
    camera.terminal.shows(pane, "done")
    camera.terminal.press(pane, "C-r")
    settle()
    camera.take("history-search", pane)
    camera.terminal.press(pane, "Escape")
    settle()
    camera.terminal.press(pane, "C-o")
    settle()
    camera.take("transcript", pane)
    camera.terminal.press(pane, "C-o")
    settle()
    camera.terminal.press(pane, "Escape", "Escape")
    settle()
    camera.take("rewind", pane)
    camera.terminal.press(pane, "Escape")
    settle()
    say(camera, pane, "/model")
    settle()
    camera.take("model-picker", pane)
    camera.terminal.press(pane, "Escape")
    settle()
    camera.terminal.press(pane, "C-c")
    time.sleep(0.2)
    camera.take("exit-hint", pane)
    time.sleep(2)
    camera.terminal.press(pane, "Left")
    taken(camera, "agents-view", pane, "describe a")


def modes(camera: Camera) -> None:
    """Vim's modes, a status line of the user's, the screen reader's form."""
    vim = ("--settings", '{"editorMode": "vim"}')
    pane = start(camera, *vim)
    camera.take("vim-insert", pane)
    camera.terminal.press(pane, "Escape")
    settle()
    camera.take("vim-normal", pane)
    camera.terminal.press(pane, "v")
    settle()
    camera.take("vim-visual", pane)
    pane = start(camera, *vim)
    camera.terminal.type(pane, "merge PR 10")
    camera.terminal.press(pane, "Escape")
    settle()
    camera.take("vim-normal-draft", pane)
    line = '{"statusLine": {"type": "command", "command": "echo one; echo two"}}'
    camera.take("status-line", start(camera, "--settings", line))
    pane = camera.open("--ax-screen-reader")
    taken(camera, "screen-reader", pane, "$")


def ended(camera: Camera) -> None:
    """Back at a shell: exited, suspended."""
    pane = camera.open(argv=("sh",))
    command = " ".join(claude.COMMAND)
    camera.terminal.type(pane, command)
    camera.terminal.press(pane, "Enter")
    camera.terminal.shows(pane, claude.READY, "⏸")
    settle()
    camera.terminal.press(pane, "C-z")
    settle()
    camera.take("suspended", pane)
    camera.terminal.type(pane, "fg")
    camera.terminal.press(pane, "Enter")
    camera.terminal.shows(pane, claude.READY, "⏸")
    settle()
    camera.terminal.type(pane, "/exit")
    settle()
    camera.terminal.press(pane, "Enter")
    time.sleep(1.5)
    camera.take("exited", pane)


__all__ = ["before", "ended", "modes", "overlays", "permissions"]
