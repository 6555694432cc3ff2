"""While it works: recognised, and a send goes to the harness's own queue."""

from __future__ import annotations

from validation.cell import Cell
from validation.stage import Stage


def run(stage: Stage) -> None:
    stage.configure(*stage.kind.allowing)
    tail = stage.kind.shell("timeout 6 tail -f /dev/null")
    launch = stage.spawn_ready()
    for name, script in (
        ("streaming", "[[slow:6:word by word by word]]"),
        ("in a tool", f"{tail}[[text:the tool ended]]"),
    ):
        stage.send(launch, script)
        stage.until_busy(launch)
        answer = stage.status(launch)
        stage.show(f"{name}: status working", answer["status"] == "working", answer.words)
        text = f"[[text:said while {name}]]"
        sent = stage.send(launch, text)
        evidence = [each["seen"] for each in sent["evidence"] or [] if each["check"] == "status"]
        proved = sent["receipt"] == "submitted" or "working" in str(sent["evidence"])
        stage.show(f"{name}: a send goes, with receipt or evidence `working`", proved, sent.words)
        stage.asked_with(text)
        stage.show(f"{name}: and reached the model whole, by itself", True, evidence)
        waited = stage.wait(launch, "--timeout", "30")
        stage.show(f"{name}: then done", waited["status"] == "done", waited.words)


CELL = Cell("busy", "a working agent is known as such and takes a send", ("A74", "B7"), run)
