"""The same with the renderer of the main screen: Claude Code falls back to it, Pi has it too."""

from __future__ import annotations

from validation import claude, pi
from validation.cell import Cell
from validation.cells.prompts import TEXTS, deliver
from validation.stage import Launch, Stage


def _left(stage: Stage, launch: Launch, name: str, text: str) -> None:
    """Of a composer whose top is out of sight only the cursor tells that it is one."""
    answer = stage.send(launch, text)
    told = (answer.code, answer["effect"]) == (1, "partial")
    stage.show(f"{name}: not applicable without a hidden cursor; that is told", told, answer.words)
    stage.show(f"{name}: and Enter was not pressed", not stage.all_asked_with(text))


def run(stage: Stage) -> None:
    name, _, value = claude.CLASSIC.partition("=")
    options = pi.REGULAR if stage.kind.name == "pi" else ()
    stage.configure(*options, env={name: value})
    launch = stage.spawn_ready()
    for each in ("3 lines", "40 lines", "801 characters"):
        deliver(stage, launch, each, TEXTS[each])
    # started narrow: of a pane that was made narrow Zellij tells the rows of the main screen in
    # one piece, so that nothing is seen there and a send is refused (see live-matrix.md)
    stage.terminal.resize(launch.pane, 25, 24)
    wide, launch = launch, stage.spawn()
    stage.tongs("close", wide.launch_id)
    stage.terminal.resize(launch.pane, 25, 24)
    stage.until(launch, lambda reading: reading.composer == "empty", "the narrow composer")
    stage.terminal.type(launch.pane, "a draft")
    stage.until(launch, lambda reading: reading.composer == "draft", "the draft to show")
    answer = stage.send(launch, "never")
    stage.show("a draft is refused", answer["reason"] == "draft", answer.words)
    stage.terminal.press(launch.pane, "C-u")
    stage.until(launch, lambda reading: reading.composer == "empty", "the draft to be cleared")
    # 800 characters are 38 rows there: more than the pane has
    name, text = "800 characters in 25 columns", TEXTS["800 characters"]
    if stage.terminal.hidden_cursor or stage.kind.name == "pi":  # whose composer never is
        deliver(stage, launch, name, text)
    else:
        _left(stage, launch, name, text)


CELL = Cell(
    "classic",
    "the same holds in the renderer of the main screen",
    ("A92", "B1"),
    run,
    ("claude", "pi"),
)
