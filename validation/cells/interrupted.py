"""A turn that its user interrupts fires no hook: it is known all the same."""

from __future__ import annotations

from validation.cell import Cell
from validation.stage import Stage

_TAIL = '[[tool:Bash {"command": "timeout 60 tail -f /dev/null", "description": "Wait"}]]'


def run(stage: Stage) -> None:
    stage.configure("--allowedTools", "Bash")
    launch = stage.spawn_ready()
    for name, script in (
        ("streaming", "[[slow:60:word by word by word]]"),
        ("in a tool", f"{_TAIL}[[text:never]]"),
    ):
        stage.send(launch, script)
        stage.until(launch, lambda reading: reading.busy, "it to be busy")
        stage.terminal.press(launch.pane, "Escape")
        stage.until(launch, lambda reading: not reading.busy, "the turn to be interrupted")
        answer = stage.until_status(launch, "waiting", 90)
        seen = str(answer["evidence"])
        stage.show(f"{name}, Escape: status waiting", True)
        stage.show(f"{name}: evidence interrupted", "interrupted" in seen, answer.words)
        sent = stage.send(launch, f"[[text:after {name}]]")
        stage.show(f"{name}: a send goes", sent["receipt"] == "submitted", sent.words)
        waited = stage.wait(launch, "--timeout", "30")
        stage.show(f"{name}: and is done", waited["status"] == "done", waited.words)


CELL = Cell("interrupted", "an interrupted turn reads as waiting, and a send goes", ("A68",), run)
