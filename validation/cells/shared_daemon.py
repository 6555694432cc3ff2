"""Two sessions of Codex made to share one background server: it speaks for neither."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import psutil

from tongs_agents.hooks.command import hook_command
from validation.cell import Cell
from validation.ending import MARK
from validation.stage import Launch, Stage
from validation.terminal import wait_for

_FRONT = """#!/bin/sh
# what a person may do by hand: takes --no-daemon out again
for word; do
  shift
  [ "$word" = --no-daemon ] || set -- "$@" "$word"
done
exec codex "$@"
"""
_EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
_OF_A_TURN = ("SessionStart", "UserPromptSubmit", "Stop")
_SECONDS = 90.0
"""It copies itself before its server starts the first time."""


def _install(stage: Stage) -> None:
    """Our hooks in the user's own settings, and one of the user's that leaves a mark."""
    lines = []
    for event in _EVENTS:
        ours = hook_command("codex", "installed", event, python=Path(sys.executable))
        for command in (ours, f"echo $TONGS_AGENTS_LAUNCH_ID >>{_mark(stage)}"):
            lines += [f"[[hooks.{event}]]", f"[[hooks.{event}.hooks]]"]
            lines += ['type = "command"', f"command = {json.dumps(command)}", "timeout = 3"]
    with (stage.world.home / ".codex" / "config.toml").open("a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def _mark(stage: Stage) -> Path:
    return stage.world.directory / "hooks-ran"


def _servers(stage: Stage) -> list[str]:
    """The command lines of the background servers of this world."""
    found = []
    for process in psutil.process_iter():
        try:
            words = process.cmdline()
            mine = process.environ().get(MARK) == str(stage.world.directory)
        except psutil.Error:
            continue
        if mine and "app-server" in words and "--listen" in words:
            found.append(" ".join(words)[-80:])
    return found


def _ready(stage: Stage, launch: Launch) -> None:
    stage.until(launch, lambda reading: reading.composer == "empty", "a composer", _SECONDS)


def run(stage: Stage) -> None:
    _install(stage)
    front = stage.world.directory / "front" / "codex"
    front.parent.mkdir()
    front.write_text(_FRONT, encoding="utf-8")
    front.chmod(0o755)
    stage.configure(command=(str(front),), attach="never")
    first = stage.spawn()
    stage.until(first, lambda reading: reading.dialog == "hooks", "its question", _SECONDS)
    stage.choose(first, "2")
    _ready(stage, first)
    second = stage.spawn()
    _ready(stage, second)
    servers = _servers(stage)
    stage.show("two sessions share one background server", len(servers) == 1, servers)
    for launch, text in ((first, "the first"), (second, "the second")):
        stage.send(launch, f"[[text:{text} is answered]]")
        stage.terminal.shows(launch.pane, f"{stage.kind.said} {text} is answered")
    ids = wait_for(lambda: _ran(stage), "the hooks of both")
    stage.show("hooks ran in it, for both as the first launch", ids == {first.launch_id}, ids)
    sessions = stage.world.home / ".local" / "state" / "tongs-agents" / "sessions"
    records = [path.name for path in sessions.glob("*.json")]
    stage.show("and nothing was recorded, of either", not records, records)
    for name, launch in (("first", first), ("second", second)):
        status = stage.status(launch)
        stage.show(f"the {name} has no status", status["status"] is None, status.words)


def _ran(stage: Stage) -> set[str] | None:
    """Whose launch the hooks took theirs for, once both sessions had a whole turn."""
    try:
        lines = _mark(stage).read_text(encoding="utf-8").split()
    except FileNotFoundError:
        return None
    return (
        set(lines) if len(lines) >= 2 * len(("SessionStart", "UserPromptSubmit", "Stop")) else None
    )


CELL = Cell(
    "shared-daemon",
    "a background server that sessions share speaks for none of them",
    ("A71", "A70"),
    run,
    ("codex",),
)
