"""Which answer is to which question: Zellij gives one to whoever has the asker's number by then.

A server numbers its clients, and a command is one. It takes each off twice: as
it says that it leaves, and again as its connection ends. Where a next one came
between the two, it got the freed number and is taken off in the other's place:
it is told to leave, status 0 and nothing said, while what it asked for goes on,
and the answer to that goes to whoever has the number then. So a listing counts
only where it has the form that was asked for, and a screen, which could be any
pane's, is not taken from an answer at all: it is written to a file of the call's own.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tongs_mux.errors import BackendError

DUMP = "dump-screen"
"""The action that reads a pane's screen."""

_MARKS = {"list-panes": "is_plugin", "list-tabs": "is_sync_panes_active"}
"""What each row of a listing has, and no row of another listing."""

_CLIENTS = "CLIENT_ID"
_SHEET = "screen-"


def is_answer(words: tuple[str, ...], said: str) -> bool:
    """True where ``said`` can be the answer to the action ``words``."""
    mark = _MARKS.get(words[0])
    if mark is not None:
        return _has_rows(said, mark)
    if words[0] == "list-clients":
        return said.startswith(_CLIENTS)
    return bool(said)


def _has_rows(said: str, mark: str) -> bool:
    """An empty listing is one too: of a session that is only starting."""
    try:
        rows = json.loads(said)
    except ValueError:
        return False
    return isinstance(rows, list) and all(isinstance(row, dict) and mark in row for row in rows)


@contextlib.contextmanager
def sheet(door: str) -> Iterator[Path]:
    """The path of a file that isn't there yet, in a private directory that ends with the block.

    What is written to it later is lost, as its directory is gone: a screen is
    left nowhere. So is what a process that was killed left behind, by the next
    one. Raises BackendError.
    """
    try:
        _sweep(door)
        place = tempfile.mkdtemp(prefix=f"{_SHEET}{os.getpid()}-", dir=door)
    except OSError as error:
        raise BackendError(f"no place to read a screen into: {error}") from error
    try:
        yield Path(place, "screen")
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _sweep(door: str) -> None:
    for name in os.listdir(door):
        pid = name.removeprefix(_SHEET).partition("-")[0] if name.startswith(_SHEET) else ""
        if pid.isdecimal() and not _runs(int(pid)):
            shutil.rmtree(Path(door, name), ignore_errors=True)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def written(path: Path) -> str | None:
    """The screen on a sheet, as an answer would have it; None where there is none yet."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return data.decode("utf-8", "replace") + "\n"


__all__ = ["DUMP", "is_answer", "sheet", "written"]
