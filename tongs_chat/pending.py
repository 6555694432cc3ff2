"""What waits for a participant: unread mentions, as plain tuples.

Imports nothing but ``_sqlite3``: the hook reads it too.
"""

import _sqlite3 as sql

# Whom a mention is for, in a channel that is in use, beyond their cursor, and not their own.
_UNREAD = (
    " FROM channels AS c"
    " LEFT JOIN cursors AS u ON u.participant_id = :me AND u.channel_id = c.id"
    " CROSS JOIN mentions AS n ON n.participant_id = :me AND n.channel_id = c.id"
    " AND n.message_id > coalesce(u.message_id, 0)"
    " WHERE c.archived_at IS NULL AND n.author_id <> :me"
)


def mentions(
    connection: sql.Connection, me: int, most: int
) -> list[tuple[int, str, int | None, str, float, str]]:
    """The newest unread mentions of ``me``: id, channel, thread, author, time, body (A29)."""
    return connection.execute(
        "SELECT m.id, c.name, m.root_id, m.handle, m.ts, m.body"
        + _UNREAD.replace(" WHERE", " JOIN messages AS m ON m.id = n.message_id WHERE")
        + " ORDER BY n.message_id DESC LIMIT :most",
        {"me": me, "most": most},
    ).fetchall()


def mentions_total(connection: sql.Connection, me: int) -> int:
    """How many there are."""
    (total,) = connection.execute("SELECT count(*)" + _UNREAD, {"me": me}).fetchone()
    return int(total)


def newest_mention(connection: sql.Connection, me: int) -> int:
    """The id of the newest; 0 for none."""
    (newest,) = connection.execute("SELECT max(n.message_id)" + _UNREAD, {"me": me}).fetchone()
    return int(newest or 0)


def mentions_by_channel(connection: sql.Connection, me: int) -> dict[str, int]:
    """How many there are in each channel that has any."""
    rows = connection.execute("SELECT c.name, count(*)" + _UNREAD + " GROUP BY c.id", {"me": me})
    return {str(name): int(total) for name, total in rows}


__all__ = ["mentions", "mentions_by_channel", "mentions_total", "newest_mention"]
