"""A person's half-typed text: refused, and left as it is."""

from __future__ import annotations

from validation.cell import Cell
from validation.stage import Launch, Stage

TYPED = "merge PR 10 only af"


def intact(stage: Stage, launch: Launch, name: str) -> None:
    """Show that a send to ``launch``, which holds TYPED, is refused and changes nothing."""
    stage.until(launch, lambda reading: reading.text == TYPED, "the draft to show")
    answer = stage.send(launch, "never said")
    refused = (answer.code, answer["reason"]) == (5, "draft")
    stage.show(f"{name}: send is refused, reason draft", refused, answer.words)
    stage.until(launch, lambda reading: reading.text == TYPED, "the draft, intact")
    stage.show(f"{name}: the draft is intact", True)
    stage.show(f"{name}: the model was asked nothing", not stage.all_asked_with("never said"))
    stage.tongs("close", launch.launch_id)


def run(stage: Stage) -> None:
    launch = stage.spawn_ready()
    stage.terminal.type(launch.pane, TYPED)
    intact(stage, launch, "a draft")


CELL = Cell("draft", "a draft is refused and intact", ("B1", "B2"), run)
