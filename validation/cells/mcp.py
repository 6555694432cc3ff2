"""The MCP server attached to a launch: offered, called, unasked where it acts on nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tongs_agents.mcp_server.command import mcp_command
from validation.cell import Cell
from validation.stage import Launch, Stage
from validation.terminal import wait_for

OWN = "fleet_status"
_ACTS = "fleet_cleanup"
_THEIRS = "mcp__theirs__fleet_session"


def until_offered(stage: Stage, launch: Launch, tool: str = OWN) -> None:
    """The servers of a session start beside its first turn, which may miss their tools."""
    turns = iter(range(1000))

    def offered() -> bool:
        word = f"turn {next(turns)}"
        stage.send(launch, f"{stage.kind.listing}[[text:{word}]]")
        stage.wait(launch, "--timeout", "30")
        stage.asked_with(word)
        return any(stage.kind.offers(asked, tool) for asked in stage.all_asked_with(word))

    wait_for(offered, f"the model to be offered {tool}", 40)


def run(stage: Stage) -> None:
    command, *words = mcp_command("attached", python=Path(sys.executable))
    server = {"command": command, "args": words}  # by another name, it is no server of ours
    theirs = stage.world.project / "theirs.json"
    theirs.write_text(json.dumps({"mcpServers": {"theirs": server}}), encoding="utf-8")
    stage.configure(
        *stage.kind.asking,
        *("--mcp-config", "theirs.json", "--strict-mcp-config"),
        env={"ENABLE_TOOL_SEARCH": "false"},
    )
    launch = stage.spawn_ready()
    until_offered(stage, launch)
    stage.send(launch, f"{stage.kind.tool(OWN, {})}[[text:looked]]")
    waited = stage.wait(launch, "--timeout", "30")
    stage.show("a tool that acts on nothing runs unasked", waited["status"] == "done", waited.words)
    answered = stage.asked_with('"counts"')
    stage.show("and its reply reaches the model", answered.holds(launch.launch_id))
    stage.show(
        "the profile's own MCP server is there too",
        any(each["name"] == _THEIRS for each in answered.body["tools"]),
    )
    stage.send(launch, f"{stage.kind.tool(_ACTS, {})}[[text:cleaned]]")
    stage.until(launch, lambda reading: reading.dialog == "permission", "the permission dialog")
    stage.show("one that acts is asked about", True)
    stage.terminal.press(launch.pane, "Escape")


CELL = Cell(
    "mcp",
    "our MCP server, attached beside the profile's own",
    ("7.1", "A73"),
    run,
    harnesses=("claude",),
)
