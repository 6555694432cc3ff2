"""Which process serves a Zellij session: found by its socket, and never spoken to here."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tongs_mux.backends.unix_listeners import Listener, listeners
from tongs_mux.backends.zellij_door import Doors
from tongs_mux.errors import BackendError, BackendOutputError, BackendTimeout
from tongs_mux.model import ProcessIdentity
from tongs_mux.process import Processes, alive, identity

LONGEST_PATH = 107
"""Bytes of a unix socket's path (E10)."""

_CONTRACT = re.compile(r"contract_version_([0-9]+)\Z")
_DEFAULT_CONTRACT = "contract_version_1"
_STEP = 0.01
_ENDING_SECONDS = 1.0

STARTING_SECONDS = 5.0
"""How long after its start a session in which nothing runs yet is left alone."""


@dataclass(frozen=True, slots=True)
class Served:
    """A session that runs: its server, and the socket directory that holds only it."""

    server: ProcessIdentity
    door: str


class Sessions:
    """The Zellij sessions of one user, found by their sockets; none is ever spoken to."""

    def __init__(
        self,
        environ: Mapping[str, str],
        processes: Processes,
        *,
        uid: int | None = None,
        listening: Callable[[], tuple[Listener, ...]] = listeners,
        proc: str = "/proc",
        starting: float = STARTING_SECONDS,
    ) -> None:
        self._uid = os.getuid() if uid is None else uid
        self.base = socket_base(environ, self._uid)
        self._processes = processes
        self._listening = listening
        self._proc = proc
        self._starting = starting
        self._owners: dict[int, int] = {}
        self.doors = Doors(self.base)

    def socket_of(self, name: str) -> Path:
        """Where a session of this name has, or would have, its socket.

        Raises BackendError for what can't be a session's name, or makes the path too long.
        """
        if not is_session_name(name):
            raise BackendError(
                f"{name!r} can't be the name of a Zellij session",
                hint="set another `session` in [workspace]",
            )
        contract = (self._contracts() or (_DEFAULT_CONTRACT,))[0]
        path = self.base / contract / name
        longest = max(path, self.doors.link(name, contract), key=lambda it: len(os.fsencode(it)))
        length = len(os.fsencode(longest))
        if length > LONGEST_PATH:
            raise BackendError(
                f"the socket of Zellij session {name!r} would have a path of {length} bytes, "
                f"{LONGEST_PATH} are possible: {longest}",
                hint="choose a shorter `session`, or a shorter directory as ZELLIJ_SOCKET_DIR",
            )
        return path

    def server_of(self, name: str) -> ProcessIdentity | None:
        """Who serves the session of exactly this name now; nothing is made or touched for it."""
        found = self._found(name)
        return None if found is None else found[0]

    def _found(self, name: str) -> tuple[ProcessIdentity, Path] | None:
        if not is_session_name(name):
            return None
        for contract in self._contracts():
            path = self.base / contract / name
            server = self._server_at(path)
            if server is not None:
                return server, path
        return None

    def named(self, name: str) -> Served | None:
        """The session that has exactly this name now; None where it is certain that none has.

        One that is just starting is waited for: it could die of whoever speaks to it.
        """
        while (found := self._found(name)) is not None:
            server, path = found
            if self.doors.is_open(name, path, server) or self._has_started(server, path):
                return Served(server, self.doors.open(name, path, server))
        return None

    def _has_started(self, server: ProcessIdentity, path: Path) -> bool:
        """True once something runs in it, or it is no longer young; False where it has ended."""
        self._sweep(path.name)
        until = time.monotonic() + min(self._starting, self._starting - _age(path))
        while alive(self._processes, server):
            if self.runs_something(server) or time.monotonic() >= until:
                return True
            time.sleep(_STEP)
        return False

    def runs_something(self, server: ProcessIdentity) -> bool:
        """True where a program runs in one of its panes."""
        facts = map(self._processes.facts, self._processes.pids())
        return any(it is not None and it.ppid == server.pid for it in facts)

    def find(self, name: str) -> Served | None:
        """As ``named``; else the session that had this name when we last saw it."""
        found = self.named(name)
        if found is not None or not is_session_name(name):
            return found
        for link in self.doors.links(name):
            server = self._server_at(link)
            if server is not None:
                return Served(server, str(link.parent.parent))
            self.doors.close(link)
        return None

    def _sweep(self, name: str) -> None:
        for link in self.doors.links(name):
            if self._listener_at(link) is None:
                self.doors.close(link)

    def await_end(self, served: Served, seconds: float) -> None:
        """Wait until the server runs no more. Raises BackendTimeout."""
        until = time.monotonic() + seconds
        while alive(self._processes, served.server):
            if time.monotonic() >= until:
                raise BackendTimeout(f"Zellij's server {served.server.pid} does not end")
            time.sleep(_STEP)

    def _contracts(self) -> tuple[str, ...]:
        """The directories of the versions of Zellij's protocol, newest first."""
        try:
            found = [match for match in map(_CONTRACT.match, os.listdir(self.base)) if match]
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise BackendError(f"{self.base}: {error.strerror}") from error
        found.sort(key=lambda match: int(match[1]), reverse=True)
        return tuple(match[0] for match in found)

    def _server_at(self, path: Path) -> ProcessIdentity | None:
        """The process that listens on this socket file, by whatever name it was bound."""
        until = time.monotonic() + _ENDING_SECONDS
        while (found := self._listener_at(path)) is not None:
            pid = self._owner(found.inode)
            if pid is not None:
                return identity(self._processes, pid)
            # an ending server lets go of its descriptors before the kernel closes the socket
            if time.monotonic() >= until:
                raise BackendOutputError(
                    f"something listens at {found.bound}, and no Zellij server of yours is seen to"
                )
            time.sleep(_STEP)
        return None

    def _listener_at(self, path: Path) -> Listener | None:
        try:
            info = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if not stat.S_ISSOCK(info.st_mode) or info.st_uid != self._uid:
            return None
        home = os.path.realpath(self.base / path.parent.name)
        for found in self._listening():
            # an inode's number is one file system's: the directory tells which
            same = found.file_inode == info.st_ino & 0xFFFFFFFF
            if same and os.path.realpath(os.path.dirname(found.bound)) == home:
                return found
        return None

    def _owner(self, inode: int) -> int | None:
        known = self._owners.get(inode)
        if known is None or not self._holds(known, inode):
            known = self._search(inode)
        if known is not None:
            self._owners[inode] = known
        return known

    def _search(self, inode: int) -> int | None:
        """The process that holds the socket; that one says it is a server is only a first sieve."""
        argv, facts = self._processes.argv, self._processes.facts
        servers = [pid for pid in self._processes.pids() if "--server" in argv(pid)[1:2]]
        parents = {
            pid: seen.ppid
            for pid in servers
            if self._holds(pid, inode) and (seen := facts(pid)) is not None
        }
        # a child between fork and exec holds what its parent holds
        return next((pid for pid, parent in parents.items() if parent not in parents), None)

    def _holds(self, pid: int, inode: int) -> bool:
        wanted = f"socket:[{inode}]"
        directory = f"{self._proc}/{pid}/fd"
        with contextlib.suppress(OSError):
            for fd in os.listdir(directory):
                with contextlib.suppress(OSError):
                    if os.readlink(f"{directory}/{fd}") == wanted:
                        return True
        return False


def _age(path: Path) -> float:
    """Seconds since a socket was bound, by the clock on the wall; 0 where it is gone."""
    try:
        return time.time() - os.lstat(path).st_mtime
    except FileNotFoundError:
        return 0.0


def is_session_name(name: str) -> bool:
    """True where Zellij would take ``name`` for a session, and a file can have it."""
    return bool(name.strip()) and name not in (".", "..") and not set(name) & {"/", "\0"}


def socket_base(environ: Mapping[str, str], uid: int) -> Path:
    """The directory below which Zellij has its sockets. Raises BackendError for a relative one."""
    given = environ.get("ZELLIJ_SOCKET_DIR", "")
    runtime = environ.get("XDG_RUNTIME_DIR", "")
    if given:
        base = Path(given)
    elif os.path.isabs(runtime):
        base = Path(runtime, "zellij")
    else:
        base = Path(environ.get("TMPDIR") or "/tmp", f"zellij-{uid}")  # noqa: S108 - Zellij's own
    if not base.is_absolute():
        raise BackendError(f"the directory of Zellij's sockets, {str(base)!r}, is not absolute")
    return base


__all__ = [
    "LONGEST_PATH",
    "STARTING_SECONDS",
    "Served",
    "Sessions",
    "is_session_name",
    "socket_base",
]
