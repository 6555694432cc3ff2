"""What Pi has instead of permission dialogs: its own pickers, and what extensions ask."""

from __future__ import annotations

from validation import pi
from validation.cell import Cell
from validation.stage import Launch, Stage

_OPENED = {
    "/model": "model",
    "/settings": "settings",
    "/tree": "tree",
    "/choose": "dialog",
    "/field": "dialog",
    "/edit": "dialog",
}
"""Commands, and what their screens are read as. The last three are of an extension."""


def _open(stage: Stage, launch: Launch, command: str) -> None:
    stage.terminal.type(launch.pane, command)
    stage.terminal.shows(launch.pane, f"→ {command[1:]}")
    stage.terminal.press(launch.pane, "Escape")  # the menu, which would take the Enter
    stage.until(launch, lambda reading: reading.text == command, "the command alone")
    stage.terminal.press(launch.pane, "Enter")


def _refused(stage: Stage, launch: Launch, command: str, name: str) -> None:
    _open(stage, launch, command)
    stage.until(launch, lambda reading: reading.dialog == name, f"what {command} opens")
    before = stage.terminal.still(launch.pane)
    answer = stage.send(launch, "never said")
    refused = (answer.code, answer["reason"]) == (5, "dialog")
    stage.show(f"{command}: send is refused, reason dialog", refused, answer.words)
    after = stage.terminal.text(launch.pane)
    stage.show(f"{command}: the screen is the same, nothing was chosen", after == before, after)


def _asked(stage: Stage, launch: Launch) -> None:
    """While it works, an extension asks; its user says yes."""
    asked = stage.kind.dialogs[0]
    stage.send(launch, asked.script)
    stage.until(launch, lambda reading: reading.dialog == asked.name, "the question")
    status = stage.until_status(launch, "waiting")
    stage.show("an extension asks before a tool: status waiting", True, status.words)
    stage.terminal.press(launch.pane, "Enter")
    stage.until_status(launch, "done")
    made = (stage.world.project / "made").exists()
    stage.show("its user says yes: the tool ran, then done", made)


def run(stage: Stage) -> None:
    stage.configure(*stage.kind.asking)
    launch = stage.spawn_ready()
    stage.send(launch, "[[text:hello]]")
    stage.wait(launch, "--timeout", "30")
    for command, name in _OPENED.items():
        _refused(stage, launch, command, name)
        status = "waiting" if name == "dialog" else "done"
        stage.until_status(launch, status)
        stage.show(f"{command}: status {status}", True)
        stage.terminal.press(launch.pane, "Escape")
        stage.until(launch, lambda reading: reading.composer == "empty", "it to be closed")
        stage.until_status(launch, "done")
        stage.show(f"{command}: closed, status done", True)
    _asked(stage, launch)
    stage.show("the model was asked with none of it", not stage.all_asked_with("never said"))


CELL = Cell(
    "modals",
    f"its pickers, and what an extension ({pi.GATE.name}) asks, are refused and unanswered",
    ("B3", "A68", "A92"),
    run,
    ("pi",),
)
