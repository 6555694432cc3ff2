"""A turn that its user interrupts is known as such, whether or not a hook says so."""

from __future__ import annotations

from validation.cell import Cell
from validation.stage import Launch, Stage
from validation.terminal import wait_for


def run(stage: Stage) -> None:
    stage.configure(*stage.kind.allowing)
    launch = stage.spawn_ready()
    _escape(stage, launch, "[[slow:60:word by word by word]]")
    _goes(stage, launch, "streaming")
    tail = stage.kind.shell("timeout 60 tail -f /dev/null")
    _escape(stage, launch, f"{tail}[[text:never]]")
    # where no hook says so, what the harness says of itself is asked when the last fact is old
    answer = stage.until_status(launch, "waiting", 90)
    stage.show("in a tool, Escape: status waiting", True)
    seen = str(answer["evidence"])
    stage.show("in a tool: evidence interrupted", "interrupted" in seen, answer.words)
    _goes(stage, launch, "in a tool")


def _escape(stage: Stage, launch: Launch, script: str) -> None:
    before = _answers(stage, launch)
    stage.send(launch, script)
    stage.until_busy(launch)
    # an Escape before anything came back would put the prompt into the composer again: a draft
    wait_for(
        lambda: _answers(stage, launch) > before or None,
        "the first of its answer on the screen",
        20,
    )
    said = _interruptions(stage, launch)
    stage.terminal.press(launch.pane, "Escape")
    wait_for(lambda: _interruptions(stage, launch) > said, "the screen to say so", 20)
    stage.until(launch, lambda reading: not reading.busy, "the turn to be interrupted")


def _interruptions(stage: Stage, launch: Launch) -> int:
    text = stage.terminal.text(launch.pane).lower()
    return text.count("interrupted") + text.count("aborted")


def _answers(stage: Stage, launch: Launch) -> int:
    """How many answers and tool calls the screen shows."""
    rows = stage.terminal.look(launch.pane).screen.lines
    return sum(row.lstrip().startswith(stage.kind.said) for row in rows)


def _goes(stage: Stage, launch: Launch, name: str) -> None:
    sent = stage.send(launch, f"[[text:after {name}]]")
    stage.show(f"{name}, after Escape: a send goes", sent["receipt"] == "submitted", sent.words)
    waited = stage.wait(launch, "--timeout", "30")
    stage.show(f"{name}: and is done", waited["status"] == "done", waited.words)


CELL = Cell("interrupted", "an interrupted turn reads as waiting, and a send goes", ("A68",), run)
