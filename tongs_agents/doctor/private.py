"""Checks of our own places: who may read them, what they lie on, records that can't be read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from tongs_agents.doctor.check import Check

NETWORK = frozenset(
    [
        "9p",
        "afs",
        "ceph",
        "cifs",
        "fuse.glusterfs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
        "glusterfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "smb3",
        "smbfs",
        "vboxsf",
        "virtiofs",
    ]
)
"""File systems on which a WAL's shared memory is not shared between machines (G3)."""


def places(roots: tuple[Path, ...], uid: int) -> Iterator[Check]:
    """Each place with everything below it: ours alone, directories 0700, files 0600."""
    for root in roots:
        if not os.path.lexists(root):
            yield Check("places", "ok", f"{root} does not exist yet")
            continue
        wrong = list(_open_to_others(root, uid))
        for path, trouble in wrong[:_SHOWN]:
            remedy = f"chmod go-rwx {path}" if "mode" in trouble else f"move {path} away"
            yield Check("places", "fault", f"{path} {trouble}", remedy)
        if len(wrong) > _SHOWN:
            more = f"{len(wrong) - _SHOWN} more files below {root} are open to others"
            yield Check("places", "fault", more, f"chmod -R go-rwx {root}")
        if not wrong:
            yield Check("places", "ok", f"{root} is private")


_SHOWN = 5


def _open_to_others(root: Path, uid: int) -> Iterator[tuple[Path, str]]:
    todo = [root]
    while todo:
        path = todo.pop()
        try:
            info = path.lstat()
        except FileNotFoundError:
            continue  # gone since it was listed
        if stat.S_ISLNK(info.st_mode):
            yield path, "is a symbolic link"
            continue
        if info.st_uid != uid:
            yield path, f"belongs to uid {info.st_uid}"
        elif info.st_mode & 0o077 and not stat.S_ISSOCK(info.st_mode):
            yield path, f"is open to others (mode {stat.S_IMODE(info.st_mode):04o})"
        if stat.S_ISDIR(info.st_mode):
            todo += sorted(path.iterdir())


def file_system(path: Path, mounts: str) -> tuple[str, str]:
    """(type, mount point) of the file system that ``path`` is on, by ``/proc/mounts``; pure."""
    best = ("", "")
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = fields[1].encode("ascii", "replace").decode("unicode_escape")
        inside = path == Path(point) or Path(point) in path.parents
        if inside and len(point) >= len(best[1]):
            best = (fields[2], point)
    return best


def store(path: Path, read_mounts: Callable[[], str]) -> Check:
    """What the chat file lies on, or would."""
    try:
        kind, point = file_system(Path(os.path.realpath(path)), read_mounts())
    except OSError:
        return Check("store", "ok", "this system does not tell its mounts")
    if kind in NETWORK:
        text = f"{path} is on {kind} ({point}), where its write-ahead log can't be shared"
        remedy = "set TONGS_AGENTS_STATE_DIR to a local directory"
        return Check("store", "warning", text, remedy)
    return Check("store", "ok", f"chat lies on {kind or 'an unknown file system'}")


def records(troubles: tuple[str, ...]) -> Iterator[Check]:
    """Launch records that can't be read; they stop nothing, and nothing else names them."""
    for trouble in troubles:
        yield Check("launches", "warning", trouble, "move that file away")


__all__ = ["NETWORK", "file_system", "places", "records", "store"]
