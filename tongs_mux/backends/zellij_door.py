"""A door to one Zellij session: a socket directory that holds nothing but its socket.

Every ``zellij`` command first asks each socket in its directory: one session
that hangs would stop all of them, and one that is still starting dies of it.
So a command of ours is shown a directory of our own, with a hard link to the
one socket that is meant. A door is one server's: neither a new name, nor another
session under the old one, nor another call that opens its own leads it astray.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
from pathlib import Path

from tongs_mux.errors import BackendError, PlaceRefused
from tongs_mux.files import private_dir, read_private, write_atomic
from tongs_mux.model import ProcessIdentity

DOOR_SESSION = "s"
"""What the session is called behind its door."""

_HOME = ".tongs"
_STARTED = "started"
_LONGEST_MARK = 256
_NAME_DIGITS = 6
_SERVER_DIGITS = 8

_File = tuple[int, int]


class Doors:
    """The doors below Zellij's own socket directory: a hard link stays in its file system."""

    def __init__(self, base: Path) -> None:
        self._home = base / _HOME

    def link(self, name: str, contract: str, server: str = "0" * _SERVER_DIGITS) -> Path:
        """The link behind a door, by the session's name, its protocol's directory, its server."""
        return self._home / (_digits(name, _NAME_DIGITS) + server) / contract / DOOR_SESSION

    def links(self, name: str) -> tuple[Path, ...]:
        """Those that are there, by the name that the session had; the newest session first."""
        found = self._home.glob(f"{_digits(name, _NAME_DIGITS)}*/*/{DOOR_SESSION}")
        return tuple(sorted(found, key=_bound_at, reverse=True))

    def _link_to(self, name: str, path: Path, server: ProcessIdentity) -> Path:
        words = (*(_file(path) or ()), server.pid, server.start_token)
        key = _digits(":".join(map(str, words)), _SERVER_DIGITS)
        return self.link(name, path.parent.name, key)

    def is_open(self, name: str, path: Path, server: ProcessIdentity) -> bool:
        """True where somebody of ours has spoken to this very server before."""
        found = _file(path)
        return found is not None and _file(self._link_to(name, path, server)) == found

    def open(self, name: str, path: Path, server: ProcessIdentity) -> str:
        """Link the socket of this server behind its door, whole at once; returns the door.

        The places are checked each time. Raises BackendError.
        """
        link = self._link_to(name, path, server)
        door = link.parent.parent
        try:
            for place in (self._home, door, link.parent):
                private_dir(place)
            if _file(link) != _file(path):
                fresh = door / f"{os.getpid()}-{threading.get_native_id()}"
                fresh.unlink(missing_ok=True)
                os.link(path, fresh)
                os.replace(fresh, link)
                # two names of one file: then replacing has left both
                fresh.unlink(missing_ok=True)
        except (OSError, PlaceRefused) as error:
            raise BackendError(f"no door to Zellij session {name!r}: {error}") from error
        return str(door)

    def close(self, link: Path) -> None:
        """Remove the door of a server that has ended."""
        shutil.rmtree(link.parent.parent, ignore_errors=True)

    def note_started(self, door: str, server: ProcessIdentity) -> None:
        """Write down that we started this server. Raises BackendError."""
        try:
            write_atomic(Path(door, _STARTED), _mark(server))
        except (OSError, PlaceRefused) as error:
            raise BackendError(f"no note of a Zellij session that was started: {error}") from error

    def was_started(self, door: str, server: ProcessIdentity) -> bool:
        """True only where it is on record that we started this very server."""
        try:
            return read_private(Path(door, _STARTED), _LONGEST_MARK) == _mark(server)
        except (OSError, PlaceRefused):
            return False

    def keep(self, text: str) -> Path:
        """A file with the configuration of sessions that we start; it stays while they run.

        Raises BackendError.
        """
        path = self._home / "config.kdl"
        try:
            private_dir(path.parent)
            write_atomic(path, text.encode("utf-8"))
        except (OSError, PlaceRefused) as error:
            raise BackendError(f"no configuration for a Zellij session: {error}") from error
        return path


def _file(path: Path) -> _File | None:
    try:
        info = os.lstat(path)
    except FileNotFoundError:
        return None
    return info.st_dev, info.st_ino


def _bound_at(link: Path) -> float:
    try:
        return os.lstat(link).st_mtime
    except FileNotFoundError:
        return 0.0


def _digits(text: str, count: int) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:count]


def _mark(server: ProcessIdentity) -> bytes:
    return f"{server.pid} {server.start_token}\n".encode("utf-8", "surrogateescape")


__all__ = ["DOOR_SESSION", "Doors"]
