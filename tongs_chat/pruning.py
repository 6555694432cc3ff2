"""Retention: what is too old goes, in small bites, and its pages are given back (1.9, A79)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass

from tongs_chat import limits
from tongs_chat.database import Database

BITE = 500
"""Rows of one transaction: nobody waits long for the file."""

PAGES = 256
"""Pages given back in one transaction."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """How many were removed."""

    messages: int
    peer_messages: int


def prune(database: Database, *, now: float) -> Pruned:
    """Remove messages older than 30 days, and peer messages that ended 24 hours ago.

    A root stays while it has newer replies; a peer message that waits stays
    until its target has ended.

    Raises:
        StoreBusy: what was removed until then stays removed.
    """
    messages = _until_none(database, _bite_of_messages, now - limits.RETENTION_SECONDS)
    peers = _until_none(database, _bite_of_peers, now - limits.READ_SECONDS)
    _until_none(database, _bite_of_watches, now - limits.WATCH_SECONDS)
    while _give_back(database):
        pass
    return Pruned(messages, peers)


Bite = Callable[[sqlite3.Connection, float], int]
"""Removes some rows older than a time, and says how many."""


def _until_none(database: Database, bite: Bite, before: float) -> int:
    removed = 0
    while True:
        with database.write() as connection:
            count = bite(connection, before)
        if not count:
            return removed
        removed += count


def _bite_of_messages(connection: sqlite3.Connection, before: float) -> int:
    # Replies first: a root can go once none is left.
    rows = connection.execute(
        "SELECT m.id, m.channel_id, m.seq FROM messages AS m WHERE m.ts < ?"
        " AND (m.root_id IS NOT NULL"
        " OR NOT EXISTS (SELECT 1 FROM messages AS r WHERE r.root_id = m.id))"
        " ORDER BY m.ts LIMIT ?",
        (before, BITE),
    ).fetchall()
    ids = [(row[0],) for row in rows]
    connection.executemany("DELETE FROM mentions WHERE message_id = ?", ids)
    connection.executemany("DELETE FROM messages WHERE id = ?", ids)
    connection.executemany(
        "UPDATE channels SET pruned_seq = max(pruned_seq, ?) WHERE id = ?",
        [(seq, channel_id) for _, channel_id, seq in rows],
    )
    return len(rows)


def _bite_of_peers(connection: sqlite3.Connection, before: float) -> int:
    cursor = connection.execute(
        "DELETE FROM peer_messages WHERE id IN"
        " (SELECT id FROM peer_messages WHERE ended_at < ? LIMIT ?)",
        (before, BITE),
    )
    return cursor.rowcount


def _bite_of_watches(connection: sqlite3.Connection, before: float) -> int:
    return connection.execute("DELETE FROM idle_watches WHERE since < ?", (before,)).rowcount


def _give_back(database: Database) -> bool:
    """Give some free pages back to the system; False where none are left."""
    with database.write() as connection:
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        for _ in range(min(free, PAGES)):
            # One a statement: Python steps it once, whatever number it is given.
            connection.execute("PRAGMA incremental_vacuum(1)")
        return bool(free)


__all__ = ["BITE", "PAGES", "Bite", "Pruned", "prune"]
