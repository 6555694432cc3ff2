"""A profile is started in a pane, and nothing of the user's is touched."""

from __future__ import annotations

import json
from pathlib import Path

from validation.cell import Cell
from validation.stage import Stage
from validation.terminal import wait_for

_SETTINGS = """{
  "theme": "dark",
  "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch MARK"}]}]}
}
"""
_EXPECTED = (".claude", ".cache", ".local", ".config")
"""How the names begin of what Claude Code and we make in a fresh home."""


def _files(place: Path) -> set[str]:
    return {str(path.relative_to(place)) for path in place.rglob("*")}


def run(stage: Stage) -> None:
    home, project = stage.world.home, stage.world.project
    mark = stage.world.directory / "their-hook-ran"
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(_SETTINGS.replace("MARK", str(mark)), encoding="utf-8")
    before = settings.read_bytes()
    (project / "README.md").write_text("a project\n", encoding="utf-8")
    files = _files(project)

    launch = stage.spawn()
    stage.show("spawned by profile: state running, in a pane of the workspace session", True)
    stage.until(launch, lambda reading: reading.composer == "empty", "an empty composer")
    stage.show("its composer was seen, and empty", True)
    answer = stage.status(launch)
    stage.show("agent-status: running", answer["state"] == "running", answer.words)

    wait_for(mark.exists, "the user's own hook to run")
    stage.show("a hook of the user's own settings ran beside ours", True)
    stage.show(
        "the user's settings.json is the same, byte for byte", settings.read_bytes() == before
    )
    own = json.loads((home / ".claude.json").read_text(encoding="utf-8"))
    at_project = own.get("projects", {}).get(str(project), {})
    registered = [each for each in (own, at_project) if each.get("hooks") or each.get("mcpServers")]
    stage.show("no hook and no MCP server was registered for the user", not registered, registered)
    stage.show("the project folder is the same", _files(project) == files, _files(project) - files)
    made = [path.name for path in home.iterdir() if not path.name.startswith(_EXPECTED)]
    stage.show("nothing else appeared in the home", not made, made)


CELL = Cell(
    "spawn",
    "started by its profile with no config of the user's touched; idle is recognised",
    ("A73", "A75", "A92"),
    run,
)
