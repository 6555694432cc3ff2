"""One program run to its end within a deadline; twice as fast as subprocess, and never hung."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import select
import shutil
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SECOND = "/dev/fd/3"
"""What a program opens to read its second input."""

_CHUNK = 1 << 16
_HIGH = 16
"""Above any number that a child is given, so that none of ours is in the way of another."""
_DEFAULTED = (signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that Python ignores and a program expects not to be."""


class DeadlinePassed(Exception):
    """The program did not end in time; it was killed."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended. ``code`` is negative where a signal ended it."""

    code: int
    out: bytes
    err: bytes


def run(
    argv: Sequence[str],
    *,
    environ: Mapping[str, str],
    stdin: bytes,
    deadline: float,
    second: bytes | None = None,
) -> Ended:
    """Run ``argv`` with ``stdin``, and ``second`` in ``SECOND``, for at most ``deadline`` seconds.

    It is given no other descriptor: a server that it starts would hold our
    caller's locks and pipes open. Words are UTF-8 to it, whatever the locale.

    Raises:
        DeadlinePassed: it had not ended; it was killed and reaped.
        FileNotFoundError: there is no such program.
    """
    until = time.monotonic() + deadline
    child = _Child.spawn(argv, environ, stdin, second)
    try:
        child.drain(until)
        return child.reap(until)
    except BaseException:
        child.kill()
        raise
    finally:
        child.close()


@dataclass
class _Child:
    pid: int
    out: int
    err: int
    feeds: dict[int, memoryview]
    collected: dict[int, list[bytes]]
    code: int | None = None

    @classmethod
    def spawn(
        cls, argv: Sequence[str], environ: Mapping[str, str], stdin: bytes, second: bytes | None
    ) -> _Child:
        inputs = {0: stdin} if stdin else {}
        inputs |= {} if second is None else {3: second}
        ends: list[int] = []
        ours: list[int] = []
        try:
            out, err = _reading(ours, ends), _reading(ours, ends)
            feeds = {_writing(ours, ends): memoryview(data) for data in inputs.values()}
            numbers = (1, 2, *inputs)
            pid = os.posix_spawn(
                _program(argv[0], environ),
                [_encoded(word) for word in argv],
                {_as_it_was(name): _as_it_was(value) for name, value in environ.items()},
                file_actions=_actions(dict(zip(numbers, ends, strict=True))),
                setsigdef=_DEFAULTED,
            )
        except BaseException:
            for fd in ours:
                _close(fd)
            raise
        finally:
            for fd in ends:
                _close(fd)
        return cls(pid, out, err, feeds, {out: [], err: []})

    def drain(self, until: float) -> None:
        """Feed its input and collect its output until it has closed both ends."""
        poller = select.poll()
        still = {self.out, self.err}
        for fd in still:
            poller.register(fd, select.POLLIN | select.POLLHUP)
        for fd in self.feeds:
            poller.register(fd, select.POLLOUT)
        while still:
            left = until - time.monotonic()
            if left <= 0:
                raise DeadlinePassed
            for fd, _ in poller.poll(left * 1000):
                if fd in self.feeds:
                    self._feed(fd, poller)
                elif not self._collect(fd):
                    poller.unregister(fd)
                    still.discard(fd)

    def _collect(self, fd: int) -> bool:
        data = os.read(fd, _CHUNK)
        self.collected[fd].append(data)
        return bool(data)

    def _feed(self, fd: int, poller: select.poll) -> None:
        """Write what it takes; a program that reads no more is not our trouble."""
        left = self.feeds[fd]
        try:
            left = left[os.write(fd, left) :]
        except BlockingIOError:
            return
        except OSError:
            left = left[:0]
        self.feeds[fd] = left
        if not left:
            poller.unregister(fd)
            _close(fd)
            del self.feeds[fd]

    def reap(self, until: float) -> Ended:
        """Its end; most often it has ended by now."""
        while self.code is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
            elif time.monotonic() >= until:
                raise DeadlinePassed
            else:
                time.sleep(0.0002)
        return Ended(
            self.code, b"".join(self.collected[self.out]), b"".join(self.collected[self.err])
        )

    def kill(self) -> None:
        """End it at once, and reap it."""
        if self.code is None:
            with contextlib.suppress(ProcessLookupError, ChildProcessError):
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)

    def close(self) -> None:
        """Close what is still open of the pipes."""
        for fd in (self.out, self.err, *self.feeds):
            _close(fd)


_Action = tuple[int, int] | tuple[int, int, int] | tuple[int, int, str, int, int]


def _high(fd: int) -> int:
    """The same pipe's end at a number that no child is given; 0 to 3 may be free in us."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    os.close(fd)
    return moved


def _reading(ours: list[int], ends: list[int]) -> int:
    """A pipe that a child writes: our end, both of them noted."""
    mine, its = map(_high, os.pipe())
    ours.append(mine)
    ends.append(its)
    return mine


def _writing(ours: list[int], ends: list[int]) -> int:
    """A pipe that a child reads."""
    its, mine = map(_high, os.pipe())
    os.set_blocking(mine, False)
    ours.append(mine)
    ends.append(its)
    return mine


def _actions(given: Mapping[int, int]) -> list[_Action]:
    """The child's descriptors: those ``given``, an empty standard input, and no other."""
    actions: list[_Action] = [(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in given.items()]
    if 0 not in given:
        actions.append((os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0))
    actions += [(os.POSIX_SPAWN_CLOSE, fd) for fd in _inheritable() if fd not in given]
    return actions


def _inheritable() -> list[int]:
    """Descriptors over 2 that a child would inherit: what our own caller left open in us."""
    found = []
    for name in os.listdir("/dev/fd"):
        with contextlib.suppress(OSError):  # the one of the listing itself
            if int(name) > 2 and os.get_inheritable(int(name)):
                found.append(int(name))
    return found


def _encoded(text: str) -> bytes:
    """UTF-8 in any locale (A22); bytes that never were text stay what they are."""
    return text.encode("utf-8", "surrogateescape")


def _as_it_was(text: str) -> bytes:
    """What the locale made this text of, as our own environment was read; else UTF-8."""
    try:
        return os.fsencode(text)
    except UnicodeEncodeError:
        return _encoded(text)


def _program(name: str, environ: Mapping[str, str]) -> str:
    """Its path by the environment that it is given, not by ours."""
    found = shutil.which(name, path=environ.get("PATH", os.defpath))
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    return found


def _close(fd: int | None) -> None:
    if fd is not None:
        with contextlib.suppress(OSError):
            os.close(fd)


__all__ = ["SECOND", "DeadlinePassed", "Ended", "run"]
