"""Sweeps up what is nobody's any more: half-written files, locks and rate slots of nothing."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from tongs_agents.paths import Places
from tongs_mux.errors import MuxError
from tongs_mux.files import locked, private_dir

LEFT_SECONDS = 3600.0
"""What is younger may still be in use: no write and no lock takes that long."""

_HALF_WRITTEN = re.compile(r"\.tmp-[0-9a-f]{16}\Z")


def litter(places: Places, now: float, roots: Collection[str] = ()) -> tuple[Path, ...]:
    """What may be swept up, sorted. Reads only; a place that is not private is left alone.

    What was started below each of ``roots`` is still counted, though it may have ended.
    """
    runtime = _inside(places.runtime_dir)
    directories = [places.launches, places.sessions, *(path for path in runtime if path.is_dir())]
    found = [
        path for each in directories for path in _inside(each) if _is_litter(path, places, roots)
    ]
    return tuple(sorted(path for path in found if _is_old(path, now)))


def sweep(paths: tuple[Path, ...]) -> int:
    """Remove them, a lock only while it is held by nobody else; how many are gone."""
    return sum(_remove(path) for path in paths)


def _inside(directory: Path) -> list[Path]:
    try:
        return list(private_dir(directory, create=False).iterdir())
    except (OSError, MuxError):
        return []


def _is_litter(path: Path, places: Places, roots: Collection[str]) -> bool:
    if _HALF_WRITTEN.match(path.name):
        return True
    if path.parent == places.mcp_rate and _name(path) in roots:
        return False
    record = _of_what(path, places)
    return record is not None and not os.path.lexists(record)


def _of_what(path: Path, places: Places) -> Path | None:
    """The record that a lock or a rate slot is for, None for anything else."""
    if path.parent == places.mcp_rate:
        return places.launches / f"{_name(path)}.json"
    if path.suffix == ".lock" and path.parent in (places.launches, places.sessions):
        return path.with_suffix(".json")
    if path.suffix == ".send" and path.parent.name == "locks":
        return places.launches / f"{path.stem}.json"
    return None


def _name(path: Path) -> str:
    """A launch id, by whose rate slots and places a file is called."""
    return path.name.partition(".")[0]


def _is_old(path: Path, now: float) -> bool:
    try:
        info = os.lstat(path)
    except OSError:
        return False
    ours = stat.S_ISREG(info.st_mode) and info.st_uid == os.geteuid()
    return ours and now - info.st_mtime > LEFT_SECONDS


def _remove(path: Path) -> bool:
    with suppress(OSError, MuxError):
        if _HALF_WRITTEN.match(path.name):
            path.unlink()
            return True
        # whoever waits for it sees that it was removed, and makes another
        with locked(path, deadline=0):
            path.unlink()
            return True
    return False


__all__ = ["LEFT_SECONDS", "litter", "sweep"]
