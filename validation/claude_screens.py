"""Scenes of Claude Code's screen: how each state that the reader knows is brought about."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from validation import claude

if TYPE_CHECKING:
    from validation.screens import Camera

SETTLE = 0.5
"""A screen is taken this long after its mark appeared: hints come and go until then."""

_FORTY = "\n".join(f"line {number} of the text" for number in range(1, 41))
_LONG = ("word " * 200)[:801]
_WORDS = "Do you want to proceed? ❯ 1. Yes 2. No Esc to cancel, Enter to confirm"
_TOUCH = '[[tool:Bash {"command": "touch made", "description": "Make a file"}]][[text:made]]'
_SLEEP = (
    '[[tool:Bash {"command": "timeout 30 tail -f /dev/null", "description": "Wait"}]][[text:slept]]'
)
_WRITE = '[[tool:Write {"file_path": "FILE", "content": "one\\ntwo\\n"}]][[text:written]]'
_ASK = (
    '[[tool:AskUserQuestion {"questions": [{"question": "Which colour?", "header": "Colour", '
    '"multiSelect": false, "options": [{"label": "Red", "description": "warm"}, '
    '{"label": "Blue", "description": "cold"}]}]}]][[text:asked]]'
)
_PLAN = (
    '[[tool:ToolSearch {"query": "select:ExitPlanMode"}]]'
    '[[tool:ExitPlanMode {"plan": "# The plan\\n1. do it"}]][[text:planned]]'
)
_SHELL = (
    '[[tool:Bash {"command": "sleep 60", "description": "Wait", "run_in_background": true}]]'
    "[[text:it runs]]"
)
_AGENT = (
    '[[tool:Agent {"description": "Look", "prompt": {"$script": ["slow:20:looking"]}, '
    '"subagent_type": "general-purpose"}]][[text:an agent looks]]'
)


def _settle() -> None:
    time.sleep(SETTLE)


def _start(camera: Camera, *options: str, environ: tuple[str, ...] = ()) -> str:
    pane = camera.open(*options, environ=environ)
    camera.terminal.shows(pane, claude.READY, "⏸")
    _settle()
    return pane


def _say(camera: Camera, pane: str, text: str) -> None:
    camera.terminal.paste(pane, text)
    time.sleep(0.2)
    camera.terminal.press(pane, "Enter")


def _taken(camera: Camera, state: str, pane: str, *marks: str) -> None:
    camera.terminal.shows(pane, *marks)
    _settle()
    camera.take(state, pane)


def idle(camera: Camera) -> None:
    """Fresh, fresh with a suggestion, named; after a turn that shows a dialog's words."""
    camera.take("idle", _start(camera))
    suggesting = ("CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION=1",)
    pane = _start(camera, "--name", "a rather long name for a session", environ=suggesting)
    camera.take("suggestion-named", pane)
    pane = _start(camera, environ=suggesting)
    camera.take("suggestion", pane)
    _say(camera, pane, f"[[text:{_WORDS}\n\n❯ 1. Yes\n\nEsc to cancel]]")
    _taken(camera, "words-in-output", pane, "done")
    camera.terminal.press(pane, "?")
    _settle()
    camera.take("shortcuts", pane)


def drafts(camera: Camera) -> None:
    """A person's half-written text, short, of three lines, wrapped, clipped, and commands."""
    pane = _start(camera)
    camera.terminal.type(pane, "merge PR 10 only af")
    _settle()
    camera.take("draft", pane)
    camera.terminal.press(pane, "Home")
    _settle()
    camera.take("draft-cursor-home", pane)
    for name, text in (
        ("draft-three-lines", "one\ntwo\nthree"),
        ("draft-wrapped", _LONG[:150]),
        ("draft-clipped", _LONG[:800]),
        ("draft-forty-lines", _FORTY),
        ("draft-long", _LONG),
        ("draft-shell", "!ls"),
        ("draft-command", "/help"),
    ):
        pane = _start(camera)
        camera.terminal.paste(pane, text)
        _settle()
        camera.take(name, pane)
    camera.terminal.press(pane, "C-u")
    for number in range(30):
        camera.terminal.type(pane, f"typed {number}")
        camera.terminal.press(pane, "C-j")
    camera.terminal.press(pane, *["Up"] * 12)
    _settle()
    camera.take("draft-clipped-both", pane)


def busy(camera: Camera) -> None:
    """Streaming, queued, escaped; in a tool, escaped there; while a subagent runs."""
    pane = _start(camera)
    _say(camera, pane, "[[slow:20:word by word by word]]")
    _taken(camera, "streaming", pane, "…")
    _say(camera, pane, "and this later")
    _taken(camera, "queued", pane, "Press up")
    camera.terminal.type(pane, "and a draft")
    _settle()
    camera.take("streaming-draft", pane)
    pane = _start(camera)
    _say(camera, pane, "[[slow:20:word by word by word]]")
    camera.terminal.shows(pane, "…")
    _settle()
    camera.terminal.press(pane, "Escape")
    time.sleep(1.5)
    camera.take("escaped", pane)
    pane = _start(camera, "--allowedTools", "Bash")
    _say(camera, pane, _SLEEP)
    camera.terminal.shows(pane, "…")
    time.sleep(1)
    camera.take("in-tool", pane)
    camera.terminal.press(pane, "Escape")
    time.sleep(1.5)
    camera.take("in-tool-escaped", pane)
    pane = _start(camera, "--allowedTools", "Bash")
    _say(camera, pane, _SHELL)
    camera.terminal.shows(pane, "done")
    camera.terminal.press(pane, "Down")
    _settle()
    camera.take("shell-selected", pane)
    pane = _start(camera)
    _say(camera, pane, _AGENT)
    camera.terminal.shows(pane, "an agent looks")
    time.sleep(1)
    camera.take("subagent", pane)
    camera.terminal.press(pane, "Down")
    _settle()
    camera.take("subagent-selected", pane)
    camera.terminal.press(pane, "Down")
    _settle()
    camera.terminal.press(pane, "Enter")
    _settle()
    camera.take("subagent-viewed", pane)
    camera.terminal.press(pane, "Escape")
    _settle()
    camera.take("subagent-composer", pane)


def permissions(camera: Camera) -> None:
    """The permission dialogs, and what Escape leaves of one."""
    pane = _start(camera)
    _say(camera, pane, _TOUCH)
    _taken(camera, "permission-bash", pane, "Do you want to")
    camera.terminal.press(pane, "Escape")
    time.sleep(1)
    camera.take("permission-escaped", pane)
    file = camera.terminal.world.project / "written"
    pane = _start(camera, "--name", "a rather long name for a session")
    _say(camera, pane, _WRITE.replace("FILE", str(file)))
    _taken(camera, "permission-write-named", pane, "Do you want to")
    file.write_text("one\n", encoding="utf-8")
    edit = f'{{"file_path": "{file}", "old_string": "one", "new_string": "two"}}'
    pane = _start(camera)
    _say(camera, pane, f'[[tool:Read {{"file_path": "{file}"}}]][[tool:Edit {edit}]][[text:x]]')
    _taken(camera, "permission-edit", pane, "Do you want to")
    file.unlink()
    pane = _start(camera)
    _say(camera, pane, _ASK)
    _taken(camera, "question", pane, "1. Red")
    pane = _start(camera, "--permission-mode", "plan")
    _say(camera, pane, _PLAN)
    time.sleep(2)
    camera.take("plan", pane)


def before(camera: Camera) -> None:
    """What may stand before the composer: trust, key, settings, mode, resume."""
    elsewhere = camera.terminal.world.directory / "other"
    elsewhere.mkdir(exist_ok=True)
    _taken(camera, "trust", camera.open(cwd=elsewhere), "Enter to")
    key = "ANTHROPIC_API_KEY=sk-ant-another-made-up-one-0000000002"
    _taken(camera, "api-key", camera.open(environ=(key,)), "Enter to")
    unknown = '{"hooks": {"NoSuchEvent": [{"hooks": [{"type": "command", "command": "true"}]}]}}'
    _taken(camera, "settings-warning", camera.open("--settings", unknown), "Enter to")
    bypass = camera.open("--permission-mode", "bypassPermissions", environ=("IS_SANDBOX=1",))
    _taken(camera, "bypass-warning", bypass, "Enter to")
    pane = _start(camera)
    _say(camera, pane, "[[text:hello]]")
    camera.terminal.shows(pane, "done")
    _taken(camera, "resume", camera.open("--resume"), "Resume session")


def overlays(camera: Camera) -> None:
    """What a person may have opened over the composer."""
    pane = _start(camera)
    _say(camera, pane, "[[text:hello]]")
    camera.terminal.shows(pane, "done")
    camera.terminal.press(pane, "C-r")
    _settle()
    camera.take("history-search", pane)
    camera.terminal.press(pane, "Escape")
    _settle()
    camera.terminal.press(pane, "C-o")
    _settle()
    camera.take("transcript", pane)
    camera.terminal.press(pane, "C-o")
    _settle()
    camera.terminal.press(pane, "Escape", "Escape")
    _settle()
    camera.take("rewind", pane)
    camera.terminal.press(pane, "Escape")
    _settle()
    _say(camera, pane, "/model")
    _settle()
    camera.take("model-picker", pane)
    camera.terminal.press(pane, "Escape")
    _settle()
    camera.terminal.press(pane, "C-c")
    time.sleep(0.2)
    camera.take("exit-hint", pane)
    time.sleep(2)
    camera.terminal.press(pane, "Left")
    _taken(camera, "agents-view", pane, "describe a")


def modes(camera: Camera) -> None:
    """Vim's modes, a status line of the user's, the screen reader's form."""
    vim = ("--settings", '{"editorMode": "vim"}')
    pane = _start(camera, *vim)
    camera.take("vim-insert", pane)
    camera.terminal.press(pane, "Escape")
    _settle()
    camera.take("vim-normal", pane)
    camera.terminal.press(pane, "v")
    _settle()
    camera.take("vim-visual", pane)
    pane = _start(camera, *vim)
    camera.terminal.type(pane, "merge PR 10")
    camera.terminal.press(pane, "Escape")
    _settle()
    camera.take("vim-normal-draft", pane)
    line = '{"statusLine": {"type": "command", "command": "echo one; echo two"}}'
    camera.take("status-line", _start(camera, "--settings", line))
    pane = camera.open("--ax-screen-reader")
    _taken(camera, "screen-reader", pane, "$")


def ended(camera: Camera) -> None:
    """Back at a shell: exited, suspended."""
    pane = camera.open(argv=("sh",))
    command = " ".join(claude.COMMAND)
    camera.terminal.type(pane, command)
    camera.terminal.press(pane, "Enter")
    camera.terminal.shows(pane, claude.READY, "⏸")
    _settle()
    camera.terminal.press(pane, "C-z")
    _settle()
    camera.take("suspended", pane)
    camera.terminal.type(pane, "fg")
    camera.terminal.press(pane, "Enter")
    camera.terminal.shows(pane, claude.READY, "⏸")
    _settle()
    camera.terminal.type(pane, "/exit")
    _settle()
    camera.terminal.press(pane, "Enter")
    time.sleep(1.5)
    camera.take("exited", pane)


SCENES: tuple[Callable[[Camera], None], ...] = (
    idle,
    drafts,
    busy,
    permissions,
    before,
    overlays,
    modes,
    ended,
)

__all__ = [
    "SCENES",
    "SETTLE",
    "before",
    "busy",
    "drafts",
    "ended",
    "idle",
    "modes",
    "overlays",
    "permissions",
]
