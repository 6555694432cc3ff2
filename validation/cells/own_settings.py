"""A profile that names settings of its own keeps them, and is attached all the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from validation.cell import Cell
from validation.stage import Stage
from validation.terminal import wait_for


def _claude(stage: Stage, mark: Path) -> tuple[str, ...]:
    hook = {"hooks": [{"type": "command", "command": f"touch {mark}"}]}
    theirs = stage.world.project / "theirs.json"
    theirs.write_text(json.dumps({"hooks": {"Stop": [hook]}}), encoding="utf-8")
    return "--settings", "theirs.json"


def _codex(stage: Stage, mark: Path) -> tuple[str, ...]:
    del stage
    return "-c", f'hooks.Stop=[{{hooks=[{{type="command",command="touch {mark}"}}]}}]'


def _pi(stage: Stage, mark: Path) -> tuple[str, ...]:
    write = f'import("node:fs").then((fs) => fs.writeFileSync({json.dumps(str(mark))}, ""))'
    theirs = stage.world.project / "theirs.ts"
    text = f'export default (pi) => pi.on("agent_settled", () => {write});\n'
    theirs.write_text(text, encoding="utf-8")
    return "-e", "theirs.ts"


_OPTIONS: dict[str, Callable[[Stage, Path], tuple[str, ...]]] = {
    "claude": _claude,
    "codex": _codex,
    "pi": _pi,
}


def run(stage: Stage) -> None:
    mark = stage.world.directory / "their-hook-ran"
    stage.configure(*_OPTIONS[stage.kind.name](stage, mark))
    before = {path: path.read_bytes() for path in stage.world.project.iterdir()}
    launch = stage.spawn_ready()
    sent = stage.send(launch, "[[text:an answer]]")
    submitted = sent["receipt"] == "submitted"
    stage.show("our hooks run: receipt submitted", submitted, sent.words)
    waited = stage.wait(launch, "--timeout", "30")
    stage.show("and status done", waited["status"] == "done", waited.words)
    wait_for(mark.exists, "the profile's own Stop hook")
    stage.show("the profile's own hooks run too", True)
    after = {path: path.read_bytes() for path in stage.world.project.iterdir()}
    stage.show("its files are the same, byte for byte", after == before)


CELL = Cell("own-settings", "a profile's own settings by flag are merged with ours", ("A73",), run)
