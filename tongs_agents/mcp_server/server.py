"""The SDK's low-level server over our tools: listing, calling, and what a call is given."""

from __future__ import annotations

import os
import traceback
from asyncio import Task
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.metadata import version
from threading import Event
from typing import Any, cast

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError

from tongs_agents.mcp_server import replies
from tongs_agents.mcp_server.arguments import checked
from tongs_agents.mcp_server.exchange import Exchange, Settled
from tongs_agents.mcp_server.instructions import INSTRUCTIONS
from tongs_agents.mcp_server.listing import Listing
from tongs_agents.mcp_server.names import SERVER_NAME
from tongs_agents.mcp_server.threads import Threads
from tongs_agents.mcp_server.tool import Call, Tool
from tongs_agents.outcomes import failure_of

DEBUG = "TONGS_AGENTS_DEBUG"
"""Set to 1, an unexpected error shows its traceback on standard error."""

_Context = ServerRequestContext[Any, Any]
Denied = Callable[[Tool, BaseException], None]
"""Told of a call that never reached its tool; it may raise."""


class Tools:
    """Answers ``tools/list`` and ``tools/call``. Used from the event loop only."""

    def __init__(self, listing: Listing, threads: Threads, denied: Denied) -> None:
        self._listing = listing
        self._threads = threads
        self._denied = denied
        self._cancels: set[Event] = set()
        self._reports: set[Task[None]] = set()
        self._leaving = False

    def cancel_all(self) -> None:
        """Nobody waits any more: long work is told so, what begins from now on too."""
        self._leaving = True
        for event in self._cancels:
            event.set()

    async def list(self, ctx: _Context, _: object) -> types.ListToolsResult:
        """Every tool that is listed now."""
        tools = await self._listing.listed(ctx.session)
        _exchange(ctx).after_reply(lambda done: self._listing.handed_over(tools, done))
        return types.ListToolsResult(tools=[_shown(tool) for tool in tools])

    async def call(
        self, ctx: _Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """One call. Its failures are results; only an unknown tool is an error of the protocol."""
        tool = self._listing.tool(params.name)
        if tool is None:
            raise MCPError(types.INVALID_PARAMS, f"there is no tool {params.name[:80]!r}")
        found, given = tool, params.arguments or {}
        call = self._call(ctx)
        self._cancels.add(call.cancelled)
        if self._leaving:
            call.cancelled.set()
        try:
            reply, failed = await self._threads.result(lambda: self._run(found, call, given))
        finally:
            call.cancelled.set()
            self._cancels.discard(call.cancelled)
        text = types.TextContent(type="text", text=replies.text_of(reply))
        return types.CallToolResult(content=[text], structured_content=reply, is_error=failed)

    def _run(self, tool: Tool, call: Call, given: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
        """In a worker thread: the reply, and whether it is a failure. Never raises."""
        try:
            try:
                arguments = checked(tool.name, tool.input_schema, given)
            except Exception as error:
                self._denied(tool, error)
                raise
            return replies.answer(tool, tool.run(replace(call, arguments=arguments))), False
        except BaseException as error:  # noqa: BLE001 - whatever it is, it ends in the table
            failure = failure_of(error)
            if failure.reason == "failed" and os.environ.get(DEBUG) == "1":
                traceback.print_exception(error)
            return replies.refused(tool, failure), True

    def _call(self, ctx: _Context) -> Call:
        loop, exchange = self._threads.loop, _exchange(ctx)

        def progress(seconds: float, text: str) -> None:
            loop.call_soon_threadsafe(self._report, ctx, seconds, text)

        def after_reply(hook: Settled) -> None:
            loop.call_soon_threadsafe(exchange.after_reply, hook)

        meta: Mapping[str, Any] = dict(ctx.meta or {})
        return Call(progress=progress, after_reply=after_reply, meta=meta)

    def _report(self, ctx: _Context, seconds: float, text: str) -> None:
        task = self._threads.loop.create_task(ctx.session.report_progress(seconds, message=text))
        self._reports.add(task)
        task.add_done_callback(self._reports.discard)


def _exchange(ctx: _Context) -> Exchange:
    return cast(Exchange, ctx.request)


def _shown(tool: Tool) -> types.Tool:
    """The tool as the protocol has it."""
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=dict(tool.input_schema),
        output_schema=replies.output_schema(tool),
        annotations=types.ToolAnnotations(
            read_only_hint=tool.read_only, destructive_hint=False, open_world_hint=False
        ),
    )


def build(tools: Tools, listing: Listing) -> tuple[Server[Any], InitializationOptions]:
    """The server, and what it answers at an ``initialize``; both generations hear of changes."""
    server: Server[Any] = Server(
        SERVER_NAME,
        version=version("tongs-agents"),
        instructions=INSTRUCTIONS,
        on_list_tools=tools.list,
        on_call_tool=tools.call,
        on_subscriptions_listen=listing.listen,
    )
    # no telemetry: the one middleware that the SDK puts there opens spans
    server.middleware.clear()
    return server, server.create_initialization_options(NotificationOptions(tools_changed=True))


__all__ = ["DEBUG", "Denied", "Tools", "build"]
