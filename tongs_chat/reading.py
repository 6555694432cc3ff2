"""Reading: a reader's next page of a channel, the newest of all, and the inbox."""

from __future__ import annotations

import sqlite3

from tongs_chat import channels, cursors, framing, grants, limits, pending
from tongs_chat.database import Database
from tongs_chat.errors import InvalidMessage
from tongs_chat.messages import check_root
from tongs_chat.model import Channel, Inbox, Mark, Mention, Message, Page

_COLUMNS = (
    "SELECT m.id, c.name, m.root_id, m.handle, m.ts, m.body, m.seq"
    " FROM messages AS m JOIN channels AS c ON c.id = m.channel_id"
)
_Row = tuple[int, str, int | None, str, float, str, int]


def page(
    database: Database,
    channel: str,
    *,
    thread: int | None = None,
    after_id: int | None = None,
    limit: int = limits.PAGE_DEFAULT,
    mark_read: bool = False,
) -> Page:
    """The oldest messages after ``after_id``, else after the reader's cursor (3.2, A23).

    Nothing is marked yet: hand the page over, then give its ``mark`` to
    ``cursors.advance``.

    Raises:
        InvalidMessage: ``usage`` for a limit outside 1 to 50, for ``mark_read``
            with a thread (A22) or from beyond the cursor (A77); ``bad-thread``.
        NotFound: ``no-such-channel``, ``bad-thread``.
        GrantError: the launch has no grant any more.
    """
    _check_limit(limit)
    if mark_read and thread is not None:
        raise InvalidMessage(
            "a thread's messages can't be marked: the cursor is the channel's",
            reason="usage",
            hint="leave thread or mark_read out",
        )
    with database.read() as connection:
        grants.own_handle(connection, database)
        place = channels.find(connection, channel)
        cursor, _ = cursors.position(connection, database.me, place.id)
        start = cursor if after_id is None else after_id
        if mark_read and start > cursor:
            raise InvalidMessage(
                f"messages between your cursor, {cursor}, and {start} would be marked unseen",
                reason="usage",
                hint="leave after_id out, or begin at the cursor",
            )
        rows = _after(connection, place, thread, start, limit + 1)
        found = _messages(connection, rows[:limit])
    mark = None
    if mark_read and found and found[-1].id > cursor:
        mark = Mark(channel, found[-1].id, rows[len(found) - 1][6])
    return Page(
        channel, thread, found, len(rows) > limit, cursor if mark is None else mark.message_id, mark
    )


def newest(
    database: Database,
    channel: str | None = None,
    *,
    thread: int | None = None,
    limit: int = limits.PAGE_DEFAULT,
) -> tuple[Message, ...]:
    """The newest messages, oldest first: of all channels, of one, or of a thread (A38).

    Raises:
        NotFound, InvalidMessage: as ``page``.
    """
    _check_limit(limit)
    with database.read() as connection:
        where, values = "", []
        if channel is not None:
            place = channels.find(connection, channel)
            where, values = " WHERE m.channel_id = ?", [place.id]
            if thread is not None:
                check_root(connection, place, thread)
        if thread is not None:
            where += " AND" if where else " WHERE"
            where += " (m.id = ? OR m.root_id = ?)"
            values += [thread, thread]
        rows = connection.execute(
            f"{_COLUMNS}{where} ORDER BY m.id DESC LIMIT ?", (*values, limit)
        ).fetchall()
        return _messages(connection, rows[::-1])


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= limits.PAGE_MOST:
        raise InvalidMessage(
            f"limit is {limit}", reason="usage", hint=f"give 1 to {limits.PAGE_MOST}"
        )


def _after(
    connection: sqlite3.Connection, place: channels.Row, thread: int | None, start: int, most: int
) -> list[_Row]:
    if thread is None:
        return connection.execute(
            f"{_COLUMNS} WHERE m.channel_id = ? AND m.id > ? ORDER BY m.id LIMIT ?",
            (place.id, start, most),
        ).fetchall()
    check_root(connection, place, thread)
    return connection.execute(
        f"{_COLUMNS} WHERE (m.id = ? OR m.root_id = ?) AND m.id > ? ORDER BY m.id LIMIT ?",
        (thread, thread, start, most),
    ).fetchall()


def _messages(connection: sqlite3.Connection, rows: list[_Row]) -> tuple[Message, ...]:
    mentions: dict[int, list[str]] = {}
    asked = (
        "SELECT message_id, handle FROM mentions WHERE message_id IN"  # noqa: S608 - marks only
        f" ({', '.join('?' * len(rows))}) ORDER BY handle"
    )
    for message_id, handle in connection.execute(asked, [row[0] for row in rows]):
        mentions.setdefault(message_id, []).append(handle)
    return tuple(Message(*row[:6], tuple(mentions.get(row[0], ()))) for row in rows)


def listing(database: Database) -> tuple[Channel, ...]:
    """Every channel with what is unread in it, archived ones too."""
    with database.read() as connection:
        return _listing(connection, database.me)


def _listing(connection: sqlite3.Connection, me: int) -> tuple[Channel, ...]:
    mentions = pending.mentions_by_channel(connection, me)
    return tuple(
        Channel(it.name, it.archived, cursors.unread(connection, me, it), mentions.get(it.name, 0))
        for it in channels.every(connection)
    )


def inbox(database: Database) -> Inbox:
    """What waits for the reader: unread counts and the newest mentions (3.1, 3.24).

    Raises:
        GrantError: the launch has no grant any more.
    """
    with database.read() as connection:
        handle = grants.own_handle(connection, database)
        rows = pending.mentions(connection, database.me, limits.INBOX_MENTIONS)
        return Inbox(
            handle,
            tuple(it for it in _listing(connection, database.me) if not it.archived),
            tuple(Mention(*row[:5], framing.preview(row[5])) for row in rows),
            pending.mentions_total(connection, database.me),
        )


__all__ = ["inbox", "listing", "newest", "page"]
