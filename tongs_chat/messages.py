"""Posting: every limit is counted in the transaction that it limits."""

from __future__ import annotations

import sqlite3

from tongs_chat import channels, grants, limits, text
from tongs_chat.database import Database
from tongs_chat.errors import InvalidMessage, LimitReached, NotFound
from tongs_chat.model import Mentioned, Posted


def post(
    database: Database, channel: str, body: str, *, now: float, thread: int | None = None
) -> Posted:
    """Store a message of whom the connection is bound to; what returns is safe on the disk.

    Raises:
        InvalidMessage: ``bad-text``, ``too-large``, ``archived``, ``bad-thread``.
        LimitReached: ``rate``, ``too-many-mentions``, ``store-full``.
        NotFound: ``no-such-channel``.
        GrantError: the launch has no grant any more.
        StoreBusy: nothing was written.
    """
    stored = text.check_body(body)
    with database.write() as connection:
        handle = grants.own_handle(connection, database)
        place = channels.find(connection, channel)
        if place.archived:
            raise InvalidMessage(
                f"channel {channel!r} is archived", reason="archived", hint="post in another one"
            )
        if thread is not None:
            check_root(connection, place, thread)
        mentioned = _mentioned(connection, stored)
        _check_rate(connection, database.me, now)
        check_room(connection)
        message_id = _insert(connection, database.me, handle, place, thread, stored, now)
        connection.executemany(
            "INSERT INTO mentions (participant_id, channel_id, message_id, author_id, handle)"
            " VALUES (?, ?, ?, ?, ?)",
            [(it.participant_id, place.id, message_id, database.me, it.handle) for it in mentioned],
        )
    return Posted(message_id, thread, channel, mentioned)


def check_root(connection: sqlite3.Connection, place: channels.Row, thread: int) -> None:
    """Threads are one level deep (1.11).

    Raises:
        InvalidMessage, NotFound: ``thread`` is no root in this channel (``bad-thread``).
    """
    row = connection.execute(
        "SELECT channel_id, root_id FROM messages WHERE id = ?", (thread,)
    ).fetchone()
    if row is None:
        raise NotFound(f"there is no message {thread}", reason="bad-thread")
    if row[0] != place.id:
        raise InvalidMessage(
            f"message {thread} is not in channel {place.name!r}",
            reason="bad-thread",
            hint="name the channel that it is in",
        )
    if row[1] is not None:
        raise InvalidMessage(
            f"message {thread} is a reply itself",
            reason="bad-thread",
            hint=f"its thread is {row[1]}",
        )


def _mentioned(connection: sqlite3.Connection, body: str) -> tuple[Mentioned, ...]:
    """Whom ``body`` mentions; a handle that nobody has is plain text (1.14)."""
    found = tuple(grants.holder(connection, it) for it in text.handles_in(body))
    mentioned = tuple(it for it in found if it is not None)
    text.check_mentions(tuple(it.handle for it in mentioned))
    return mentioned


def _check_rate(connection: sqlite3.Connection, me: int, now: float) -> None:
    # Both ways: a clock that was set back must neither open nor lock the gate for long.
    count, oldest = connection.execute(
        "SELECT count(*), min(ts) FROM messages WHERE author_id = ? AND ts > ? AND ts < ?",
        (me, now - limits.POSTS_SECONDS, now + limits.POSTS_SECONDS),
    ).fetchone()
    if count >= limits.POSTS:
        left = max(oldest + limits.POSTS_SECONDS - now, 1)
        raise LimitReached(
            f"{count} posts in a minute; an author may make {limits.POSTS}",
            reason="rate",
            hint=f"wait {left:.0f} s",
        )


def check_room(connection: sqlite3.Connection) -> None:
    """Raises LimitReached (``store-full``) past 64 MiB of pages in use (1.10, A79)."""
    asked = ("page_count", "freelist_count", "page_size")
    pages, free, size = (connection.execute(f"PRAGMA {it}").fetchone()[0] for it in asked)
    if (pages - free) * size > limits.STORE_BYTES:
        raise LimitReached(
            f"the chat file holds more than {limits.STORE_BYTES >> 20} MiB",
            reason="store-full",
            hint="a person can prune it",
        )


def _insert(
    connection: sqlite3.Connection,
    me: int,
    handle: str,
    place: channels.Row,
    thread: int | None,
    body: str,
    now: float,
) -> int:
    (newest,) = connection.execute(
        "SELECT coalesce(max(seq), 0) FROM messages WHERE channel_id = ?", (place.id,)
    ).fetchone()
    seq = max(newest, place.pruned_seq) + 1
    cursor = connection.execute(
        "INSERT INTO messages (channel_id, seq, root_id, author_id, handle, ts, body)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (place.id, seq, thread, me, handle, now, body),
    )
    return int(cursor.lastrowid or 0)


__all__ = ["check_room", "check_root", "post"]
