"""Is the chat file ours alone? System calls and nothing imported: the hook reads it too."""

import posix
from _stat import S_ISDIR, S_ISREG

from tongs_chat.errors import NoStore, StoreRefused

COMPANIONS = ("-wal", "-shm", "-journal")
"""What SQLite keeps beside the file."""

_NOBODY_ELSE = 0o077


def check_file(path: str) -> tuple[int, int]:
    """The device and inode of the chat file, where it and what lies beside it are private.

    Raises:
        NoStore: there is none. That look is the only one then (4.9).
        StoreRefused: it or its directory is a link, foreign, or open to others.
    """
    try:
        info = posix.lstat(path)
    except FileNotFoundError:
        raise _no_store() from None
    except OSError as error:
        raise StoreRefused(f"{path} can't be looked at: {error.strerror}") from error
    check_directory(path.rpartition("/")[0] or "/")
    _check(path, info, S_ISREG(info.st_mode), "regular file", 0o600)
    for suffix in COMPANIONS:
        try:
            beside = posix.lstat(path + suffix)
        except FileNotFoundError:
            continue
        _check(path + suffix, beside, S_ISREG(beside.st_mode), "regular file", 0o600)
    return info.st_dev, info.st_ino


def check_directory(path: str) -> None:
    """Raises StoreRefused where the directory is a link, foreign, or open to others."""
    info = posix.lstat(path)
    _check(path, info, S_ISDIR(info.st_mode), "directory", 0o700)


def identity(path: str) -> tuple[int, int] | None:
    """The device and inode that ``path`` names now, None where it names nothing (A78)."""
    try:
        info = posix.lstat(path)
    except FileNotFoundError:
        return None
    return info.st_dev, info.st_ino


def _no_store() -> NoStore:
    return NoStore(
        "there is no chat yet: no launch was ever granted it",
        hint="a person begins it with the first grant",
    )


def _check(path: str, info: posix.stat_result, is_kind: bool, kind: str, mode: int) -> None:
    if not is_kind:
        raise StoreRefused(f"{path} is no {kind}", hint="move it aside")
    if info.st_uid != posix.geteuid():
        raise StoreRefused(f"{path} belongs to another user", hint="move it aside")
    if info.st_mode & _NOBODY_ELSE:
        raise StoreRefused(f"{path} is open to others", hint=f"chmod {mode:o} {path}")
    if info.st_mode & mode != mode:
        raise StoreRefused(f"{path} can't be written by its owner", hint=f"chmod {mode:o} {path}")


__all__ = ["COMPANIONS", "check_directory", "check_file", "identity"]
