"""Agents that call over MCP: real servers below real launches, and a client to each."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.stories.rig import SCRIPTED, Agent, Rig
from tests.waiting import wait_for
from tongs_agents.config import Profile
from tongs_agents.mcp_server.command import mcp_command

HOST = (sys.executable, "-I", "-S", str(Path(__file__).with_name("host.py")))
SERVER = mcp_command("attached", python=Path(sys.executable))


class Client:
    """One MCP client, of the 2025 generation, at the other end of a socket."""

    def __init__(self, connection: socket.socket, errors: Path) -> None:
        self._connection = connection
        self._errors = errors
        self._replies: dict[int, dict[str, Any]] = {}
        self._last = 0
        self._sending = threading.Lock()
        self.progress: list[dict[str, Any]] = []
        self.told: list[str] = []
        """The notifications that came, by method."""
        self.ended = False
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        with self._connection.makefile("rb") as lines:
            try:
                for line in lines:
                    self._take(json.loads(line))
            except OSError:
                pass
        self.ended = True

    def _take(self, message: dict[str, Any]) -> None:
        if "id" not in message:
            self.told.append(message["method"])
        if message.get("method") == "notifications/progress":
            self.progress.append(message["params"])
        elif "method" not in message:
            self._replies[message["id"]] = message

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        with self._sending:
            self._connection.sendall(data)

    def request(self, method: str, **params: Any) -> int:
        """Ask; the id by which it is answered."""
        with self._sending:
            self._last += 1
            number = self._last
        self._send({"id": number, "method": method, "params": params})
        return number

    def answer(self, number: int, deadline: float = 30.0) -> dict[str, Any]:
        """The whole reply to a request."""

        def answered() -> bool:
            assert number in self._replies or not self.ended, self.complaints()
            return number in self._replies

        wait_for(answered, deadline=deadline, what=f"the reply to {number}")
        return self._replies.pop(number)

    def is_answered(self, number: int) -> bool:
        return number in self._replies

    def complaints(self) -> str:
        return self._errors.read_text("utf-8") if self._errors.exists() else ""

    def greet(self) -> Client:
        """The handshake of the 2025 generation."""
        info = {"name": "test", "version": "1"}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
        assert "result" in self.answer(self.request("initialize", **hello))
        self._send({"method": "notifications/initialized"})
        return self

    def tools(self) -> list[str]:
        reply = self.answer(self.request("tools/list"))
        return [tool["name"] for tool in reply["result"]["tools"]]

    def start(self, tool: str, **arguments: Any) -> int:
        """Begin a call; ``answer`` has what came of it."""
        meta = {"progressToken": secrets.token_hex(4)}
        return self.request("tools/call", name=tool, arguments=arguments, _meta=meta)

    def result(self, number: int, deadline: float = 30.0) -> dict[str, Any]:
        """What a call answered; its text is the same JSON."""
        result = self.answer(number, deadline)["result"]
        found: dict[str, Any] = result["structuredContent"]
        assert json.loads(result["content"][0]["text"]) == found
        assert result.get("isError", False) is not found["ok"]
        return found

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.result(self.start(tool, **arguments))

    def ok(self, tool: str, **arguments: Any) -> dict[str, Any]:
        found = self.call(tool, **arguments)
        assert found["ok"] is True, found
        return found

    def cancel(self, number: int) -> None:
        """As a harness does when its user interrupts a tool."""
        self._send({"method": "notifications/cancelled", "params": {"requestId": number}})

    def close(self) -> None:
        """The client goes away."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._reading.join(10)
        self._connection.close()


@dataclass(frozen=True)
class Lead:
    """A launch that calls over MCP."""

    mcp: McpRig
    agent: Agent
    socket: str

    @property
    def id(self) -> str:
        return self.agent.id

    def serve(
        self, *argv: str, env: Mapping[str, str | None] | None = None, greet: bool = True
    ) -> Client:
        """A server that this launch's own process starts; ``argv`` instead of the registered."""
        asked = {"argv": argv or SERVER, "env": env or {}, "errors": str(self.mcp.errors)}
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(self.socket)
        connection.sendall(json.dumps(asked).encode() + b"\n")
        client = self.mcp.client(connection)
        return client.greet() if greet else client


class McpRig:
    """A rig whose config lets agents control agents."""

    def __init__(self, rig: Rig, directory: Path, **control: object) -> None:
        self.rig = rig
        self.directory = directory
        self.errors = rig.directory / "servers.txt"
        self._hosts: list[str] = []
        self._clients: list[Client] = []
        self._children: list[subprocess.Popen[bytes]] = []
        self.set(mcp_enabled=True, **control)

    def set(self, **control: object) -> None:
        """Change what [control] says; None takes a key away."""
        self.rig.settings("control", **control)

    def host(self, **keys: object) -> tuple[Profile, str]:
        """A profile of a HOST and its socket."""
        path = str(self.directory / f"h{secrets.token_hex(3)}")
        self._hosts.append(path)
        return self.rig.profile((*HOST, path), **{"mcp_control": True, **keys}), path

    def lead(self, **keys: object) -> Lead:
        """A HOST that a person started."""
        profile, path = self.host(**keys)
        return self.of(self.rig.spawn(profile, self.rig.log()), path)

    def of(self, agent: Agent, path: str) -> Lead:
        wait_for(lambda: os.path.exists(path), deadline=20, what="a HOST that listens")
        return Lead(self, agent, path)

    def worker(self, *options: str, **keys: object) -> tuple[Profile, Path]:
        """A profile of the scripted agent that may be driven, and its journal."""
        log = self.rig.log()
        command = (SCRIPTED, "--log", str(log), *options)
        return self.rig.profile(command, **{"mcp_control": True, **keys}), log

    def agent(self, launch_id: str, log: Path) -> Agent:
        """A launch that a tool started."""
        return self.rig.agent(self.rig.control.store.read(launch_id), log)

    def spawned(self, client: Client, *options: str, **keys: object) -> Agent:
        """A worker that the client's own agent started, ready for a prompt."""
        profile, log = self.worker(*options, **keys)
        agent = self.agent(client.ok("agents_spawn", profile=profile.name)["launch_id"], log)
        agent.journal.wait("ready")
        agent.wait_composer("empty")
        return agent

    def outside(self, **env: str) -> Client:
        """A server that no launch started, with any environment."""
        ours, theirs = socket.socketpair()
        with theirs, self.errors.open("ab") as errors:
            process = subprocess.Popen(
                SERVER,
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=errors,
                env={**self.rig.environ, **self.places(), **env},
            )
        self._children.append(process)
        return self.client(ours).greet()

    def client(self, connection: socket.socket) -> Client:
        """A client that goes away with the test at the latest."""
        found = Client(connection, self.errors)
        self._clients.append(found)
        return found

    def end(self) -> None:
        """Every client goes away, and with it its server; every HOST ends."""
        for client in self._clients:
            client.close()
        for path in self._hosts:
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
                connection.connect(path)
                connection.sendall(b'{"argv": []}\n')
                connection.recv(1)
        for child in self._children:
            child.wait(20)

    def places(self) -> dict[str, str]:
        places = self.rig.places
        return {
            "TONGS_AGENTS_CONFIG": str(places.config),
            "TONGS_AGENTS_STATE_DIR": str(places.state_dir),
            "TONGS_AGENTS_RUNTIME_DIR": str(places.runtime_dir),
        }

    def cli(self, *words: str) -> dict[str, Any]:
        """What a person's command answers, in the same places."""
        program = (sys.executable, "-I", "-m", "tongs_agents.cli.main", *words, "--json")
        environ = {**self.rig.environ, **self.places()}
        ran = subprocess.run(program, capture_output=True, timeout=60, env=environ, check=True)
        found: dict[str, Any] = json.loads(ran.stdout)
        return found

    def audited(self, action: str) -> dict[str, Any]:
        """The newest outcome line of this action."""
        lines = [it for it in self.rig.audit() if it["action"] == action]
        return [it for it in lines if it["phase"] == "outcome"][-1]


__all__ = ["SERVER", "Client", "Lead", "McpRig"]
