"""Which tools are listed now, and telling the client when that changed, in both generations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

from tongs_agents.mcp_server.descriptors import complain
from tongs_agents.mcp_server.threads import Threads
from tongs_agents.mcp_server.tool import Family, Presence, Tool

CHECK_SECONDS = 2.0
"""How often families that come and go are asked (3.10)."""

LIST_SECONDS = 1.0
"""How long a listing waits for them; what answers later is told as a change."""


class Listing:
    """The families, and what the client knows of them. Used from the event loop only."""

    def __init__(self, families: Iterable[Family], threads: Threads) -> None:
        self._families = tuple(families)
        self._threads = threads
        self._presences: dict[int, Presence] = {}
        self._told: tuple[str, ...] | None = None
        self._session: ServerSession | None = None
        self._bus = InMemorySubscriptionBus()
        self.listen = ListenHandler(self._bus)
        """Serves ``subscriptions/listen``."""

    def tool(self, name: str) -> Tool | None:
        """The tool of that name that a call may reach, listed or not; None for an unknown one."""
        for at, family in enumerate(self._families):
            if self._presence(at) != "absent":
                for tool in family.tools:
                    if tool.name == name:
                        return tool
        return None

    async def listed(self, session: ServerSession) -> tuple[Tool, ...]:
        """What is listed now; from here on ``session`` is told of changes."""
        self._session = session
        await self._look(LIST_SECONDS)
        tools = self._tools()
        self._told = tuple(tool.name for tool in tools)
        return tools

    def handed_over(self, tools: tuple[Tool, ...], written: bool) -> None:
        """A listing of ``tools`` was written, or not: families are told, in this thread."""
        names = {tool.name for tool in tools}
        for family in self._families if written else ():
            whole = names.issuperset(tool.name for tool in family.tools)
            if whole and family.on_listed is not None:
                family.on_listed()

    async def watch(self) -> None:
        """Look again every two seconds, for as long as anything can change."""
        if all(family.presence is None for family in self._families):
            return
        while True:
            await self._look(None)
            await self._tell()
            await asyncio.sleep(CHECK_SECONDS)

    async def _tell(self) -> None:
        now = tuple(tool.name for tool in self._tools())
        if self._told is None or self._told == now or self._session is None:
            return
        self._told = now
        # each generation hears one of the two, and drops the other in silence
        await self._bus.publish(ToolsListChanged())
        await self._session.send_tool_list_changed()

    async def _look(self, seconds: float | None) -> None:
        looks = [
            asyncio.ensure_future(self._ask(at, family.presence))
            for at, family in enumerate(self._families)
            if family.presence is not None
        ]
        if looks:
            await asyncio.wait(looks, timeout=seconds)

    async def _ask(self, at: int, presence: Callable[[], Presence]) -> None:
        try:
            self._presences[at] = await self._threads.result(presence)
        except Exception as error:  # noqa: BLE001 - one that can't tell is not there: fail closed
            self._presences[at] = "hidden"
            complain(f"tools are not listed: {type(error).__name__}: {error}")

    def _presence(self, at: int) -> Presence:
        if self._families[at].presence is None:
            return "listed"
        return self._presences.get(at, "hidden")

    def _tools(self) -> tuple[Tool, ...]:
        return tuple(
            tool
            for at, family in enumerate(self._families)
            if self._presence(at) == "listed"
            for tool in family.tools
        )


__all__ = ["CHECK_SECONDS", "LIST_SECONDS", "Listing"]
