"""The migrations in order, and applying those that a file lacks: each in its own transaction.

A migration that was released is never edited: what it made is changed by the next one.
"""

from __future__ import annotations

import sqlite3

from tongs_chat.schema import VERSION, m0001_chat, m0002_peers

MIGRATIONS = (m0001_chat, m0002_peers)
"""Number n is at index n - 1."""


def applied(connection: sqlite3.Connection) -> int:
    """The number of the newest migration that the file has; 0 for a new file."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def migrate(connection: sqlite3.Connection, now: float) -> None:
    """Bring a file up to ``VERSION``; on a connection without an authorizer.

    Raises sqlite3.Error; the file then has the migrations before the one that failed.
    """
    while applied(connection) < VERSION:
        connection.execute("BEGIN IMMEDIATE")
        try:
            _apply_next(connection, now)
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


def _apply_next(connection: sqlite3.Connection, now: float) -> None:
    number = applied(connection) + 1  # under the lock: another may have been first
    if number > VERSION:
        return
    migration = MIGRATIONS[number - 1]
    for statement in migration.STATEMENTS:
        connection.execute(statement)
    connection.execute(
        "INSERT INTO migrations (number, name, applied_at) VALUES (?, ?, ?)",
        (number, migration.NAME, now),
    )
    connection.execute(f"PRAGMA user_version = {number:d}")


__all__ = ["MIGRATIONS", "applied", "migrate"]
