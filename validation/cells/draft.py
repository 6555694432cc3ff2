"""A person's half-typed text: refused, and left as it is."""

from __future__ import annotations

from validation.cell import Cell
from validation.stage import Stage

_VIM = '{"editorMode": "vim"}'
_TYPED = "merge PR 10 only af"


def _intact(stage: Stage, name: str) -> None:
    launch = stage.spawn_ready()
    stage.terminal.type(launch.pane, _TYPED)
    if name == "vim NORMAL":
        stage.terminal.press(launch.pane, "Escape")
    stage.until(launch, lambda reading: reading.text == _TYPED, "the draft to show")
    answer = stage.send(launch, "never said")
    refused = (answer.code, answer["reason"]) == (5, "draft")
    stage.show(f"{name}: send is refused, reason draft", refused, answer.words)
    reading = stage.reading(launch)
    stage.show(f"{name}: the draft is intact", reading.text == _TYPED, reading)
    stage.show(f"{name}: the model was asked nothing", not stage.all_asked_with("never said"))
    stage.tongs("close", launch.launch_id)


def run(stage: Stage) -> None:
    _intact(stage, "a draft")
    stage.configure("--settings", _VIM)
    _intact(stage, "vim NORMAL")
    launch = stage.spawn_ready()
    stage.terminal.press(launch.pane, "Escape")
    sent = stage.send(launch, "[[text:said to NORMAL mode]]")
    stage.show(
        "vim NORMAL, nothing typed: a send is submitted whole",
        sent["receipt"] == "submitted",
        sent.words,
    )
    stage.asked_with("said to NORMAL mode")
    stage.wait(launch, "--timeout", "30")
    count = len(stage.all_asked_with("said to NORMAL mode"))
    stage.show("vim NORMAL: and once", count == 1, count)


CELL = Cell("draft", "a draft is refused and intact, in vim mode too", ("B1", "B2", "A18"), run)
