"""Processes and private files as the hook sees them: system calls, and nothing imported."""

import posix
from _stat import S_ISDIR, S_ISREG

_NOBODY_ELSE = 0o077
_GUARDED = posix.O_CLOEXEC | posix.O_NOFOLLOW | posix.O_NONBLOCK | posix.O_NOCTTY


class Process:
    """One living process; ``ticks`` is when it started, in the system's own count."""

    __slots__ = ("name", "parent", "pid", "ticks")

    def __init__(self, pid: int, name: str, parent: int, ticks: int) -> None:
        self.pid = pid
        self.name = name
        self.parent = parent
        self.ticks = ticks

    def token(self) -> str:
        """The start token that a claim carries: boot id and start ticks. Raises OSError."""
        return f"{_slurp(b'/proc/sys/kernel/random/boot_id').decode('ascii').strip()}:{self.ticks}"


def has_proc() -> bool:
    """True where ``/proc`` tells of processes."""
    try:
        posix.stat("/proc/self/stat")
    except OSError:
        return False
    return True


def process(pid: int) -> Process | None:
    """What ``/proc/PID/stat`` says; None where no such process lives, or it is a zombie."""
    try:
        head, _, tail = _slurp(b"/proc/%d/stat" % pid).rpartition(b")")
    except OSError:
        return None
    fields = tail.split()
    if len(fields) < 20 or fields[0] in (b"Z", b"X"):
        return None
    name = head.partition(b"(")[2].decode("utf-8", "replace")
    return Process(pid, name, int(fields[1]), int(fields[19]))


def environ(pid: int) -> dict[bytes, bytes]:
    """The environment that a process was started with, empty where it can't be read."""
    try:
        data = _slurp(b"/proc/%d/environ" % pid)
    except OSError:
        return {}
    pairs = [item.partition(b"=") for item in data.split(b"\0")]
    return {name: value for name, sign, value in pairs if sign}


def argv(pid: int) -> list[bytes]:
    """The words of a process's command line, none where it can't be read."""
    try:
        return _slurp(b"/proc/%d/cmdline" % pid).split(b"\0")
    except OSError:
        return []


def _slurp(path: bytes) -> bytes:
    fd = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        return read_all(fd, 1 << 22)
    finally:
        posix.close(fd)


def read_all(fd: int, limit: int) -> bytes:
    """Everything up to the end of ``fd``. Raises ValueError past ``limit`` bytes."""
    parts: list[bytes] = []
    left = limit
    while part := posix.read(fd, 1 << 16 if parts else 1 << 14):
        parts.append(part)
        left -= len(part)
        if left < 0:
            raise ValueError(f"longer than {limit} bytes")
    return b"".join(parts)


def is_private_dir(path: bytes) -> bool:
    """True for a directory, no link, that only its user can enter. Raises OSError."""
    info = posix.lstat(path)
    own = info.st_uid == posix.geteuid()
    return own and S_ISDIR(info.st_mode) and not info.st_mode & _NOBODY_ELSE


def open_private(path: bytes, flags: int) -> int:
    """A descriptor of the regular file ``path``, 0600 from its creation; never through a link.

    Raises:
        OSError: as ``open``; PermissionError where it is foreign, open to others, no file.
    """
    fd = posix.open(path, flags | _GUARDED, 0o600)
    info = posix.fstat(fd)
    own = info.st_uid == posix.geteuid()
    if own and S_ISREG(info.st_mode) and not info.st_mode & _NOBODY_ELSE:
        return fd
    posix.close(fd)
    raise PermissionError(path)


def read_private(path: bytes, limit: int) -> bytes:
    """What a private file holds. Raises OSError; ValueError past ``limit`` bytes."""
    fd = open_private(path, posix.O_RDONLY)
    try:
        return read_all(fd, limit)
    finally:
        posix.close(fd)


__all__ = [
    "Process",
    "argv",
    "environ",
    "has_proc",
    "is_private_dir",
    "open_private",
    "process",
    "read_all",
    "read_private",
]
