"""Private files: directories of 0700, files of 0600, atomic writes and locks."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tongs_mux.errors import LockTimeout, PlaceRefused

_NOBODY_ELSE = 0o077
_NO_OTHER_WRITER = 0o022
# A pipe or terminal in the way must neither block the open nor become ours.
_GUARDED = os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
_ODD = {errno.ELOOP: "is a symbolic link", errno.EMLINK: "is a symbolic link"}
_ODD |= {errno.ENXIO: "is not a regular file", errno.EISDIR: "is not a regular file"}


def _refused(path: Path, trouble: str, hint: str = "") -> PlaceRefused:
    hint = hint or f"move {path} away, or name another place"
    return PlaceRefused(f"{path} {trouble}", path=str(path), hint=hint)


def _check(path: Path, info: os.stat_result, *, noun: str, mask: int) -> None:
    """Refuses what is no ``noun``, is foreign, or has a mode bit of ``mask``."""
    mode = info.st_mode
    if stat.S_ISLNK(mode):
        raise _refused(path, "is a symbolic link")
    if not (stat.S_ISDIR(mode) if noun == "directory" else stat.S_ISREG(mode)):
        raise _refused(path, f"is not a {noun}")
    owners = {os.geteuid()} if mask == _NOBODY_ELSE else {os.geteuid(), 0}
    if info.st_uid not in owners:
        raise _refused(path, f"belongs to uid {info.st_uid}, and you are uid {os.geteuid()}")
    if mode & mask:
        doors, change = ("open", "go-rwx") if mask == _NOBODY_ELSE else ("writable", "go-w")
        trouble = f"is {doors} to others (mode {stat.S_IMODE(mode):04o})"
        raise _refused(path, trouble, f"chmod {change} {path}")


def _mkdir(path: Path) -> None:
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        return
    # Never more open than 0700; an umask may have taken the owner's own bits.
    if os.lstat(path).st_mode & 0o700 != 0o700:
        os.chmod(path, 0o700)


def _make(path: Path) -> None:
    try:
        _mkdir(path)
    except FileNotFoundError:
        if path.parent == path:
            raise
        _make(path.parent)
        _mkdir(path)


def private_dir(path: Path, *, create: bool = True) -> Path:
    """``path``, known to be a directory that only its user can enter.

    A missing one is made with mode 0700, its missing parents too; links among
    the parents are followed, ``path`` itself may be none. Cost: one lstat.

    Raises:
        PlaceRefused: it is a link, no directory, foreign, or open to others.
        OSError: it is missing and ``create`` is False, or can't be made.
    """
    try:
        info = os.lstat(path)
    except FileNotFoundError:
        if not create:
            raise
        _make(path)
        info = os.lstat(path)
    _check(path, info, noun="directory", mask=_NOBODY_ELSE)
    return path


def _open(path: Path, flags: int, mask: int) -> int:
    # O_TRUNC would empty a stranger's file before it could be refused.
    asked = (flags & ~os.O_TRUNC) | _GUARDED
    try:
        fd = os.open(path, asked, 0o600)
    except OSError as error:
        if error.errno in _ODD:
            raise _refused(path, _ODD[error.errno]) from error
        raise
    try:
        info = os.fstat(fd)
        _check(path, info, noun="regular file", mask=mask)
        if flags & os.O_CREAT and info.st_mode & 0o600 != 0o600:
            os.fchmod(fd, 0o600)
        if flags & os.O_TRUNC:
            os.ftruncate(fd, 0)
        os.set_blocking(fd, True)
    except BaseException:
        os.close(fd)
        raise
    return fd


def open_private(path: Path, flags: int) -> int:
    """A descriptor of the regular file ``path``, 0600 from its creation under any umask.

    ``flags`` as for ``os.open``; a link is never followed, the descriptor is
    closed on exec, and O_TRUNC takes effect only after the checks.

    Raises:
        PlaceRefused: it is a link, no regular file, foreign, or open to others.
        OSError: as ``os.open``.
    """
    return _open(path, flags | os.O_NOFOLLOW, _NOBODY_ELSE)


def _read(fd: int, path: Path, limit: int) -> bytes:
    with os.fdopen(fd, "rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise _refused(path, f"is longer than {limit} bytes")
    return data


def read_private(path: Path, limit: int) -> bytes:
    """What the private file ``path`` holds.

    Raises:
        PlaceRefused, OSError: as ``open_private``; refused too over ``limit`` bytes.
    """
    return _read(open_private(path, os.O_RDONLY), path, limit)


def read_user_file(path: Path, limit: int) -> bytes:
    """What a file that the user edits (the config) holds; a link is followed.

    The file that is checked is the file that is read.

    Raises:
        PlaceRefused, OSError: as ``check_user_file``; refused too over ``limit`` bytes.
    """
    return _read(_open(path, os.O_RDONLY, _NO_OTHER_WRITER), path, limit)


def check_user_file(path: Path) -> None:
    """Raises PlaceRefused where ``path`` isn't a file of the user's (or root's) own to write.

    Group- or world-writable is refused too. OSError where it can't be opened.
    """
    os.close(_open(path, os.O_RDONLY, _NO_OTHER_WRITER))


def _sync_dir(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as error:
        # Some file systems cannot sync a directory; the file itself is synced.
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(fd)


def write_atomic(path: Path, data: bytes, *, random: Callable[[int], bytes] = os.urandom) -> None:
    """Replaces ``path`` by a file of mode 0600 that holds ``data``, whole or not at all.

    Until then it is called ``.tmp-`` and 16 hex digits, in the same directory;
    only a kill can leave such a file behind. Cost: two fsyncs. Raises OSError
    with ``path`` as it was, except where only the directory's fsync failed.
    """
    temporary = path.with_name(f".tmp-{random(8).hex()}")
    fd = open_private(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_dir(path.parent)


def _try_lock(path: Path) -> int | None:
    fd = open_private(path, os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # A lock on a file that was removed meanwhile excludes nobody.
        if os.path.samestat(os.fstat(fd), os.lstat(path)):
            return fd
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(fd)
        raise
    os.close(fd)
    return None


@contextmanager
def locked(
    path: Path,
    *,
    deadline: float,
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> Iterator[None]:
    """Holds the lock file ``path`` for this thread alone while the block runs.

    ``deadline`` is in seconds from now; at least one try is made. The lock
    ends with the process too, and can't be taken twice.

    Raises:
        LockTimeout: somebody else held it until the deadline.
        PlaceRefused, OSError: as ``open_private``.
    """
    until = clock() + deadline
    delay = 0.0005
    while (fd := _try_lock(path)) is None:
        left = until - clock()
        if left <= 0:
            raise LockTimeout(f"{path} is held by another process", hint="try again")
        pause(min(delay, left))
        delay = min(delay * 2, 0.02)
    try:
        yield
    finally:
        # Unlocked by name: a forked child may still hold a copy of the descriptor.
        fcntl.flock(fd, fcntl.LOCK_UN)
        os.close(fd)


__all__ = [
    "check_user_file",
    "locked",
    "open_private",
    "private_dir",
    "read_private",
    "read_user_file",
    "write_atomic",
]
