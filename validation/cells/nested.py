"""Another harness inside the agent's shell is not the launch."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

from validation import claude, codex, pi
from validation.cell import Cell
from validation.stage import Stage

_STATE = Path(".local", "state", "tongs-agents")


def _pi(stage: Stage, words: list[str], prompt: str) -> list[str]:
    """Its command line is its title; what it was given lies in the runtime directory."""
    del words
    place = stage.world.directory / "run" / "tongs-agents" / "attached"
    return pi.nested(next(place.glob("*.ts")), prompt)


_INNER: dict[str, Callable[[Stage, list[str], str], list[str]]] = {
    "claude": lambda _, words, prompt: claude.nested(words, prompt),
    "codex": lambda _, words, prompt: codex.nested(words, prompt),
    "pi": _pi,
}
"""The command line that asks the same program again, with the hooks that a launch was given."""


def _records(stage: Stage) -> dict[str, bytes]:
    place = stage.world.home / _STATE / "sessions"
    return {path.name: path.read_bytes() for path in sorted(place.glob("*")) if path.is_file()}


def run(stage: Stage) -> None:
    stage.configure(*stage.kind.allowing)
    launch = stage.spawn_ready()
    stage.send(launch, "[[text:the outer turn]]")
    stage.wait(launch, "--timeout", "30")
    before = _records(stage)
    stage.show("the launch's own turn is on record", bool(before))

    # as the agent's own shell would: in the launch's whole environment, with the launch's hooks
    pid = stage.status(launch)["pid"]
    words = Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8").split("\0")[:-1]
    again = _INNER[stage.kind.name](stage, words, "[[text:the inner turn]]")
    attached = "attached" in str(again)
    stage.show("hooks came with the launch by its own flags", attached, again)
    nested = f"{shlex.join(again)} </dev/null"
    inner = stage.world.project / "inner.sh"
    inner.write_text(f"{nested}\nTONGS_AGENTS_LAUNCH_ID=../../x {nested}\n", encoding="utf-8")
    nest = stage.kind.shell("sh inner.sh >inner-said 2>&1; touch inner-ended")
    stage.send(launch, f"{nest}[[text:the outer turn again]]")
    stage.asked_with("the inner turn")
    running = stage.status(launch)
    stage.show("while it runs: status working", running["status"] == "working", running.words)
    stage.wait(launch, "--timeout", "60")
    stage.show("a nested session ran", (stage.world.project / "inner-ended").exists())
    after = _records(stage)
    stage.show("no record but the launch's own was made", set(after) == set(before), set(after))
    held = all("the inner turn" not in str(data) for data in after.values())
    stage.show("and it says nothing of the nested session", held)
    status = stage.status(launch)
    stage.show("status done, of the launch's own turn", status["status"] == "done", status.words)


CELL = Cell("nested", "a nested session of the same harness changes no record", ("A70",), run)
