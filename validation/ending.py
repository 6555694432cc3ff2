"""Nothing that a run started outlives it: found by mark or by descent, and ended by id."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType

import psutil

MARK = "VALIDATION_WORLD"
"""Names the world in the environment of all that runs in it, so that it can be ended."""

_CHILD_SUBREAPER = 36
_ASK_SECONDS = 1.0
_END_SECONDS = 30.0
_STEP = 0.05


def adopt() -> None:
    """Take in what loses its parent, and go by the usual way out when told to end.

    Claude Code's background sessions are daemons, and a program that writes its
    title may write over its environment: then only descent tells whose it is.
    """
    with contextlib.suppress(OSError, AttributeError):  # not Linux: the mark alone is left
        ctypes.CDLL(None).prctl(_CHILD_SUBREAPER, 1, 0, 0, 0)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)


def _leave(number: int, frame: FrameType | None) -> None:
    del frame
    sys.exit(128 + number)


def end_all(directory: Path) -> None:
    """End every process of the world, by id: asked first, then killed, until none is left.

    Raises RuntimeError, with their ids, where some can't be ended.
    """
    began = time.monotonic()
    while left := _living(directory):
        past = time.monotonic() - began
        if past > _END_SECONDS:
            raise RuntimeError(f"still running: {' '.join(str(each.pid) for each in left)}")
        for process in left:
            with contextlib.suppress(psutil.Error):
                process.terminate() if past < _ASK_SECONDS else process.kill()
        time.sleep(_STEP)
    _reap()


def _living(directory: Path) -> list[psutil.Process]:
    """The world's processes: they carry its mark, or descend from this one."""
    mark = str(directory)
    found = set(psutil.Process().children(recursive=True))
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.environ().get(MARK) == mark:
                found.add(process)
    return [each for each in found if each.pid != os.getpid() and _runs(each)]


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _reap() -> None:
    """Those that were adopted are waited for by nobody else."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


__all__ = ["MARK", "adopt", "end_all"]
