"""The journal: what happened to the scripted agent, one JSON line a fact.

Every fact has ``t`` (seconds since the epoch), ``event`` and ``pid``, and by event:

===============  ==============================================================
start            name, session_id, cwd
ready            (the composer is up; with --hidden-composer: would be)
bytes            hex, of every read; discarded: true where --late threw it away
paste            sha256, bytes: of what stood between one pair of markers
submit           text, sha256, bytes, way ("enter" or "argument")
turn-start       text
answer           text
dialog           tool, input
approved         tool
declined         tool
tool             tool, input: it "ran"
tool-blocked     tool, by a hook
tool-result      tool, known, failed, content: what its MCP server answered
no-such-tool     tool: its MCP server does not list it, or there is none
mcp-tools        server, tools, protocol, pid: what a server lists, at each listing
mcp-progress     server, progress, message
mcp-gone         server, why
context          hook, text: what a hook added
hook-failed      hook, why
interrupted      (by Escape or Ctrl-C; turn-end follows)
turn-end         how: "stop", "failed", "declined", "blocked" or "interrupted"
enter-dropped    (by --drop-first-enter)
signal           number
exit             status; the last line, written with the terminal given back
===============  ==============================================================
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

JOURNAL_VARIABLE = "TONGS_SCRIPTED_LOG"
"""Environment variable that names the file where the option does not."""


class Journal:
    """Appends facts to a file (0600), each in one unbuffered write. No file: no journal.

    Raises:
        OSError: the file can't be opened, is a link, or can't be written to.
    """

    def __init__(self, path: str | None, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._fd = None if path is None else _opened(path)

    def record(self, event: str, fields: Mapping[str, Any]) -> None:
        """Writes one fact: the time, the event, this process, and ``fields``."""
        if self._fd is None:
            return
        fact = {"t": round(self._clock(), 6), "event": event, "pid": os.getpid(), **fields}
        line = memoryview(json.dumps(fact).encode("ascii") + b"\n")
        while line:
            line = line[os.write(self._fd, line) :]

    def close(self) -> None:
        """Nothing is written after this."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _opened(path: str) -> int:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    return os.open(path, flags, 0o600)


__all__ = ["JOURNAL_VARIABLE", "Journal"]
