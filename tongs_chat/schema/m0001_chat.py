"""Migration 1: who takes part, channels, messages, what each has read, and delivery rows."""

from __future__ import annotations

NAME = "chat"

STATEMENTS = (
    # One row: a purged file says so to whoever still has it open (A78).
    """CREATE TABLE meta (
        one INTEGER PRIMARY KEY CHECK (one = 1),
        purged INTEGER NOT NULL DEFAULT 0)""",
    "INSERT INTO meta (one) VALUES (1)",
    """CREATE TABLE migrations (
        number INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        applied_at REAL NOT NULL)""",
    # Stays for ever: messages name their author by it, whoever has the handle now (A25).
    """CREATE TABLE participants (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        launch_id TEXT UNIQUE,
        handle TEXT NOT NULL,
        profile TEXT NOT NULL,
        created_at REAL NOT NULL)""",
    "INSERT INTO participants VALUES (1, NULL, 'maintainer', '', 0)",
    """CREATE TABLE grants (
        launch_id TEXT PRIMARY KEY,
        participant_id INTEGER NOT NULL UNIQUE REFERENCES participants (id),
        handle TEXT NOT NULL UNIQUE,
        level TEXT NOT NULL CHECK (level IN ('chat', 'chat+wake')),
        granted_at REAL NOT NULL,
        pid INTEGER NOT NULL,
        start_token TEXT NOT NULL,
        accepts INTEGER CHECK (accepts IN (0, 1))) WITHOUT ROWID""",
    """CREATE TABLE channels (
        id INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,
        created_at REAL NOT NULL,
        archived_at REAL,
        pruned_seq INTEGER NOT NULL DEFAULT 0)""",
    "INSERT INTO channels (name, created_at) VALUES ('general', 0)",
    # seq counts a channel's messages, so that what is unread need not be counted one by one.
    """CREATE TABLE messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        channel_id INTEGER NOT NULL REFERENCES channels (id),
        seq INTEGER NOT NULL,
        root_id INTEGER REFERENCES messages (id),
        author_id INTEGER NOT NULL REFERENCES participants (id),
        handle TEXT NOT NULL,
        ts REAL NOT NULL,
        body TEXT NOT NULL,
        UNIQUE (channel_id, seq))""",
    "CREATE INDEX messages_by_thread ON messages (root_id, id)",
    "CREATE INDEX messages_by_author ON messages (author_id, ts)",
    "CREATE INDEX messages_by_channel ON messages (channel_id, id)",
    "CREATE INDEX messages_own ON messages (channel_id, author_id, seq)",
    "CREATE INDEX messages_by_age ON messages (ts)",
    """CREATE TABLE mentions (
        participant_id INTEGER NOT NULL REFERENCES participants (id),
        channel_id INTEGER NOT NULL REFERENCES channels (id),
        message_id INTEGER NOT NULL REFERENCES messages (id),
        author_id INTEGER NOT NULL,
        handle TEXT NOT NULL,
        PRIMARY KEY (participant_id, channel_id, message_id)) WITHOUT ROWID""",
    "CREATE INDEX mentions_by_message ON mentions (message_id)",
    "CREATE INDEX mentions_by_author ON mentions (author_id, participant_id)",
    """CREATE TABLE cursors (
        participant_id INTEGER NOT NULL REFERENCES participants (id),
        channel_id INTEGER NOT NULL REFERENCES channels (id),
        message_id INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        PRIMARY KEY (participant_id, channel_id)) WITHOUT ROWID""",
    """CREATE TABLE delivery (
        participant_id INTEGER PRIMARY KEY REFERENCES participants (id),
        injected_id INTEGER NOT NULL DEFAULT 0,
        noticed_at REAL,
        listed_at REAL,
        prompted_at REAL,
        prolonged INTEGER NOT NULL DEFAULT 0,
        wake_times TEXT NOT NULL DEFAULT '',
        line_at REAL,
        put_off_id INTEGER,
        put_off_at REAL,
        put_off_reason TEXT)""",
)
"""In order."""


__all__ = ["NAME", "STATEMENTS"]
