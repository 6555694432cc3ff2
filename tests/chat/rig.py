"""A chat file with people in it, for tests; every connection is a real one."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from tongs_chat import grants, roles
from tongs_chat.creation import open_maintainer
from tongs_chat.database import Database
from tongs_chat.model import Grant, Level

ME, OTHER, STRANGER = "launch-me-00", "launch-other", "launch-third"
"""Launches of the rig, participants 2, 3 and 4."""

STARTED = "boot:1"
"""The start token of every launch's process."""

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


def grant(
    path: Path, launch: str, handle: str, *, level: Level = "chat", now: float = NOW
) -> Grant:
    """Grant chat to a launch as the maintainer does."""
    with maintainer(path, now) as database:
        return grants.give(
            database,
            launch_id=launch,
            profile="worker",
            level=level,
            pid=100,
            start_token=STARTED,
            now=now,
            handle=handle,
        )


def agent(path: Path, launch: str) -> Database:
    """The connection of an agent's server."""
    return Database(str(path), roles.AGENT, launch)


def hook(path: Path, launch: str) -> Database:
    """The connection of an agent's hook."""
    return Database(str(path), roles.HOOK, launch)
