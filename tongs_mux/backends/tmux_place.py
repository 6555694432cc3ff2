"""Whether a tmux socket is where nobody else can stand: what ``tmux -S`` does not ask."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from tongs_mux.errors import SocketRefused

_OTHERS = stat.S_IWOTH
_OTHERS_AND_GROUP = stat.S_IWGRP | stat.S_IWOTH


def check_socket(path: str) -> None:
    """Raises SocketRefused where somebody else listens on ``path``, or could put himself there.

    A server is handed our environment, and every text: it must be the user's
    own. ``tmux -L`` asks so, ``tmux -S`` does not, and it replaces a file that
    is no socket. What is missing is no danger: tmux says so by itself.
    """
    try:
        socket = os.lstat(path)
    except OSError:
        pass  # none is there, or tmux can't come at it either
    else:
        _check_socket(path, socket)
    mask = _OTHERS_AND_GROUP
    for directory in Path(path).parents:
        _check_directory(path, str(directory), mask)
        mask = _OTHERS  # a home that is its user's group's as well is common


def _check_socket(path: str, found: os.stat_result) -> None:
    if not stat.S_ISSOCK(found.st_mode):
        link = stat.S_ISLNK(found.st_mode)
        raise _refused(path, f"{path} is {'a symbolic link' if link else 'no socket'}")
    if found.st_uid != os.geteuid():
        raise _refused(path, f"{path} belongs to uid {found.st_uid}, not to you")


def _check_directory(path: str, directory: str, mask: int) -> None:
    try:
        found = os.lstat(directory)
    except OSError:
        return
    if found.st_uid not in (os.geteuid(), 0):
        raise _refused(path, f"{directory} belongs to uid {found.st_uid}, not to you")
    if found.st_mode & mask and not found.st_mode & stat.S_ISVTX:
        mode = f"mode {stat.S_IMODE(found.st_mode):04o}"
        raise _refused(path, f"others can replace what is in {directory} ({mode})")


def _refused(path: str, trouble: str) -> SocketRefused:
    return SocketRefused(
        f"the tmux socket {path} can't be trusted: {trouble}",
        hint="name another `socket` in [workspace], or set TMUX_TMPDIR to a directory of your own",
    )


__all__ = ["check_socket"]
