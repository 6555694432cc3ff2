"""The MCP server on standard input and output: five tools, then nine, and a send that is refused.

``python validation/mcp_stdio.py`` starts the server twice, in throw-away places and
with no other agent or multiplexer (requirement 11). It needs the product and nothing else.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tongs_agents.mcp_server.command import mcp_command
from tongs_agents.mcp_server.names import AGENTS, FLEET

MULTIPLEXERS = ("tmux", "zellij")
CONFIG = """\
[control]
mcp_enabled = {enabled}

[profiles.worker]
command = ["sh"]
mcp_control = true
"""
TEXT = "a text that nobody may type"


class NotHeld(Exception):
    """A fact that did not hold, with what was seen."""


class Server:
    """The server, started as a harness starts it."""

    def __init__(self, environ: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            mcp_command("installed", python=Path(sys.executable)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environ,
        )
        self._last = 0

    def ask(self, method: str, **params: Any) -> Any:
        """The result of a request."""
        self._last += 1
        self._say(id=self._last, method=method, params=params)
        assert self._process.stdout is not None
        answer = json.loads(self._process.stdout.readline())
        if answer.get("id") != self._last or "result" not in answer:
            raise NotHeld(f"{method} was answered with {answer}")
        return answer["result"]

    def greet(self) -> None:
        """The handshake."""
        client = {"name": "mcp_stdio", "version": "1"}
        self.ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
        self._say(method="notifications/initialized")

    def end(self) -> int:
        """End of input; the exit code."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        return self._process.wait(10)

    def _say(self, **message: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()


@contextmanager
def throw_away(*, enabled: bool) -> Iterator[tuple[Path, dict[str, str]]]:
    """A home with its places, and an environment that names no other; gone afterwards.

    In front on PATH stand programs of the multiplexers' names that tell of being started.
    """
    home = Path(tempfile.mkdtemp(prefix="tongs-mcp-"))
    try:
        config = home / ".config" / "tongs-agents" / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text(CONFIG.format(enabled=str(enabled).lower()), encoding="utf-8")
        programs = home / "bin"
        programs.mkdir()
        for name in MULTIPLEXERS:
            program = programs / name
            program.write_text(f'#!/bin/sh\necho "$0 $*" >>{home}/started\n', encoding="utf-8")
            program.chmod(0o700)
        path = f"{programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
        yield home, {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8"}
    finally:
        shutil.rmtree(home, ignore_errors=True)


def show(sentence: str, held: bool, seen: object) -> None:
    """Print what held. Raises NotHeld where it did not."""
    if not held:
        raise NotHeld(f"{sentence}: seen {seen}")
    print(f"  {sentence}")


def listed(*, enabled: bool, expected: tuple[str, ...]) -> None:
    """One start of the server: what it lists, and what else it does."""
    with throw_away(enabled=enabled) as (home, environ):
        server = Server(environ)
        server.greet()
        names = [tool["name"] for tool in server.ask("tools/list")["tools"]]
        words = "on" if enabled else "off"
        show(f"control {words}: exactly {len(expected)} tools", names == [*expected], names)
        if enabled:
            refused(server, home)
        code = server.end()
        show(f"control {words}: it ends with its client", code == 0, code)
        started = home / "started"
        text = started.read_text(encoding="utf-8") if started.exists() else ""
        show(f"control {words}: no multiplexer was started", not text, text)


def refused(server: Server, home: Path) -> None:
    """A send from outside of any launch."""
    arguments = {"launch_id": "0123456789ab", "text": TEXT}
    result = server.ask("tools/call", name="agents_send", arguments=arguments)
    reply = result["structuredContent"]
    is_refused = (reply["ok"], reply["outcome"], reply["exit_code"]) == (False, "refused", 5)
    show(f"agents_send from outside is refused: {reply.get('reason')}", is_refused, reply)
    show("as a failed call", result["isError"] is True, result)
    audit = home / ".local" / "state" / "tongs-agents" / "audit" / "control.jsonl"
    text = audit.read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    told = [(line["actor"], line["action"], line["outcome"], line["exit_code"]) for line in lines]
    show("and audited, once", told == [("mcp", "send", "refused", 5)], told)
    show("with size and hash, without the text", TEXT not in text and "sha256" in lines[0], text)
    mode = audit.stat().st_mode & 0o777
    show("in a file of mode 0600", mode == 0o600, oct(mode))


def main() -> int:
    """Both starts; the exit code."""
    print("mcp_stdio: live, the real server over its own pipes")
    try:
        listed(enabled=False, expected=FLEET)
        listed(enabled=True, expected=(*FLEET, *AGENTS))
    except NotHeld as trouble:
        print(f"mcp_stdio: did not hold: {trouble}")
        return 1
    print("mcp_stdio: all of it held")
    return 0


if __name__ == "__main__":
    sys.exit(main())
