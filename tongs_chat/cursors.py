"""How far each has read, per channel; and how much is beyond that."""

from __future__ import annotations

import sqlite3

from tongs_chat import channels
from tongs_chat.database import Database
from tongs_chat.model import Mark


def position(connection: sqlite3.Connection, me: int, channel_id: int) -> tuple[int, int]:
    """The id and seq of the last message that ``me`` has read there; zeros for none."""
    row = connection.execute(
        "SELECT message_id, seq FROM cursors WHERE participant_id = ? AND channel_id = ?",
        (me, channel_id),
    ).fetchone()
    return (0, 0) if row is None else (int(row[0]), int(row[1]))


def advance(database: Database, mark: Mark) -> int:
    """Move the cursor to ``mark``, never back (A77); returns where it is then.

    Called once the page was handed over: before, it might never be seen.

    Raises:
        NotFound, ChatError: as any write.
    """
    with database.write() as connection:
        channel = channels.find(connection, mark.channel)
        _set(connection, database.me, channel.id, mark.message_id, mark.seq)
        return position(connection, database.me, channel.id)[0]


def _set(connection: sqlite3.Connection, me: int, channel_id: int, last: int, seq: int) -> None:
    connection.execute(
        "INSERT INTO cursors (participant_id, channel_id, message_id, seq) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (participant_id, channel_id) DO UPDATE"
        " SET message_id = excluded.message_id, seq = excluded.seq"
        " WHERE excluded.message_id > message_id",
        (me, channel_id, last, seq),
    )


def start_at_newest(connection: sqlite3.Connection, me: int) -> None:
    """Put every cursor of ``me`` at the newest message, as a new grant has it (A24)."""
    rows = connection.execute(
        "SELECT c.id, coalesce(max(m.id), 0), max(coalesce(max(m.seq), 0), c.pruned_seq)"
        " FROM channels AS c LEFT JOIN messages AS m ON m.channel_id = c.id GROUP BY c.id"
    ).fetchall()
    for channel_id, last, seq in rows:
        _set(connection, me, channel_id, last, seq)


def unread(connection: sqlite3.Connection, me: int, channel: channels.Row) -> int:
    """How many messages of others are beyond the cursor; not counted one by one.

    Beyond ``pruned_seq`` a channel's numbers have no gaps, before it they may:
    there only what is left is counted.
    """
    _, read = position(connection, me, channel.id)
    (newest,) = connection.execute(
        "SELECT coalesce(max(seq), 0) FROM messages WHERE channel_id = ?", (channel.id,)
    ).fetchone()
    whole = max(newest - max(read, channel.pruned_seq), 0)
    if read < channel.pruned_seq:
        (left,) = connection.execute(
            "SELECT count(*) FROM messages WHERE channel_id = ? AND seq > ? AND seq <= ?",
            (channel.id, read, channel.pruned_seq),
        ).fetchone()
        whole += left
    (own,) = connection.execute(
        "SELECT count(*) FROM messages WHERE channel_id = ? AND author_id = ? AND seq > ?",
        (channel.id, me, read),
    ).fetchone()
    return int(whole - own)


__all__ = ["advance", "position", "start_at_newest", "unread"]
