"""A client of the MCP server, by hand: raw lines over the pipes of a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Any, Self

from tests.waiting import wait_for

SERVER = (sys.executable, "-I", "-m", "tongs_agents.mcp_server")
"""The server as a registration starts it, with what it is told after this."""

MODERN = "2026-07-28"
LEGACY = "2025-11-25"

Message = dict[str, Any]


class RawClient:
    """One server and everything it said. ``modern`` speaks without a handshake."""

    def __init__(
        self,
        argv: tuple[str, ...] = SERVER,
        *,
        environ: Mapping[str, str] | None = None,
        modern: bool = False,
        cwd: Path | None = None,
    ) -> None:
        self.process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(environ or {})},
            cwd=cwd,
        )
        self.modern = modern
        self.lines: list[bytes] = []
        self.errors = bytearray()
        self._ids = iter(range(1, 1_000_000))
        self._threads = [Thread(target=self._hear), Thread(target=self._overhear)]
        for thread in self._threads:
            thread.start()

    def _hear(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)

    def _overhear(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors += line

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(10)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    @property
    def heard(self) -> list[Message]:
        """Every message, in order; fails on a line that is none."""
        return [json.loads(line) for line in list(self.lines)]

    def raw(self, data: bytes) -> None:
        """Bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def say(self, message: Message) -> None:
        """One message."""
        self.raw(json.dumps(message).encode() + b"\n")

    def notify(self, method: str, params: Message | None = None) -> None:
        """One notification."""
        self.say({"jsonrpc": "2.0", "method": method, "params": params or {}})

    def ask(self, method: str, params: Message | None = None, **meta: Any) -> int:
        """One request; returns its id."""
        given = dict(params or {})
        known = {**meta, **(_envelope() if self.modern else {})}
        if known:
            given["_meta"] = known
        request_id = next(self._ids)
        self.say({"jsonrpc": "2.0", "id": request_id, "method": method, "params": given})
        return request_id

    def answer(self, request_id: int, *, deadline: float = 15.0) -> Message:
        """What came back: a ``result`` or an ``error``."""

        def found() -> Message | None:
            return next((one for one in self.heard if one.get("id") == request_id), None)

        reply = wait_for(found, deadline=deadline, what=f"an answer to {request_id}")
        assert reply is not None
        return reply

    def result(self, method: str, params: Message | None = None, **meta: Any) -> Message:
        """The result of a request that must succeed."""
        reply = self.answer(self.ask(method, params, **meta))
        assert "result" in reply, reply
        found: Message = reply["result"]
        return found

    def notified(self, method: str) -> list[Message]:
        """The notifications of that method so far."""
        return [one for one in self.heard if one.get("method") == method]

    def open(self) -> Message:
        """The handshake, or what stands in its place; returns what the server said."""
        if self.modern:
            return self.result("server/discover")
        info = {"name": "raw", "version": "1"}
        params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": info}
        found = self.result("initialize", params)
        self.notify("notifications/initialized")
        return found

    def tools(self) -> list[str]:
        """The names that are listed."""
        return [tool["name"] for tool in self.result("tools/list")["tools"]]

    def begin(self, name: str, /, **arguments: Any) -> int:
        """A call that is not waited for; returns its id."""
        return self.ask("tools/call", {"name": name, "arguments": arguments}, progressToken="p")

    def call(self, name: str, /, **arguments: Any) -> Message:
        """One call's JSON: structured, and the same as text."""
        return self.reply(self.begin(name, **arguments))

    def reply(self, request_id: int, *, deadline: float = 15.0) -> Message:
        """The JSON that answers a call."""
        answered = self.answer(request_id, deadline=deadline)
        assert "result" in answered, answered
        result = answered["result"]
        found: Message = result["structuredContent"]
        [content] = result["content"]
        assert json.loads(content["text"]) == found
        assert result["isError"] is not found["ok"]
        return found

    def close(self) -> int:
        """End of input; returns the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(10)


def _envelope() -> Message:
    return {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
