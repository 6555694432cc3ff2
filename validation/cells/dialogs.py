"""Open dialogs: a send is refused, and the dialog is left as it is."""

from __future__ import annotations

from validation.cell import Cell
from validation.stage import Stage

_ASK = (
    '[[tool:AskUserQuestion {"questions": [{"question": "Which colour?", "header": "Colour", '
    '"multiSelect": false, "options": [{"label": "Red", "description": "warm"}, '
    '{"label": "Blue", "description": "cold"}]}]}]][[text:asked]]'
)


def _refused(stage: Stage, launch_text: str, dialog: str) -> None:
    launch = stage.spawn_ready()
    stage.send(launch, launch_text)
    stage.until(launch, lambda reading: reading.dialog == dialog, f"the {dialog} dialog")
    before = stage.terminal.text(launch.pane)
    answer = stage.send(launch, f"never said to {dialog}")
    refused = (answer.code, answer["reason"]) == (5, "dialog")
    stage.show(f"{dialog}: send is refused, reason dialog", refused, answer.words)
    same = stage.terminal.text(launch.pane) == before
    stage.show(f"{dialog}: the screen is the same, the dialog unanswered", same)
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
