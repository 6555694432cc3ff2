"""The same in vim's modes, where Enter and letters mean other things."""

from __future__ import annotations

from validation.cell import Cell
from validation.cells.draft import TYPED, intact
from validation.stage import Stage

_VIM = '{"editorMode": "vim"}'


def run(stage: Stage) -> None:
    stage.configure("--settings", _VIM)
    launch = stage.spawn_ready()
    stage.terminal.type(launch.pane, TYPED)
    stage.terminal.press(launch.pane, "Escape")
    intact(stage, launch, "NORMAL")
    launch = stage.spawn_ready()
    stage.terminal.press(launch.pane, "Escape")
    sent = stage.send(launch, "[[text:said to NORMAL mode]]")
    submitted = sent["receipt"] == "submitted"
    stage.show("NORMAL, nothing typed: a send is submitted whole", submitted, sent.words)
    stage.asked_with("said to NORMAL mode")
    stage.wait(launch, "--timeout", "30")
    count = len(stage.all_asked_with("said to NORMAL mode"))
    stage.show("NORMAL: and once", count == 1, count)


CELL = Cell("vim", "a draft in vim's modes is refused and intact", ("A18", "B1"), run, ("claude",))
