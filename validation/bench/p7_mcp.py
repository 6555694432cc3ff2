"""P7: the MCP server, from its start to its first `tools/list` answered, and its memory then."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tongs_agents.mcp_server.command import mcp_command
from validation.bench.measure import Sample, interleaved
from validation.bench.report import Row

GOAL = 1.1
FLOOR = "python -c 'import mcp.server'"
NOTE = "nearly all of it is the SDK's own import; ours comes on top of it."

_INFO = {"name": "bench", "version": "1"}
_HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": _INFO}
_REQUESTS = (
    {"id": 1, "method": "initialize", "params": _HELLO},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
)
_INPUT = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in _REQUESTS).encode()


def measure(runs: int) -> list[Row]:
    """A row each for time and memory, with five tools and with nine."""
    rows: list[Row] = []
    for tools, enabled in ((5, "false"), (9, "true")):
        with _home(enabled) as environ:
            memory: dict[str, list[float]] = {"floor": [], "ours": []}
            floor, ours = interleaved(
                runs,
                (
                    (FLOOR, _floor(environ, memory["floor"].append)),
                    ("tongs-agents mcp", _ours(environ, memory["ours"].append)),
                ),
            )
        rows.append(Row("P7", f"MCP server, {tools} tools listed", floor, ours, GOAL, NOTE))
        bare, own = (Sample(name, tuple(memory[name])) for name in ("floor", "ours"))
        what = f"MCP server, {tools} tools: resident memory (MiB, not ms)"
        rows.append(Row("P7", what, bare, own, GOAL, NOTE))
    return rows


@contextmanager
def _home(enabled: str) -> Iterator[dict[str, str]]:
    with tempfile.TemporaryDirectory(prefix="tongs-p7-") as name:
        config = Path(name, ".config", "tongs-agents", "config.toml")
        config.parent.mkdir(parents=True)
        config.write_text(f"[control]\nmcp_enabled = {enabled}\n", encoding="utf-8")
        yield {"HOME": name, "PATH": os.environ["PATH"]}


def _floor(environ: dict[str, str], memory: Callable[[float], None]) -> Callable[[], float]:
    code = "import mcp.server"

    def run() -> float:
        """The whole process; its memory is that of another, which stays to be looked at."""
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], env=environ, check=True)
        took = time.perf_counter() - start
        staying = [sys.executable, "-c", f"{code}; print(flush=True); input()"]
        with _started(staying, environ) as process:
            _line(process)
            memory(_resident(process.pid))
        return took

    return run


def _ours(environ: dict[str, str], memory: Callable[[float], None]) -> Callable[[], float]:
    argv = list(mcp_command("installed", python=Path(sys.executable)))

    def run() -> float:
        start = time.perf_counter()
        with _started(argv, environ) as process:
            assert process.stdin is not None
            process.stdin.write(_INPUT)
            process.stdin.flush()
            answers = [json.loads(_line(process)) for _ in range(2)]
            took = time.perf_counter() - start
            assert answers[1]["result"]["tools"]
            memory(_resident(process.pid))
        return took

    return run


@contextmanager
def _started(argv: list[str], environ: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe, env=environ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.close()


def _line(process: subprocess.Popen[bytes]) -> bytes:
    assert process.stdout is not None
    return process.stdout.readline()


def _resident(pid: int) -> float:
    """MiB, in thousandths, as the page's columns have it."""
    text = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    kib = next(line.split()[1] for line in text.splitlines() if line.startswith("VmRSS:"))
    return int(kib) / 1024 / 1000
