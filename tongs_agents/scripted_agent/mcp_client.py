"""The scripted agent as an MCP client: what its servers offer, and calls of their tools.

It speaks as the newest Claude Code does: ``server/discover`` first, and the older
handshake where a server does not know that.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tongs_agents.scripted_agent.mcp_config import ServerCommand
from tongs_agents.scripted_agent.mcp_line import Gone, Line, Message

MODERN = "2026-07-28"
LEGACY = "2025-11-25"

_INFO = {"name": "tongs-agents-scripted", "version": "1"}
_CHANGED = "notifications/tools/list_changed"


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What became of a call. ``known`` is False where the server lists no such tool."""

    known: bool
    failed: bool = False
    content: Mapping[str, Any] = field(default_factory=dict)
    """The structured reply, or ``{"text": …}``."""


class Client:
    """One server. Every method may be called from any thread; waiting ones block.

    ``record`` writes a fact into the journal.
    """

    def __init__(
        self,
        command: ServerCommand,
        environ: Mapping[str, str],
        record: Callable[[str, Mapping[str, Any]], None],
        *,
        legacy: bool,
        at_once: bool = True,
    ) -> None:
        self.name = command.name
        self._command = command
        self._environ = environ
        self._record = record
        self._legacy = legacy
        self._line: Line | None = None
        self._tools: frozenset[str] | None = None
        self._failed = False
        self._news = threading.Condition()
        self._changes = 0
        self._begun = False
        if at_once:
            self._begin()

    def _begin(self) -> None:
        with self._news:
            begun, self._begun = self._begun, True
        if not begun:
            threading.Thread(target=self._run, daemon=True).start()

    def offers(self, tool: str) -> bool:
        """Whether the server lists ``tool`` now; waits for its first listing."""
        self._begin()
        with self._news:
            self._news.wait_for(lambda: self._tools is not None or self._failed)
            return tool in (self._tools or ())

    def call(
        self, tool: str, arguments: Mapping[str, Any], use_id: str, begun: Callable[[int], None]
    ) -> ToolReply | None:
        """Call a tool; None where it was taken back, or the server is gone.

        ``begun`` is told the request's id, for ``take_back``.
        """
        self.offers(tool)  # it is up by then
        line = self._line
        if line is None:
            return None
        meta = {"progressToken": use_id, "claudecode/toolUseId": use_id}
        params = {"name": tool, "arguments": dict(arguments)}
        try:
            request_id = line.post("tools/call", self._with_meta(params, meta))
            begun(request_id)
            return _reply(line.answer(request_id))
        except Gone:
            return None

    def take_back(self, request_id: int) -> None:
        """The user has interrupted it."""
        if self._line is not None:
            self._line.take_back(request_id, "interrupted by the user")

    def close(self) -> None:
        """End the server."""
        if self._line is not None:
            self._line.close()

    def _run(self) -> None:
        try:
            self._line = line = Line(self._command, self._environ, self._heard)
            self._shake_hands(line)
            seen = -1
            while True:
                seen = self._list(line, seen)
        except (Gone, OSError) as error:
            self._record("mcp-gone", {"server": self.name, "why": str(error)})
        finally:
            with self._news:
                self._failed = True
                self._news.notify_all()

    def _shake_hands(self, line: Line) -> None:
        if not self._legacy:
            answer = line.answer(line.post("server/discover", self._with_meta({}, {})))
            if "result" in answer:
                listen = {"notifications": {"toolsListChanged": True}}
                line.post("subscriptions/listen", self._with_meta(listen, {}))
                return
            self._legacy = True
        hello = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": _INFO}
        line.answer(line.post("initialize", hello))
        line.notify("notifications/initialized", {})

    def _list(self, line: Line, seen: int) -> int:
        """List the tools once more, as soon as something has changed since ``seen``."""
        with self._news:
            self._news.wait_for(lambda: self._changes > seen or self._failed)
            now = self._changes
        answer = line.answer(line.post("tools/list", self._with_meta({}, {})))
        tools = [tool["name"] for tool in answer.get("result", {}).get("tools", [])]
        generation = LEGACY if self._legacy else MODERN
        fields = {"server": self.name, "tools": tools, "protocol": generation, "pid": line.pid}
        self._record("mcp-tools", fields)
        with self._news:
            self._tools = frozenset(tools)
            self._news.notify_all()
        return now

    def _heard(self, message: Message) -> None:
        method = message["method"]
        if method == _CHANGED:
            with self._news:
                self._changes += 1
                self._news.notify_all()
        elif method == "notifications/progress":
            params = message.get("params", {})
            told = {name: params.get(name) for name in ("progress", "message")}
            self._record("mcp-progress", {"server": self.name, **told})

    def _with_meta(self, params: Mapping[str, Any], meta: Mapping[str, Any]) -> Message:
        envelope: dict[str, Any] = {}
        if not self._legacy:
            envelope = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientInfo": _INFO,
                "io.modelcontextprotocol/clientCapabilities": {},
            }
        known = {**envelope, **meta}
        return {**params, **({"_meta": known} if known else {})}


def _reply(answer: Message) -> ToolReply:
    if "result" not in answer:
        message = answer.get("error", {}).get("message", "")
        return ToolReply(known=False, failed=True, content={"text": message})
    result = answer["result"]
    texts = [part.get("text", "") for part in result.get("content", [])]
    content = result.get("structuredContent") or {"text": "\n".join(texts)}
    return ToolReply(known=True, failed=bool(result.get("isError")), content=content)


__all__ = ["LEGACY", "MODERN", "Client", "ToolReply"]
