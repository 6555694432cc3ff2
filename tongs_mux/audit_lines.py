"""Reading the audit log: what is on record, and each new line, through rotations."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

from tongs_mux.audit import previous
from tongs_mux.files import open_private


class _Tail:
    """An open log file, read whole line by whole line."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._rest = b""
        self.status = os.fstat(fd)

    def read(self) -> Iterator[str]:
        while chunk := os.read(self._fd, 1 << 16):
            *whole, self._rest = (self._rest + chunk).split(b"\n")
            yield from (line.decode("utf-8", "replace") for line in whole if line)

    def close(self) -> None:
        os.close(self._fd)


def _opened(path: Path, stack: ExitStack) -> _Tail | None:
    try:
        tail = _Tail(open_private(path, os.O_RDONLY))
    except FileNotFoundError:
        return None
    stack.callback(tail.close)
    return tail


def _is(tail: _Tail | None, path: Path) -> bool:
    """True where ``path`` still names the file of ``tail`` (None: where it names none)."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return tail is None
    return tail is not None and os.path.samestat(status, tail.status)


def _both(path: Path, stack: ExitStack) -> list[_Tail]:
    """The renamed log and the current one as they were at one moment, oldest first."""
    while True:
        current = _opened(path, stack)
        renamed = _opened(previous(path), stack)
        # Had it been rotated between the two opens, the one renamed could be too new.
        if _is(current, path):
            return [tail for tail in (renamed, current) if tail is not None]
        stack.close()


def _newer(path: Path, last: _Tail | None, stack: ExitStack) -> list[_Tail]:
    """What was begun after ``last``, oldest first."""
    if last is None:
        return _both(path, stack)
    if _is(last, path):
        return []
    return [tail for tail in _both(path, stack) if not os.path.samestat(tail.status, last.status)]


def lines(path: Path) -> Iterator[str]:
    """Every whole line on record, oldest first: the renamed log, then the current one.

    Raises:
        PlaceRefused: a log is a link, foreign or open to others.
    """
    yield from follow(path, wait=lambda: False)


def follow(path: Path, *, wait: Callable[[], bool]) -> Iterator[str]:
    """As ``lines``, then each new line, through rotations.

    ``wait`` is called whenever there is nothing more to read; it pauses, and
    says whether to go on. Lines are lost only where the log is rotated more
    than twice between two calls.

    Raises:
        PlaceRefused: as ``lines``.
    """
    last: _Tail | None = None
    with ExitStack() as held:
        while True:
            with ExitStack() as fresh:
                newer = _newer(path, last, fresh)
                # The last one is read after the look: it may have grown up to its rotation.
                for tail in (last, *newer):
                    if tail is not None:
                        yield from tail.read()
                if newer:
                    last = newer[-1]
                    held.close()
                    held.push(fresh.pop_all())
            if not wait():
                return


__all__ = ["follow", "lines"]
