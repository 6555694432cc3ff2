"""A chat file with people in it, for tests; every connection is a real one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from tongs_chat.creation import open_maintainer
from tongs_chat.database import Database

ME, OTHER, STRANGER = "launch-me-00", "launch-other", "launch-third"
"""Launches of the rig, participants 2, 3 and 4."""

NOW = 1_800_000_000.0
"""The time of the rig's clock."""


def store_path(directory: Path) -> Path:
    """Where the chat file of a test is; its directory does not exist yet."""
    return directory / "chat" / "chat.db"


def maintainer(path: Path, now: float = NOW) -> Database:
    """The maintainer's connection; the file is made where there is none."""
    return open_maintainer(path, clock=lambda: now, create=True)


def raw(path: Path) -> sqlite3.Connection:
    """A connection without a role, to look and to spoil."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = OFF")
    return connection


def give_grants(path: Path, *launches: str, level: str = "chat+wake") -> None:
    """Grant chat to launches under handles ``a0``, ``a1``, … by plain SQL."""
    connection = raw(path)
    for launch in launches:
        (taken,) = connection.execute("SELECT count(*) FROM grants").fetchone()
        handle = f"a{taken}"
        row = connection.execute(
            "INSERT INTO participants (launch_id, handle, profile, created_at)"
            " VALUES (?, ?, 'worker', ?)",
            (launch, handle, NOW),
        )
        connection.execute(
            "INSERT INTO grants VALUES (?, ?, ?, ?, ?, 100, 'boot:1', NULL)",
            (launch, row.lastrowid, handle, level, NOW),
        )
        connection.execute("INSERT INTO delivery (participant_id) VALUES (?)", (row.lastrowid,))
    connection.close()


class Clock:
    """A clock that a test moves."""

    def __init__(self, now: float = NOW) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


Opener = Callable[[str], Database]
"""Opens the rig's file in a role."""
