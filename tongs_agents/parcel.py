"""What an opener hands to the launcher: argv and environment, in one private file.

The environment holds keys and the argv may hold a prompt, so neither goes into
the launch record, nor onto a command line: the file is 0600 and is removed by
the launcher as it is read.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tongs_mux.files import open_private, private_dir, read_private

MAX_PARCEL = 4 * 1024 * 1024
"""Longest parcel, in bytes: larger than any environment and argv that exec takes."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """``environ`` is None where the launch gets its pane's own environment."""

    argv: tuple[str, ...]
    environ: Mapping[str, str] | None
    profile_env: Mapping[str, str]


def parcel_path(runtime: Path, launch_id: str) -> Path:
    """Where the parcel of a launch lies until its launcher takes it."""
    return runtime / "parcels" / f"{launch_id}.json"


def leave(path: Path, parcel: Parcel) -> None:
    """Write the parcel."""
    private_dir(path.parent)
    values = {
        "argv": parcel.argv,
        "environ": None if parcel.environ is None else dict(parcel.environ),
        "profile_env": dict(parcel.profile_env),
    }
    # surrogates stand for bytes that are no UTF-8: JSON's escapes keep them
    data = json.dumps(values).encode("ascii")
    fd = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with os.fdopen(fd, "wb") as file:
        file.write(data)


def take(path: Path) -> Parcel:
    """Read the parcel and remove it. Raises FileNotFoundError, PlaceRefused."""
    data = read_private(path, MAX_PARCEL)
    path.unlink()
    values = json.loads(data)
    return Parcel(tuple(values["argv"]), values["environ"], values["profile_env"])


__all__ = ["MAX_PARCEL", "Parcel", "leave", "parcel_path", "take"]
