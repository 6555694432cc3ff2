"""Open dialogs: a send is refused, and the dialog is left as it is."""

from __future__ import annotations

from validation.cell import Cell
from validation.stage import Launch, Stage

_ASK = (
    '[[tool:AskUserQuestion {"questions": [{"question": "Which colour?", "header": "Colour", '
    '"multiSelect": false, "options": [{"label": "Red", "description": "warm"}, '
    '{"label": "Blue", "description": "cold"}]}]}]][[text:asked]]'
)


_LINES = 8
"""Of the dialog, from the screen's end: what is above it blinks."""


def _end(stage: Stage, launch: Launch) -> list[str]:
    return stage.terminal.text(launch.pane).rstrip().splitlines()[-_LINES:]


def _refused(stage: Stage, launch_text: str, dialog: str) -> None:
    launch = stage.spawn_ready()
    stage.send(launch, launch_text)
    stage.until(launch, lambda reading: reading.dialog == dialog, f"the {dialog} dialog")
    before = _end(stage, launch)
    answer = stage.send(launch, f"never said to {dialog}")
    refused = (answer.code, answer["reason"]) == (5, "dialog")
    stage.show(f"{dialog}: send is refused, reason dialog", refused, answer.words)
    after = _end(stage, launch)
    stage.show(f"{dialog}: the dialog is as it was, unanswered", after == before, after)
    status = stage.status(launch)
    stage.show(f"{dialog}: status waiting", status["status"] == "waiting", status.words)
    stage.show(f"{dialog}: the model never saw it", not stage.all_asked_with("never said"))
    stage.terminal.press(launch.pane, "Escape")
    stage.tongs("close", launch.launch_id)


def run(stage: Stage) -> None:
    _refused(stage, '[[tool:Bash {"command": "touch made"}]][[text:made]]', "permission")
    stage.show("permission: the tool did not run", not (stage.world.project / "made").exists())
    _refused(stage, _ASK, "question")


CELL = Cell(
    "dialogs", "a permission dialog and a question: refused and unanswered", ("B3", "A68"), run
)
