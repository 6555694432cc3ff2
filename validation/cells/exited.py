"""The agent has ended: nothing that is sent is run by a shell."""

from __future__ import annotations

from validation.cell import Cell
from validation.stage import Stage

_RAN = "touch ran-by-the-shell"


def _ended(stage: Stage, pane: str) -> None:
    stage.terminal.type(pane, stage.kind.leave)
    stage.terminal.shows(pane, stage.kind.leave)
    stage.terminal.press(pane, "Enter")


def run(stage: Stage) -> None:
    ran = stage.world.project / "ran-by-the-shell"
    launch = stage.spawn_ready()
    other = stage.spawn_ready()
    _ended(stage, launch.pane)
    gone = stage.wait(launch, "--until", "ended", "--timeout", "30")
    stage.show("wait --until ended: 0", gone.code == 0, gone.words)
    answer = stage.send(launch, _RAN)
    stage.show("its pane is closed: send is refused", answer.code == 5, answer.words)
    status = stage.status(launch)
    stage.show("agent-status: exit code 3", status.code == 3, status.words)
    reading = stage.reading(other)
    stage.show("another launch's pane got nothing", reading.composer == "empty", reading)

    shell = f"{' '.join(stage.kind.command)}; exec sh -i"
    stage.configure(command=("sh", "-c", shell), harness=stage.kind.name, wrapper=True)
    launch = stage.spawn_ready()
    _ended(stage, launch.pane)
    stage.terminal.shows(launch.pane, "#")
    answer = stage.send(launch, _RAN)
    stage.show("under a wrapper that goes on as a shell: send is refused", answer.code == 5)
    stage.show("with reason shell", answer["reason"] == "shell", answer.words)
    stage.show("nothing was typed into the shell", _RAN not in stage.terminal.text(launch.pane))
    stage.show("nothing was run by the shell", not ran.exists())


CELL = Cell("exited", "an agent that has exited: nothing is run by the shell", ("D6",), run)
