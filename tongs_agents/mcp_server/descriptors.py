"""Standard input and output, kept for the protocol alone.

Whatever a library or a child process prints goes to standard error, and what it
reads is empty: a single stray line would break the client's connection.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from typing import NamedTuple


class Descriptors(NamedTuple):
    """Private duplicates of what were standard input and output; no child inherits them."""

    incoming: int
    outgoing: int


def claim() -> Descriptors:
    """Take both, and leave the null device and standard error in their places.

    Raises OSError where the process was started without one of them.
    """
    found = Descriptors(*(fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3) for fd in (0, 1)))
    _become(os.open(os.devnull, os.O_RDONLY), 0)
    try:
        _become(os.dup(2), 1)
    except OSError:  # there is no standard error either
        _become(os.open(os.devnull, os.O_WRONLY), 1)
    return found


def complain(text: str) -> None:
    """One line on standard error, where a harness keeps its log of a server."""
    with suppress(OSError):
        os.write(2, f"tongs-agents mcp: {text}\n".encode("utf-8", "replace"))


def _become(source: int, target: int) -> None:
    try:
        os.dup2(source, target)
    finally:
        with suppress(OSError):
            os.close(source)


__all__ = ["Descriptors", "claim", "complain"]
