"""Which file system the chat file lies on, and what SQLite can safely do there (G3). Pure but one.

WAL needs memory that all processes share; a rollback journal needs locks that hold. Where
neither is certain we say so and touch nothing.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from tongs_chat.errors import StoreRefused

Journal = Literal["wal", "delete"]
"""SQLite's journal modes that we use."""

_LOCKS_ONLY = frozenset(
    {"afs", "ceph", "cifs", "gfs2", "glusterfs", "gpfs", "lustre", "nfs", "nfs4", "ocfs2", "smb3"}
)
"""Network file systems whose locks hold between processes, and machines: a rollback journal."""

_NOTHING = frozenset({"9p", "prl_fs", "smbfs", "virtiofs", "vboxsf", "vmhgfs", "drvfs"})
"""What a virtual machine shows of its host: locks that may mean nothing."""

_LOCAL_FUSE = frozenset({"fuse.ext2", "fuse.fuse-overlayfs", "fuse.ntfs-3g", "fuseblk"})


def journal_for(kind: str, path: str) -> Journal:
    """The journal that is safe on a file system of this kind; ``""`` is an unknown one.

    Raises:
        StoreRefused: none is; the message names the file system.
    """
    foreign_fuse = kind.startswith("fuse") and kind not in _LOCAL_FUSE
    if kind in _NOTHING or foreign_fuse:
        raise StoreRefused(
            f"{path} lies on {kind}, where locks between processes are not certain to hold",
            hint="set TONGS_AGENTS_STATE_DIR to a directory on a local disk",
        )
    return "delete" if kind in _LOCKS_ONLY or not kind else "wal"


def kind_in(mounts: str, device: tuple[int, int], path: str) -> str:
    """The kind of file system that ``path`` is on, by the text of ``/proc/self/mountinfo``.

    By its device, and where several mounts have that or none has, by the longest mount
    point. Empty where it can't be told.
    """
    rows = [_mount(line) for line in mounts.splitlines()]
    found = [row for row in rows if row is not None and _holds(row[1], path)]
    same = [row for row in found if row[0] == f"{device[0]}:{device[1]}"]
    best = max(same or found, key=lambda row: len(row[1]), default=None)
    return best[2] if best else ""


def _mount(line: str) -> tuple[str, str, str] | None:
    """Device, mount point and kind of one line."""
    before, sign, after = line.partition(" - ")
    fields, rest = before.split(), after.split()
    if not sign or len(fields) < 5 or not rest:
        return None
    point = fields[4]
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(code, char)
    return fields[2], point, rest[0]


def _holds(point: str, path: str) -> bool:
    return path == point or path.startswith(point.rstrip("/") + "/")


def kind_of(directory: Path) -> str:
    """The kind of file system that ``directory`` is on, empty where the system does not say."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="surrogateescape")
        real = directory.resolve()
        device = real.stat().st_dev
    except OSError:
        return ""
    return kind_in(mounts, (os.major(device), os.minor(device)), str(real))


__all__ = ["Journal", "journal_for", "kind_in", "kind_of"]
