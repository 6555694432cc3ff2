"""A hook that leaves its input unread does a real harness no harm."""

from __future__ import annotations

import json
import time

from validation.cell import Cell
from validation.stage import Stage

_SIZE = 2_000_000


def run(stage: Stage) -> None:
    stage.configure("--allowedTools", "Write")
    launch = stage.spawn_ready()
    file = stage.world.project / "large.txt"
    write = {"file_path": str(file), "content": {"$repeat": ["0123456789", _SIZE // 10]}}
    began = time.monotonic()
    sent = stage.send(launch, f"[[tool:Write {json.dumps(write)}]][[text:it is written]]")
    stage.show("a 2 MB Write was asked for", sent["receipt"] == "submitted", sent.words)
    waited = stage.wait(launch, "--timeout", "60")
    stage.show("the turn ended, status done", waited["status"] == "done", waited.words)
    took = time.monotonic() - began
    size = file.stat().st_size if file.exists() else 0
    stage.show("the file is whole: 2,000,000 bytes", size == _SIZE, size)
    screen = stage.terminal.text(launch.pane)
    stage.show("no hook is reported as failed", "hook" not in screen.lower(), screen)
    stage.show("and it took less than 20 s", took < 20, f"{took:.1f}")


CELL = Cell("big-payload", "a 2 MB tool payload, unread by the hook, does no harm", ("P1",), run)
