"""``wait`` after a send returns on that turn's end, and not on the turn before."""

from __future__ import annotations

from validation.cell import Cell
from validation.stage import Stage


def run(stage: Stage) -> None:
    launch = stage.spawn_ready()
    stage.send(launch, "[[text:the first answer]]")
    first = stage.wait(launch, "--timeout", "30")
    stage.show("wait returned done for a first turn", first["status"] == "done", first.words)

    stage.send(launch, "[[slow:4:the second answer]]")
    second = stage.wait(launch, "--timeout", "30")
    seen = stage.terminal.text(launch.pane)
    stage.show(
        "a second send, waited for at once: it returned when the slow second turn was over",
        second["status"] == "done" and second["waited_s"] > 2 and "the second answer" in seen,
        second.words,
    )
    stage.send(launch, "[[slow:4:the third answer]]")
    queued = stage.send(launch, "[[text:the fourth answer]]")
    stage.show("a send to a working launch went", queued.code == 0, queued.words)
    waited = stage.wait(launch, "--timeout", "30")
    lines = map(str.strip, stage.terminal.text(launch.pane).splitlines())
    said = any(line.startswith(stage.kind.said) and "the fourth" in line for line in lines)
    stage.show(
        "sent while a turn ran: wait returned when it was answered",
        waited["status"] == "done" and said,
        waited.words,
    )


CELL = Cell(
    "wait-own-stop", "`wait` returns on its turn's Stop and not on the turn before", ("A74",), run
)
