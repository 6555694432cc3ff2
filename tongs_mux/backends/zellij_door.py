"""A door to one Zellij session: a socket directory that holds nothing but its socket.

Every ``zellij`` command first asks each socket in its directory: one session
that hangs would stop all of them, and one that is still starting dies of it.
So a command of ours is shown a directory of our own, with a hard link to the
one socket that is meant. The link stays with its server: neither a new name nor
another session under the old one leads it astray.
"""

from __future__ import annotations

import hashlib
import os
import threading
from pathlib import Path

from tongs_mux.errors import BackendError, PlaceRefused
from tongs_mux.files import private_dir, write_atomic

DOOR_SESSION = "s"
"""What the session is called behind its door."""

_HOME = ".tongs"


class Doors:
    """The doors below Zellij's own socket directory: a hard link stays in its file system."""

    def __init__(self, base: Path) -> None:
        self._home = base / _HOME

    def _door(self, name: str) -> Path:
        return self._home / hashlib.sha256(os.fsencode(name)).hexdigest()[:8]

    def link(self, name: str, contract: str) -> Path:
        """The link behind the door of a session, by its name and its protocol's directory."""
        return self._door(name) / contract / DOOR_SESSION

    def links(self, name: str) -> tuple[Path, ...]:
        """Those that are there, by the name that the session had."""
        return tuple(sorted(self._door(name).glob(f"*/{DOOR_SESSION}")))

    def open(self, name: str, path: Path) -> str:
        """Link the socket behind its door, whole at once; returns the door.

        Raises BackendError.
        """
        door = self._door(name)
        link = self.link(name, path.parent.name)
        try:
            if _inode(link) != _inode(path):
                private_dir(self._home)
                private_dir(link.parent)
                fresh = door / f"{os.getpid()}-{threading.get_native_id()}"
                fresh.unlink(missing_ok=True)
                os.link(path, fresh)
                os.replace(fresh, link)
                # two names of one file: then replacing has left both
                fresh.unlink(missing_ok=True)
        except (OSError, PlaceRefused) as error:
            raise BackendError(f"no door to Zellij session {name!r}: {error}") from error
        return str(door)

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


def _inode(path: Path) -> int | None:
    try:
        return os.lstat(path).st_ino
    except FileNotFoundError:
        return None


__all__ = ["DOOR_SESSION", "Doors"]
