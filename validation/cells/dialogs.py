"""Open dialogs: a send is refused, and the dialog is left as it is."""

from __future__ import annotations

from validation.cell import Cell
from validation.kind import Dialog
from validation.stage import Launch, Stage

_LINES = 8
"""Of the dialog, from the screen's end: what is above it blinks."""


def _end(stage: Stage, launch: Launch) -> list[str]:
    return stage.terminal.text(launch.pane).rstrip().splitlines()[-_LINES:]


def _refused(stage: Stage, asked: Dialog) -> None:
    dialog = asked.name
    stage.configure(*asked.options)
    launch = stage.spawn_ready()
    stage.send(launch, asked.script)
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
    for asked in stage.kind.dialogs:
        _refused(stage, asked)
    stage.show("the tool did not run", not (stage.world.project / "made").exists())


CELL = Cell("dialogs", "dialogs of the model's own: refused and unanswered", ("B3", "A68"), run)
