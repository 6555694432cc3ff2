"""Registered in the user's files and attached to the launch too: nothing runs twice."""

from __future__ import annotations

from validation.cell import Cell
from validation.cells.mcp import OWN, until_offered
from validation.stage import Stage


def run(stage: Stage) -> None:
    installed = stage.tongs("install", "--agent", "claude")
    stage.show("install registers hooks and MCP server", installed.code == 0, installed.words)
    for attach in ("auto", "always"):
        stage.configure(attach=attach, env={"ENABLE_TOOL_SEARCH": "false"})
        launch = stage.spawn_ready()
        until_offered(stage, launch)
        before = len(stage.all_asked_with('"counts"'))
        sent = stage.send(launch, f"{stage.kind.tool(OWN, {})}[[text:looked, {attach}]]")
        submitted = sent["receipt"] == "submitted"
        stage.show(f"{attach}: receipt submitted", submitted, sent.words)
        waited = stage.wait(launch, "--timeout", "30")
        stage.show(f"{attach}: done", waited["status"] == "done", waited.words)
        counted = stage.all_asked_with('"counts"')[before:]
        stage.show(f"{attach}: the server's reply reaches the model", bool(counted))
        names = [tool["name"] for tool in counted[-1].body["tools"]]
        stage.show(
            f"{attach}: each tool is offered once",
            names.count(f"mcp__tongs-agents__{OWN}") == 1,
            names,
        )
        evidence = stage.status(launch)["evidence"]
        stops = [fact for fact in evidence if fact["check"] == "stop"]
        stage.show(f"{attach}: each event is one fact", len(stops) == 1, stops)
        stage.tongs("close", launch.launch_id)


CELL = Cell(
    "mcp-installed",
    "installed and attached at once: nothing twice, nothing missing",
    ("A72",),
    run,
    harnesses=("claude",),
)
