"""The same with the renderer of the main screen, which Claude Code falls back to."""

from __future__ import annotations

from validation import claude
from validation.cell import Cell
from validation.cells.prompts import TEXTS, deliver
from validation.stage import Stage


def run(stage: Stage) -> None:
    name, _, value = claude.CLASSIC.partition("=")
    stage.configure(env={name: value})
    launch = stage.spawn_ready()
    for each in ("3 lines", "40 lines", "801 characters"):
        deliver(stage, launch, each, TEXTS[each])
    stage.terminal.tmux("resize-window", "-t", launch.pane, "-x", "25", "-y", "24")
    stage.until(launch, lambda reading: reading.composer == "empty", "the narrow composer")
    # 800 characters are 38 rows there: more than the pane has
    deliver(stage, launch, "800 characters in 25 columns", TEXTS["800 characters"])
    stage.terminal.type(launch.pane, "a draft")
    stage.until(launch, lambda reading: reading.composer == "draft", "the draft to show")
    answer = stage.send(launch, "never")
    stage.show("a draft is refused", answer["reason"] == "draft", answer.words)


CELL = Cell("classic", "the same holds in the renderer of the main screen", ("A92", "B1"), run)
