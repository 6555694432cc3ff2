"""Another harness inside the agent's shell is not the launch."""

from __future__ import annotations

from pathlib import Path

from validation.cell import Cell
from validation.stage import Stage

_STATE = Path(".local", "state", "tongs-agents")


def _records(stage: Stage) -> dict[str, bytes]:
    place = stage.world.home / _STATE / "sessions"
    return {path.name: path.read_bytes() for path in sorted(place.glob("*")) if path.is_file()}


def run(stage: Stage) -> None:
    stage.configure("--allowedTools", "Bash")
    launch = stage.spawn_ready()
    stage.send(launch, "[[text:the outer turn]]")
    stage.wait(launch, "--timeout", "30")
    before = _records(stage)
    stage.show("the launch's own turn is on record", bool(before))

    # as the agent's own shell would: in the launch's whole environment, with the launch's hooks
    pid = stage.status(launch)["pid"]
    words = Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8").split("\0")
    attached = "--settings" in words
    stage.show("hooks came with the launch by its own flag", attached, words)
    settings = words[words.index("--settings") + 1]
    nested = f"claude -p --model opus --settings {settings} '[[text:the inner turn]]' </dev/null"
    inner = stage.world.project / "inner.sh"
    inner.write_text(f"{nested}\nTONGS_AGENTS_LAUNCH_ID=../../x {nested}\n", encoding="utf-8")
    stage.send(
        launch,
        '[[tool:Bash {"command": "sh inner.sh; touch inner-ended", "description": "Nest"}]]'
        "[[text:the outer turn again]]",
    )
    stage.asked_with("the inner turn")
    running = stage.status(launch)
    stage.show("while it runs: status working", running["status"] == "working", running.words)
    stage.wait(launch, "--timeout", "60")
    stage.show("a nested `claude -p` ran", (stage.world.project / "inner-ended").exists())
    after = _records(stage)
    stage.show("no record but the launch's own was made", set(after) == set(before), set(after))
    held = all("the inner turn" not in str(data) for data in after.values())
    stage.show("and it says nothing of the nested session", held)
    status = stage.status(launch)
    stage.show("status done, of the launch's own turn", status["status"] == "done", status.words)


CELL = Cell("nested", "a nested `claude -p` changes no record", ("A70",), run)
