"""Peer messages: sending within the limits, who takes them, and what waits (requirements 9)."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from tongs_chat import framing, grants, limits, queue, text
from tongs_chat.database import Database
from tongs_chat.errors import GrantError, InvalidMessage, LimitReached, NotFound
from tongs_chat.messages import check_room


@dataclass(frozen=True, slots=True)
class Outgoing:
    """What is to be sent to whom."""

    launch_id: str
    """The target: a chat's id is its launch's (9.60)."""
    text: str
    title: str = ""
    """The sender's, as it is now."""
    reply_to: int | None = None
    run_id: str | None = None
    """The target's run that it is for (9.27)."""
    sender_run: str | None = None
    sender_name: str | None = None
    """The sender's own run, and its name (9.26)."""
    notify_when_idle: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """A message that is stored, and waits."""

    id: int
    target_id: int
    is_loop: bool
    """True where it is held until a person prompts either side (A76)."""
    turn_taken: int
    """So many the target's turn has taken so far (9.22)."""


@dataclass(frozen=True, slots=True)
class Queued:
    """A line of the queue as people see it, without its text."""

    id: int
    sender: str
    target: str
    kind: str
    state: str
    reason: str | None
    ts: float


def send(database: Database, out: Outgoing, *, now: float, accept: bool) -> Sent:
    """Store a message for another chat; what returns is safe on the disk.

    That both sides' processes are those that were granted is the caller's to verify
    first: a stale chat is as good as none (9.60).
    ``accept`` is what the config says for chats that say nothing themselves.

    Raises:
        InvalidMessage: ``bad-text``, ``too-large``, ``usage``, ``self``.
        NotFound: no chat was ever of that id. GrantError: it has ended, or the sender has.
        LimitReached: ``not-accepting``, ``duplicate``, ``rate``, ``queue-full``, ``store-full``.
        StoreBusy: nothing was written.
    """
    body = text.check_peer_text(out.text)
    with database.write() as connection:
        handle = grants.own_handle(connection, database)
        target = _target(connection, database.me, out.launch_id, accept=accept)
        _check_pair(connection, database.me, target, body, now)
        _check_queue(connection, target)
        check_room(connection)
        chain = _chain(connection, database.me, target, out.reply_to)
        message_id = _insert(connection, database.me, target, handle, out, body, chain, now)
        if out.notify_when_idle:
            _watch(connection, database.me, target, now)
        (taken,) = connection.execute(
            "SELECT turn_taken FROM delivery WHERE participant_id = ?", (target,)
        ).fetchone()
    return Sent(message_id, target, chain >= limits.CHAIN, taken)


def _target(connection: sqlite3.Connection, me: int, launch_id: str, *, accept: bool) -> int:
    row = connection.execute(
        "SELECT g.participant_id, g.accepts, g.handle FROM grants AS g WHERE g.launch_id = ?",
        (launch_id,),
    ).fetchone()
    if row is None:
        raise _no_target(connection, launch_id)
    target, accepts, handle = row
    if target == me:
        raise InvalidMessage("a chat can't write to itself", reason="self", hint="name another")
    if not (accept if accepts is None else accepts):
        raise LimitReached(
            f"@{handle} takes no messages of other chats",
            reason="not-accepting",
            hint="a person can allow them; it sees mentions in a channel",
        )
    return int(target)


def _no_target(connection: sqlite3.Connection, launch_id: str) -> GrantError | NotFound:
    row = connection.execute(
        "SELECT handle FROM participants WHERE launch_id = ?", (launch_id,)
    ).fetchone()
    if row is None:
        hint = "list_peer_chats shows them"
        return NotFound(f"there is no chat {launch_id[:64]!r}", reason="no-such-launch", hint=hint)
    return GrantError(f"the chat of @{row[0]} has ended", hint="list_peer_chats shows the others")


def _check_pair(
    connection: sqlite3.Connection, me: int, target: int, body: str, now: float
) -> None:
    """Duplicates and rates, of accepted messages only (A49, A50)."""
    rows = connection.execute(
        "SELECT ts, body = ? FROM peer_messages WHERE sender_id = ? AND target_id = ?"
        " AND ts > ? AND ts < ? AND kind = 'message'",
        (body, me, target, now - 3600, now + 3600),
    ).fetchall()
    if any(same and abs(now - ts) < limits.DUPLICATE_SECONDS for ts, same in rows):
        raise LimitReached(
            "the same text was sent there less than a minute ago",
            reason="duplicate",
            hint="it was not queued again; wait for the answer",
        )
    minute = sum(abs(now - ts) < 60 for ts, _ in rows)
    if minute >= limits.PAIR_MINUTE or len(rows) >= limits.PAIR_HOUR:
        raise LimitReached(
            f"{minute} messages to this chat in a minute, {len(rows)} in an hour;"
            f" {limits.PAIR_MINUTE} and {limits.PAIR_HOUR} may be",
            reason="rate",
            hint="put it into one message, later",
        )


def _check_queue(connection: sqlite3.Connection, target: int) -> None:
    count = queue.waiting_count(connection, target)
    if count >= limits.QUEUED:
        raise LimitReached(
            f"{count} messages wait for that chat already",
            reason="queue-full",
            hint="wait until it has read some",
        )


def _chain(connection: sqlite3.Connection, me: int, target: int, reply_to: int | None) -> int:
    """How many answers in a row this is since a person prompted one of the two (A76)."""
    if reply_to is None:
        return 0
    row = connection.execute(
        "SELECT chain, ts FROM peer_messages WHERE id = ? AND sender_id = ? AND target_id = ?",
        (reply_to, target, me),
    ).fetchone()
    if row is None:
        raise InvalidMessage(
            f"message {reply_to} is none that this chat has sent you",
            reason="usage",
            hint="leave reply_to out",
        )
    (prompted,) = connection.execute(
        "SELECT max(coalesce(prompted_at, 0)) FROM delivery WHERE participant_id IN (?, ?)",
        (me, target),
    ).fetchone()
    return 1 if prompted > row[1] else int(row[0]) + 1


def _insert(
    connection: sqlite3.Connection,
    me: int,
    target: int,
    handle: str,
    out: Outgoing,
    body: str,
    chain: int,
    now: float,
) -> int:
    values = {
        "kind": "message",
        "sender_id": me,
        "target_id": target,
        "handle": handle,
        "title": framing.name(out.title),
        "body": body,
        "length": len(body),
        "ts": now,
        "reply_to": out.reply_to,
        "chain": chain,
        "run_id": out.run_id,
        "sender_run": out.sender_run,
        "sender_name": out.sender_name and framing.name(out.sender_name),
        "reason": "loop" if chain >= limits.CHAIN else None,
    }
    names, marks = ", ".join(values), ", ".join("?" * len(values))
    cursor = connection.execute(
        f"INSERT INTO peer_messages ({names}) VALUES ({marks})",  # noqa: S608 - the names above
        tuple(values.values()),
    )
    return int(cursor.lastrowid or 0)


def _watch(connection: sqlite3.Connection, me: int, target: int, now: float) -> None:
    connection.execute(
        "INSERT INTO idle_watches (watcher_id, target_id, since) VALUES (?, ?, ?)"
        " ON CONFLICT (target_id, watcher_id) DO UPDATE SET since = excluded.since,"
        " fired_at = NULL",
        (me, target, now),
    )


def set_reason(database: Database, message_id: int, reason: str | None) -> None:
    """Note why one's own message still waits, for those who look at the queue (9.63)."""
    with database.write() as connection:
        connection.execute("UPDATE peer_messages SET reason = ? WHERE id = ?", (reason, message_id))


def set_accepts(database: Database, launch_id: str, accepts: bool | None) -> None:
    """Say whether a launch takes peer messages; None: as the config says (9.17).

    Raises:
        NotFound: ``not-granted``.
    """
    with database.write() as connection:
        cursor = connection.execute(
            "UPDATE grants SET accepts = ? WHERE launch_id = ?", (accepts, launch_id)
        )
        if not cursor.rowcount:
            raise NotFound(f"launch {launch_id} has no chat grant", reason="not-granted")


def drop(database: Database, message_id: int, *, now: float) -> None:
    """Drop a queued message, as its user may (9.67).

    Raises:
        NotFound: it does not wait: never sent, read, or being handed over now (``usage``).
    """
    with database.write() as connection:
        cursor = connection.execute(
            "UPDATE peer_messages SET state = 'dropped', ended_at = ?"
            " WHERE id = ? AND state = 'queued'",
            (now, message_id),
        )
        if not cursor.rowcount:
            raise NotFound(f"no message {message_id} waits", reason="usage")


def listing(database: Database) -> tuple[Queued, ...]:
    """Every peer message on record, the oldest first: what waits and what has ended lately."""
    with database.read() as connection:
        rows = connection.execute(
            "SELECT q.id, s.launch_id, t.launch_id, q.kind, q.state, q.reason, q.ts"
            " FROM peer_messages AS q JOIN participants AS s ON s.id = q.sender_id"
            " JOIN participants AS t ON t.id = q.target_id ORDER BY q.id"
        )
        return tuple(Queued(*row) for row in rows)


__all__ = [
    "Outgoing",
    "Queued",
    "Sent",
    "drop",
    "listing",
    "send",
    "set_accepts",
    "set_reason",
]
