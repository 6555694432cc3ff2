"""The chat file comes into being with the first grant, is brought up to date, and is purged.

All of it is the maintainer's, under one lock file, so that no two of them meet.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tongs_chat import filesystems, limits, place, roles
from tongs_chat.database import Database, check_header, damaged
from tongs_chat.errors import NoStore, SchemaTooOld, StoreBusy, StoreError, StoreRefused
from tongs_chat.filesystems import Journal, journal_for
from tongs_chat.schema import APPLICATION_ID
from tongs_chat.schema.migrations import migrate

KindOf = Callable[[Path], str]
"""Tells which file system a directory is on."""


def open_maintainer(
    path: Path,
    *,
    clock: Callable[[], float],
    create: bool = False,
    kind_of: KindOf = filesystems.kind_of,
) -> Database:
    """A connection of the maintainer's, to a file that is brought up to date first.

    Only a grant may ``create`` (A27).

    Raises:
        NoStore: there is no file, and none is to be made.
        ChatError: as ``Database``.
    """
    existing = place.identity(str(path)) is not None
    if existing or create:
        with _locked(path, create=create):
            _settle(path, clock(), create=create, kind_of=kind_of)
    return Database(str(path), roles.MAINTAINER)


def _settle(path: Path, now: float, *, create: bool, kind_of: KindOf) -> None:
    """Under the lock: finish a purge that was cut short, create, migrate."""
    try:
        place.check_file(str(path))
    except NoStore:
        if not create:
            raise
    else:
        if not _is_purged(path):
            _bring_up_to_date(path, now, journal_for(kind_of(path.parent), str(path)))
            return
        _unlink(path)
        if not create:
            place.check_file(str(path))
    _create(path, now, journal_for(kind_of(path.parent), str(path)))


def _raw(path: Path) -> sqlite3.Connection:
    """A connection without an authorizer; for what changes the file as a whole."""
    uri = f"{path.absolute().as_uri()}?mode=rw"
    return sqlite3.connect(uri, uri=True, timeout=limits.BUSY_SECONDS, isolation_level=None)


@contextmanager
def _speaking(path: Path) -> Iterator[sqlite3.Connection]:
    """A raw connection whose errors are ours."""
    connection = _raw(path)
    try:
        yield connection
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            raise StoreBusy(
                "the chat file is in use by another process", hint="try again"
            ) from error
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise damaged(str(path), str(error)) from error
        raise StoreError(f"{path}: {error}", hint="look at the disk and the mode") from error
    finally:
        connection.close()


def _is_purged(path: Path) -> bool:
    with _speaking(path) as connection:
        with suppress(SchemaTooOld):
            check_header(connection, str(path))
        return bool(connection.execute("SELECT purged FROM meta").fetchone()[0])


def _bring_up_to_date(path: Path, now: float, journal: Journal) -> None:
    with _speaking(path) as connection:
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
        if mode != journal:
            # Waits for others as any writer does; it stays what it was where they don't leave.
            (mode,) = connection.execute(f"PRAGMA journal_mode = {journal}").fetchone()
        if mode == "wal" and journal != "wal":
            raise StoreRefused(
                f"{path} has moved to a network file system and is still in use",
                hint="end the agents that have chat, then try again",
            )
        migrate(connection, now)


def _create(path: Path, now: float, journal: Journal) -> None:
    """Made whole under another name, then linked to its own: nobody sees half a file."""
    for suffix in place.COMPANIONS:  # of a file that is no more; SQLite would play them back
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    making = path.with_name(f".making-{os.getpid()}-{os.urandom(4).hex()}")
    fd = os.open(making, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(fd, 0o600)
        with _speaking(making) as connection:
            connection.execute("PRAGMA synchronous = OFF")  # all of it is synced at once, below
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # before anything is written
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID:d}")
            migrate(connection, now)
            connection.execute(f"PRAGMA journal_mode = {journal}")
        os.fsync(fd)
        os.rename(making, path)
    finally:
        os.close(fd)  # not before SQLite's: that would drop its locks
        for suffix in ("", *place.COMPANIONS):
            making.with_name(making.name + suffix).unlink(missing_ok=True)


def purge(path: Path, *, before_commit: Callable[[sqlite3.Connection], None]) -> bool:
    """Delete the file and all that is in it; False where there is none (A78, A80).

    Who has it open finds it marked, whatever they were about to do.
    ``before_commit`` sees the file for the last time, with nobody writing.

    Raises:
        StoreBusy, StoreError: it stays as it is.
    """
    if place.identity(str(path)) is None:
        return False
    with _locked(path, create=False):
        try:
            place.check_file(str(path))
        except NoStore:
            return False
        with _speaking(path) as connection:
            with suppress(SchemaTooOld):
                check_header(connection, str(path))
            connection.execute("BEGIN IMMEDIATE")
            before_commit(connection)
            connection.execute("UPDATE meta SET purged = 1")
            connection.execute("COMMIT")
        _unlink(path)
    return True


def _unlink(path: Path) -> None:
    """The file first: what lies beside it must not outlive its mark (as another's journal)."""
    path.unlink()
    for suffix in place.COMPANIONS:
        path.with_name(path.name + suffix).unlink(missing_ok=True)


@contextmanager
def _locked(path: Path, *, create: bool) -> Iterator[None]:
    """One maintainer at a time settles, creates or purges. Raises StoreBusy, StoreRefused."""
    directory = path.parent
    if create:
        directory.mkdir(mode=0o700, exist_ok=True)
    place.check_directory(str(directory))
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
    fd = os.open(path.with_name(f"{path.name}.lock"), flags, 0o600)
    try:
        os.fchmod(fd, 0o600)
        end = time.monotonic() + limits.BUSY_SECONDS
        while not _try(fd):
            if time.monotonic() >= end:
                raise StoreBusy("another process creates or purges the chat file", hint="try again")
            time.sleep(0.01)
        yield
    finally:
        os.close(fd)


def _try(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


__all__ = ["KindOf", "open_maintainer", "purge"]
