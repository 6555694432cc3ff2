"""One MCP server as a client has it: requests with their answers, over the pipes of a process."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO, Any

from tongs_agents.scripted_agent.mcp_config import ServerCommand

CLOSE_SECONDS = 2.5
"""How long a server may take to end once its input has ended."""

Message = dict[str, Any]


class Gone(Exception):
    """The server has ended, or was closed, before it answered."""


class Line:
    """The connection. ``notified`` is called from a thread for each notification."""

    def __init__(
        self,
        command: ServerCommand,
        environ: Mapping[str, str],
        notified: Callable[[Message], None],
    ) -> None:
        self._process = subprocess.Popen(
            command.argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**environ, **dict(command.env)},
        )
        self._notified = notified
        self._ids = itertools.count(1)
        self._answers: dict[int, Message | None] = {}
        self._arrived = threading.Condition()
        self._gone = False
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._process.pid

    def post(self, method: str, params: Mapping[str, Any]) -> int:
        """Send a request without waiting for its answer; returns its id. Raises Gone."""
        with self._arrived:
            request_id = next(self._ids)
            self._answers[request_id] = None
        self._send({"id": request_id, "method": method, "params": dict(params)})
        return request_id

    def notify(self, method: str, params: Mapping[str, Any]) -> None:
        """Send a notification. Raises Gone."""
        self._send({"method": method, "params": dict(params)})

    def answer(self, request_id: int) -> Message:
        """Wait for the answer, however long it takes. Raises Gone; so does one taken back."""
        with self._arrived:
            self._arrived.wait_for(
                lambda: self._gone or self._answers.get(request_id, {}) is not None
            )
            found = self._answers.pop(request_id, None)
        if found is None:
            raise Gone
        return found

    def take_back(self, request_id: int, reason: str) -> None:
        """Tell the server that nobody waits for this request any more."""
        with self._arrived:
            self._answers.pop(request_id, None)
            self._arrived.notify_all()
        with suppress(Gone):
            self.notify("notifications/cancelled", {"requestId": request_id, "reason": reason})

    def close(self) -> None:
        """End the server's input, and the server where it does not end by itself."""
        self._hang_up()
        with suppress(OSError):
            self._stream(self._process.stdin).close()
        try:
            self._process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _hang_up(self) -> None:
        with self._arrived:
            self._gone = True
            self._arrived.notify_all()

    def _send(self, message: Message) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode("ascii") + b"\n"
        try:
            with self._arrived:
                stdin = self._stream(self._process.stdin)
                os.write(stdin.fileno(), data)
        except (OSError, ValueError) as error:
            raise Gone from error

    def _read(self) -> None:
        with suppress(OSError, ValueError):
            for line in self._stream(self._process.stdout):
                self._heard(json.loads(line))
        self._hang_up()

    def _heard(self, message: Message) -> None:
        if "method" in message:
            self._notified(message)
            return
        with self._arrived:
            if message.get("id") in self._answers:
                self._answers[message["id"]] = message
                self._arrived.notify_all()

    @staticmethod
    def _stream(stream: IO[bytes] | None) -> IO[bytes]:
        if stream is None:
            raise OSError("it has no pipes")
        return stream


__all__ = ["CLOSE_SECONDS", "Gone", "Line", "Message"]
