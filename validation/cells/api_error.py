"""A turn that ends in an error of the API is known as such, whether or not a hook says so."""

from __future__ import annotations

from validation.cell import Cell
from validation.stage import Stage


def run(stage: Stage) -> None:
    launch = stage.spawn_ready()
    stage.send(launch, "[[text:a first answer]]")
    stage.wait(launch, "--timeout", "30")
    stage.send(launch, "[[error:400]]")
    waited = stage.wait(launch, "--until", "error", "--timeout", "30")
    stage.show("the API fails: status error", waited["status"] == "error", waited.words)
    evidence = stage.status(launch)["evidence"]
    stage.show("evidence failure", any(it["check"] == "failure" for it in evidence), evidence)
    sent = stage.send(launch, "[[text:after the error]]")
    stage.show("a send goes after it", sent["receipt"] == "submitted", sent.words)
    waited = stage.wait(launch, "--timeout", "30")
    stage.show("and is done", waited["status"] == "done", waited.words)


CELL = Cell(
    "api-error", "a turn that the API failed reads as error, and a send goes", ("A68",), run
)
