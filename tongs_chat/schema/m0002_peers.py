"""Migration 2: peer messages, who waits for whom to be idle, and what a turn has taken."""

from __future__ import annotations

NAME = "peers"

STATEMENTS = (
    """CREATE TABLE peer_messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL CHECK (kind IN ('message', 'idle', 'gone')),
        sender_id INTEGER NOT NULL REFERENCES participants (id),
        target_id INTEGER NOT NULL REFERENCES participants (id),
        handle TEXT NOT NULL,
        title TEXT NOT NULL,
        body TEXT NOT NULL,
        length INTEGER NOT NULL,
        ts REAL NOT NULL,
        reply_to INTEGER,
        chain INTEGER NOT NULL DEFAULT 0,
        run_id TEXT,
        sender_run TEXT,
        sender_name TEXT,
        state TEXT NOT NULL DEFAULT 'queued'
            CHECK (state IN ('queued', 'leased', 'read', 'dropped', 'gone')),
        reason TEXT,
        holder_pid INTEGER,
        holder_token TEXT,
        leased_at REAL,
        handed INTEGER NOT NULL DEFAULT 0,
        in_flight INTEGER NOT NULL DEFAULT 0,
        hand_overs INTEGER NOT NULL DEFAULT 0,
        ended_at REAL)""",
    "CREATE INDEX peers_waiting ON peer_messages (target_id, state, id)",
    "CREATE INDEX peers_by_pair ON peer_messages (sender_id, target_id, ts)",
    "CREATE INDEX peers_by_end ON peer_messages (ended_at) WHERE ended_at IS NOT NULL",
    """CREATE TABLE idle_watches (
        watcher_id INTEGER NOT NULL REFERENCES participants (id),
        target_id INTEGER NOT NULL REFERENCES participants (id),
        since REAL NOT NULL,
        fired_at REAL,
        PRIMARY KEY (target_id, watcher_id)) WITHOUT ROWID""",
    "ALTER TABLE delivery ADD COLUMN turn_taken INTEGER NOT NULL DEFAULT 0",
)
"""In order."""


__all__ = ["NAME", "STATEMENTS"]
