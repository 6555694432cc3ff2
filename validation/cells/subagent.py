"""A subagent that goes on after the turn's end changes nothing of the launch's status."""

from __future__ import annotations

from validation.cell import Cell
from validation.stage import Stage
from validation.terminal import wait_for


def run(stage: Stage) -> None:
    stage.configure(*stage.kind.allowing)
    launch = stage.spawn_ready()
    stage.send(launch, stage.kind.subagent)
    waited = stage.wait(launch, "--timeout", "30")
    stage.show("the parent's own turn ended: done", waited["status"] == "done", waited.words)
    made = stage.world.project / "by-the-subagent"
    stage.show("while its subagent still worked", not made.exists())
    wait_for(made.exists, "the subagent's tool", 30)
    stage.show("the subagent's tools ran after that Stop", True)
    stage.until(launch, lambda reading: not reading.busy, "the notification's own turn to end")
    stage.until_status(launch, "done")
    stage.show("then, too, status done", True)


CELL = Cell(
    "subagent",
    "a subagent's tool event after Stop opens no turn",
    ("A83", "A90"),
    run,
    ("claude", "codex"),
)
