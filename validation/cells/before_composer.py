"""What may stand before the composer is not idle: trust, a key, a list of sessions."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from validation import claude, codex
from validation.cell import Cell
from validation.stage import Launch, Stage
from validation.terminal import wait_for


def _refused(stage: Stage, name: str) -> None:
    launch = stage.spawn()
    stage.until(launch, lambda reading: reading.dialog == name, f"the {name} screen")
    before = wait_for(lambda: _still(stage, launch), f"the {name} screen to be drawn whole")
    answer = stage.send(launch, "never said")
    refused = (answer.code, answer["reason"]) == (5, "dialog")
    stage.show(f"{name}: send is refused, reason dialog", refused, answer.words)
    same = _ageless(stage.terminal.text(launch.pane)) == before
    stage.show(f"{name}: the screen is the same, nothing was chosen", same)
    stage.tongs("close", launch.launch_id)


def _still(stage: Stage, launch: Launch) -> str | None:
    """The screen, where it is the same for half a second."""
    text = _ageless(stage.terminal.text(launch.pane))
    time.sleep(0.5)
    return text if _ageless(stage.terminal.text(launch.pane)) == text else None


def _ageless(text: str) -> str:
    """A list of sessions says how old each is, in seconds or minutes."""
    return re.sub(r"\bnow\b|\d+[smh]?", "N", text)


def _claude(stage: Stage) -> None:
    stage.configure("--resume")
    _refused(stage, "resume")
    stage.configure(env={"ANTHROPIC_API_KEY": "sk-ant-another-made-up-one-0000000002"})
    _refused(stage, "api-key")
    claude.seed(stage.world, projects={})
    stage.configure()
    _refused(stage, "trust")


def _codex(stage: Stage) -> None:
    stage.configure(command=("codex", "resume"))
    _refused(stage, "resume")
    stage.configure("--model", codex.OLDER_MODEL)
    _refused(stage, "model")
    stage.configure(command=("codex",))
    _refused(stage, "hooks")
    stage.configure(command=("codex",), cwd=str(codex.untrusted(stage.world)))
    _refused(stage, "trust")
    empty = stage.world.directory / "nobody"
    empty.mkdir()
    stage.configure(env={"CODEX_HOME": str(empty)})
    _refused(stage, "login")


def _pi(stage: Stage) -> None:
    stage.configure("--resume")
    _refused(stage, "resume")
    (stage.world.project / ".pi").mkdir()
    (stage.world.project / ".pi" / "settings.json").write_text("{}", encoding="utf-8")
    stage.configure()
    _refused(stage, "trust")


_SCREENS: dict[str, Callable[[Stage], None]] = {"claude": _claude, "codex": _codex, "pi": _pi}


def run(stage: Stage) -> None:
    launch = stage.spawn_ready()
    stage.send(launch, "[[text:something to resume]]")
    stage.wait(launch, "--timeout", "30")
    stage.tongs("close", launch.launch_id)
    _SCREENS[stage.kind.name](stage)
    stage.show("the model was asked with none of it", not stage.all_asked_with("never said"))


CELL = Cell(
    "before-composer",
    "trust, login, resume and the like before the composer are dialogs, not idle",
    ("B5", "A92"),
    run,
)
