"""The SDK's own client, in both generations, against the real server and one whose tools change."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError

from tests.mcp_client import LEGACY, MODERN, SERVER
from tongs_agents.mcp_server.names import AGENTS, FLEET

ROOT = Path(__file__).parents[2]
MODES = [("legacy", LEGACY), ("auto", MODERN), (MODERN, MODERN)]
SECONDS = 30.0


def served(mode: str, use: Callable[[Client], Awaitable[None]], *argv: str, **more: Any) -> None:
    """Have ``use`` done with a client of a server that is started for it."""
    command, *arguments = argv or SERVER
    parameters = StdioServerParameters(
        command=command, args=arguments, env=dict(os.environ), cwd=str(ROOT)
    )

    with open(os.devnull, "w", encoding="utf-8") as nowhere:

        async def main() -> None:
            async with Client(stdio_client(parameters, nowhere), mode=mode, **more) as client:
                await use(client)

        asyncio.run(asyncio.wait_for(main(), SECONDS))


@pytest.mark.parametrize(("mode", "protocol"), MODES)
def test_it_lists_and_calls_and_finds_every_reply_as_its_schema_says(mode: str, protocol: str):
    async def use(client: Client) -> None:
        assert client.protocol_version == protocol
        if mode != MODERN:  # there the client asks for nothing, and takes the version as given
            assert client.server_capabilities.tools is not None
            assert client.server_capabilities.tools.list_changed is True
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == list(FLEET)
        assert all(
            tool.annotations and tool.annotations.destructive_hint is False for tool in listed
        )
        done = await client.call_tool("fleet_status", {})  # the client checks the output schema
        assert done.structured_content == {"ok": True, "sessions": [], "counts": {}}
        [content] = done.content
        assert isinstance(content, types.TextContent)
        assert json.loads(content.text) == done.structured_content
        failed = await client.call_tool("fleet_session", {"session": "zzz"})
        assert (failed.is_error, (failed.structured_content or {})["reason"]) == (True, "usage")
        with pytest.raises(MCPError, match="no tool"):
            await client.call_tool("no_such_tool", {})

    served(mode, use)


@pytest.mark.parametrize(("mode", "protocol"), MODES)
def test_with_control_switched_on_there_are_nine(mode: str, protocol: str, world: Path):
    config = world / "config" / "tongs-agents" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("[control]\nmcp_enabled = true\n", encoding="utf-8")

    async def use(client: Client) -> None:
        listed = (await client.list_tools()).tools
        assert [tool.name for tool in listed] == [*FLEET, *AGENTS]

    served(mode, use)


@pytest.mark.requirement("3.10")
@pytest.mark.parametrize(("mode", "protocol"), MODES)
def test_it_hears_of_a_changed_list(mode: str, protocol: str, tmp_path: Path):
    presence = tmp_path / "presence"
    presence.write_text("hidden", encoding="utf-8")
    heard = asyncio.Queue[str]()

    async def told(message: object) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            await heard.put("notification")

    async def use(client: Client) -> None:
        assert "extra" not in [tool.name for tool in (await client.list_tools()).tools]
        if protocol == LEGACY:
            presence.write_text("listed", encoding="utf-8")
            await heard.get()
        else:
            async with client.listen(tools_list_changed=True) as events:
                presence.write_text("listed", encoding="utf-8")
                async for _ in events:
                    break
        assert "extra" in [tool.name for tool in (await client.list_tools()).tools]

    argv = (sys.executable, "-m", "tests.agents.odd_server", str(tmp_path))
    served(mode, use, *argv, message_handler=told)


def test_progress_comes_while_a_call_waits(tmp_path: Path):
    told: list[tuple[float, str | None]] = []

    async def progressed(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, message))
        (tmp_path / "a.go").touch()

    async def use(client: Client) -> None:
        done = await client.call_tool("wait", {"name": "a"}, progress_callback=progressed)
        assert done.structured_content == {"ok": True, "name": "a"}

    argv = (sys.executable, "-m", "tests.agents.odd_server", str(tmp_path))
    for mode, _ in MODES:
        (tmp_path / "a.go").unlink(missing_ok=True)
        served(mode, use, *argv)
    assert told == [(0.5, "waiting")] * len(MODES)
