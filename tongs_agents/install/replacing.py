"""A user's own file, read and replaced as a whole: compared again just before, never half."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tongs_agents.errors import FileChanged
from tongs_mux.errors import PlaceRefused

MAX_BYTES = 64 * 1024 * 1024
"""Longest file that is read; a settings file is never near it."""

_NEW_MODE = 0o600


@dataclass(frozen=True, slots=True)
class Change:
    """One file before and after; None is no file."""

    path: Path
    before: bytes | None
    after: bytes | None


def current(path: Path) -> bytes | None:
    """The bytes of a file of ours, through any link to it; None where there is none.

    Raises PlaceRefused where it is no regular file, or another user's.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    with os.fdopen(fd, "rb") as file:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise PlaceRefused(f"{path} is no regular file", path=str(path))
        if info.st_uid != os.getuid():
            raise PlaceRefused(f"{path} belongs to another user", path=str(path))
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise PlaceRefused(f"{path} is larger than {MAX_BYTES} bytes", path=str(path))
    return data


def apply(changes: tuple[Change, ...]) -> None:
    """Make every change, or none: where one can't be made, those before it are taken back.

    Raises FileChanged where a file is no longer what the change was made from,
    PlaceRefused, OSError.
    """
    done: list[Change] = []
    try:
        for change in changes:
            _replace(change)
            done.append(change)
    except BaseException:
        for change in reversed(done):
            with suppress(OSError, FileChanged, PlaceRefused):
                _replace(Change(change.path, change.after, change.before))
        raise


def _replace(change: Change) -> None:
    # a link, as those who keep their settings elsewhere have it, stays a link
    target = Path(os.path.realpath(change.path))
    if change.after is None:
        _compare(change)
        with suppress(FileNotFoundError):
            target.unlink()
        return
    _make_directory(target.parent)
    mode = _NEW_MODE
    with suppress(FileNotFoundError):
        mode = stat.S_IMODE(target.stat().st_mode)
    fd, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(change.after)
            os.fchmod(file.fileno(), mode)
            file.flush()
            os.fsync(file.fileno())
        _compare(change)
        os.replace(name, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise


def _compare(change: Change) -> None:
    if current(change.path) != change.before:
        raise FileChanged(f"{change.path} was changed by something else just now")


def _make_directory(path: Path) -> None:
    """``path`` and its missing parents, open to nobody else from the start."""
    before = os.umask(0o077)
    try:
        path.mkdir(parents=True, exist_ok=True)
    finally:
        os.umask(before)


__all__ = ["MAX_BYTES", "Change", "apply", "current"]
