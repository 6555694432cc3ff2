"""Sessions that follow each other in one process, and one below a wrapper, are the launch's."""

from __future__ import annotations

from validation.cell import Cell
from validation.stage import Launch, Stage

_WRAPPED = 'pi "$@"; exit $?'
"""What is added to the command becomes an argument of what the shell runs."""


def _command(stage: Stage, launch: Launch, command: str) -> None:
    stage.terminal.type(launch.pane, command)
    stage.terminal.shows(launch.pane, f"→ {command[1:]}")
    stage.terminal.press(launch.pane, "Escape")
    stage.until(launch, lambda reading: reading.text == command, "the command alone")
    stage.terminal.press(launch.pane, "Enter")


def _goes(stage: Stage, launch: Launch, name: str) -> None:
    stage.until(launch, lambda reading: reading.composer == "empty", "an empty composer")
    sent = stage.send(launch, f"[[text:after {name}]]")
    stage.show(f"{name}: receipt submitted", sent["receipt"] == "submitted", sent.words)
    waited = stage.wait(launch, "--timeout", "30")
    stage.show(f"{name}: done", waited["status"] == "done", waited.words)


def _looks(stage: Stage, launch: Launch, name: str) -> None:
    """A tool of our server: it answers, and the call leaves a pulse."""
    stage.send(launch, f"[[tool:mcp__tongs_agents__fleet_status {{}}]][[text:looked {name}]]")
    stage.wait(launch, "--timeout", "30")
    looked = stage.asked_with(f"looked {name}")
    later = stage.all_asked_with(f"looked {name}")[-1]
    told = later.holds('"counts"')
    stage.show(f"{name}: our server answers", told, looked.number)
    evidence = {each["check"] for each in stage.status(launch)["evidence"]}
    stage.show(f"{name}: the tool left its pulse", "pulse" in evidence, evidence)


def run(stage: Stage) -> None:
    launch = stage.spawn_ready()
    _goes(stage, launch, "a first turn")
    _command(stage, launch, "/reload")
    stage.terminal.shows(launch.pane, "Reloaded")
    kept = stage.status(launch)
    stage.show("/reload: status done, as before", kept["status"] == "done", kept.words)
    _goes(stage, launch, "/reload")
    _command(stage, launch, "/new")
    stage.until_status(launch, "started")
    stage.show("/new: another session, status started", True)
    _goes(stage, launch, "/new")
    _looks(stage, launch, "/new")
    stage.tongs("close", launch.launch_id)

    command = ("sh", "-c", _WRAPPED, "sh")
    stage.configure(command=command, harness="pi", wrapper=True)
    launch = stage.spawn_ready()
    _goes(stage, launch, "below a wrapper")
    _looks(stage, launch, "below a wrapper")


CELL = Cell(
    "sessions",
    "a new session, a reloaded one, and one below a wrapper are told as the launch's",
    ("A70", "D3"),
    run,
    ("pi",),
)
