"""The same in a pane 25 columns wide."""

from __future__ import annotations

from validation.cell import Cell
from validation.cells.prompts import TEXTS, deliver
from validation.stage import Stage


def run(stage: Stage) -> None:
    stage.configure(*stage.kind.asking)
    launch = stage.spawn_ready()
    stage.terminal.resize(launch.pane, 25, 24)
    if stage.terminal.multiplexer in stage.kind.torn_on:
        wide, launch = launch, stage.spawn()
        stage.tongs("close", wide.launch_id)
        stage.terminal.resize(launch.pane, 25, 24)
    stage.until(launch, lambda reading: reading.composer == "empty", "the narrow composer")
    for name in ("3 lines", "4 lines", "800 characters", "801 characters"):
        deliver(stage, launch, name, TEXTS[name])
    stage.terminal.type(launch.pane, "merge PR 10 only after the review of")
    stage.until(launch, lambda reading: reading.composer == "draft", "the draft to show")
    answer = stage.send(launch, "never")
    stage.show("a draft is refused there too", answer["reason"] == "draft", answer.words)
    for _ in range(3):
        stage.terminal.press(launch.pane, "C-u")
    stage.until(launch, lambda reading: reading.composer == "empty", "the composer to be cleared")
    asked = stage.kind.dialogs[0]
    stage.send(launch, asked.script)
    stage.until(launch, lambda reading: reading.dialog == asked.name, f"the {asked.name} dialog")
    answer = stage.send(launch, "never")
    stage.show("a dialog is refused there too", answer["reason"] == "dialog", answer.words)
    stage.show("and left unanswered", not (stage.world.project / "made").exists())


CELL = Cell("narrow", "the same holds in a pane 25 columns wide", ("A84", "A92", "B1", "B3"), run)
