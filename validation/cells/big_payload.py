"""A hook that leaves its input unread does a real harness no harm."""

from __future__ import annotations

import time

from validation.cell import Cell
from validation.stage import Stage

_SIZE = 2_000_000


def run(stage: Stage) -> None:
    stage.configure(*stage.kind.allowing)
    launch = stage.spawn_ready()
    file = stage.world.project / "large.txt"
    write = stage.kind.write(file, "0123456789", _SIZE // 10)
    began = time.monotonic()
    sent = stage.send(launch, f"{write}[[text:it is written]]")
    stage.show("a file of 2 MB was asked for", sent["receipt"] == "submitted", sent.words)
    waited = stage.wait(launch, "--timeout", "60")
    stage.show("the turn ended, status done", waited["status"] == "done", waited.words)
    took = time.monotonic() - began
    size = file.stat().st_size if file.exists() else 0
    # a patch ends each line that it adds
    stage.show("the file is whole: 2,000,000 bytes", size - _SIZE in (0, 1), size)
    screen = stage.terminal.text(launch.pane)
    stage.show("no hook is reported as failed", "hook" not in screen.lower(), screen)
    stage.show("and it took less than 20 s", took < 20, f"{took:.1f}")


CELL = Cell("big-payload", "a 2 MB tool payload, unread by the hook, does no harm", ("P1",), run)
