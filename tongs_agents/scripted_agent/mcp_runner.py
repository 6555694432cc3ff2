"""Runs MCP calls beside the screen: a thread each, what came of them handed over like hooks."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress

from tongs_agents.scripted_agent.mcp_client import Client, ToolReply
from tongs_agents.scripted_agent.mcp_config import split
from tongs_agents.scripted_agent.turn import CallTool, Offered

UNKNOWN = ToolReply(known=False, failed=True)
"""There is no such tool, or its server is gone."""


class McpRunner:
    """All servers of one scripted agent. ``done`` is called when an answer is ready to be taken."""

    def __init__(self, clients: Iterable[Client], *, done: Callable[[], None]) -> None:
        self._clients = {client.name: client for client in clients}
        self._done = done
        self._ready: queue.SimpleQueue[tuple[int, bool | ToolReply]] = queue.SimpleQueue()
        self._requests: dict[int, tuple[Client, int]] = {}
        self._lock = threading.Lock()

    def start(self, token: int, request: Offered | CallTool) -> None:
        """Ask whether a tool is offered now, or call it; the answer carries ``token``."""
        client, name = self._of(request.tool)
        if client is None:
            self._give(token, False if isinstance(request, Offered) else UNKNOWN)
        elif isinstance(request, Offered):
            server = client
            self._spawn(token, lambda: server.offers(name))
        else:
            self._call(token, client, name, request)

    def _call(self, token: int, server: Client, name: str, request: CallTool) -> None:
        def begun(request_id: int) -> None:
            with self._lock:
                self._requests[token] = (server, request_id)

        def work() -> ToolReply:
            return server.call(name, request.arguments, request.use_id, begun) or UNKNOWN

        self._spawn(token, work)

    def take_back(self, token: int) -> None:
        """The turn that waited for this call was interrupted."""
        with self._lock:
            client, request_id = self._requests.pop(token, (None, 0))
        if client is not None:
            client.take_back(request_id)

    def answers(self) -> list[tuple[int, bool | ToolReply]]:
        """Every answer that is ready, in the order in which they came."""
        ready = []
        with suppress(queue.Empty):
            while True:
                ready.append(self._ready.get_nowait())
        return ready

    def close(self) -> None:
        """End every server, side by side."""
        threads = [threading.Thread(target=client.close) for client in self._clients.values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _of(self, tool: str) -> tuple[Client | None, str]:
        server, name = split(tool) or ("", "")
        return self._clients.get(server), name

    def _spawn(self, token: int, work: Callable[[], bool | ToolReply]) -> None:
        threading.Thread(target=lambda: self._give(token, work()), daemon=True).start()

    def _give(self, token: int, answer: bool | ToolReply) -> None:
        with self._lock:
            self._requests.pop(token, None)
        self._ready.put((token, answer))
        self._done()


__all__ = ["UNKNOWN", "McpRunner"]
