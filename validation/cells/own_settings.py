"""A profile that names settings of its own keeps them, and is attached all the same."""

from __future__ import annotations

import json

from validation.cell import Cell
from validation.stage import Stage
from validation.terminal import wait_for


def run(stage: Stage) -> None:
    mark = stage.world.directory / "their-hook-ran"
    hook = {"hooks": [{"type": "command", "command": f"touch {mark}"}]}
    theirs = stage.world.project / "theirs.json"
    theirs.write_text(json.dumps({"hooks": {"Stop": [hook]}}), encoding="utf-8")
    before = theirs.read_bytes()
    stage.configure("--settings", "theirs.json")
    launch = stage.spawn_ready()
    sent = stage.send(launch, "[[text:an answer]]")
    submitted = sent["receipt"] == "submitted"
    stage.show("our hooks run: receipt submitted", submitted, sent.words)
    waited = stage.wait(launch, "--timeout", "30")
    stage.show("and status done", waited["status"] == "done", waited.words)
    wait_for(mark.exists, "the profile's own Stop hook")
    stage.show("the profile's own hooks run too", True)
    stage.show("its file is the same, byte for byte", theirs.read_bytes() == before)


CELL = Cell("own-settings", "a profile's own --settings are merged with ours", ("A73",), run)
