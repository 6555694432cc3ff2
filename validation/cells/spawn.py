"""A profile is started in a pane, and nothing of the user's is touched."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from validation.cell import Cell
from validation.stage import Stage
from validation.terminal import wait_for


@dataclass(frozen=True, slots=True)
class _Theirs:
    """What a user has of their own. ``settings`` holds a hook that touches MARK."""

    settings: str
    text: str
    registered: Callable[[Path, Path], list[Any]]
    """What is registered for the user in other files: (home, project) -> entries."""
    makes: tuple[str, ...]
    """How the names begin of what the harness and we make in a fresh home."""


def _claude(home: Path, project: Path) -> list[Any]:
    own = json.loads((home / ".claude.json").read_text(encoding="utf-8"))
    places = (own, own.get("projects", {}).get(str(project), {}))
    return [each for each in places if each.get("hooks") or each.get("mcpServers")]


def _codex(home: Path, project: Path) -> list[Any]:
    del project
    own = tomllib.loads((home / ".codex" / "config.toml").read_text(encoding="utf-8"))
    return [value for key, value in own.items() if key in ("hooks", "mcp_servers")]


def _pi(home: Path, project: Path) -> list[Any]:
    place = home / ".pi" / "agent"
    settings = json.loads((place / "settings.json").read_text(encoding="utf-8"))
    servers = [path for path in (place / "mcp.json", project / ".pi") if path.exists()]
    return [*settings.get("extensions", []), *servers]


_EXTENSION = """import { writeFileSync } from "node:fs";
export default (pi) => pi.on("session_start", () => writeFileSync("MARK", ""));
"""
_HOOKS = '"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch MARK"}]}]}'
_THEIRS: Mapping[str, _Theirs] = {
    "claude": _Theirs(
        ".claude/settings.json",
        f'{{\n  "theme": "dark",\n  {_HOOKS}\n}}\n',
        _claude,
        (".claude", ".cache", ".local", ".config"),
    ),
    "codex": _Theirs(
        ".codex/hooks.json",
        f"{{\n  {_HOOKS}\n}}\n",
        _codex,
        (".codex", ".cache", ".local", ".config"),
    ),
    "pi": _Theirs(
        ".pi/agent/extensions/theirs.ts", _EXTENSION, _pi, (".pi", ".cache", ".local", ".config")
    ),
}


def _files(place: Path) -> set[str]:
    return {str(path.relative_to(place)) for path in place.rglob("*")}


def run(stage: Stage) -> None:
    home, project, theirs = stage.world.home, stage.world.project, _THEIRS[stage.kind.name]
    mark = stage.world.directory / "their-hook-ran"
    settings = home / theirs.settings
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(theirs.text.replace("MARK", str(mark)), encoding="utf-8")
    before = settings.read_bytes()
    (project / "README.md").write_text("a project\n", encoding="utf-8")
    files = _files(project)

    launch = stage.spawn()
    stage.show("spawned by profile: state running, in a pane of the workspace session", True)
    stage.until(launch, lambda reading: reading.composer == "empty", "an empty composer")
    stage.show("its composer was seen, and empty", True)
    answer = stage.status(launch)
    stage.show("agent-status: running", answer["state"] == "running", answer.words)
    stage.show("and started, before any prompt", answer["status"] == "started", answer.words)

    sent = stage.send(launch, "[[text:hello]]")
    stage.show("a first prompt: receipt submitted", sent["receipt"] == "submitted", sent.words)
    wait_for(mark.exists, "the user's own hook to run")
    stage.show("a hook of the user's own settings ran beside ours", True)
    stage.show("the user's settings are the same, byte for byte", settings.read_bytes() == before)
    registered = theirs.registered(home, project)
    stage.show("no hook and no MCP server was registered for the user", not registered, registered)
    stage.show("the project folder is the same", _files(project) == files, _files(project) - files)
    made = [path.name for path in home.iterdir() if not path.name.startswith(theirs.makes)]
    stage.show("nothing else appeared in the home", not made, made)


CELL = Cell(
    "spawn",
    "started by its profile with no config of the user's touched; idle is recognised",
    ("A73", "A75", "A92"),
    run,
)
