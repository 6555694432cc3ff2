"""The wake columns of a target's delivery row: checked and written in one transaction (5.13)."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from tongs_chat import limits
from tongs_chat.database import Database
from tongs_chat.delivery import is_recent
from tongs_chat.errors import NotFound
from tongs_chat.model import Level
from tongs_chat.wake.policy import Past, is_outstanding, may_wake


@dataclass(frozen=True, slots=True)
class Reservation:
    """The right to put one line into a target's pane; to be used, or given back."""

    target_id: int
    at: float
    is_wake: bool
    """It counts against the rate of wakes; a peer's line does not (9.61)."""


@dataclass(frozen=True, slots=True)
class PutOff:
    """A wake that is to be tried again."""

    message_id: int
    at: float
    reason: str


def past(connection: sqlite3.Connection, target_id: int) -> Past:
    """What the store knows of a target. Raises NotFound where it never had a grant."""
    row = connection.execute(
        "SELECT d.wake_times, d.line_at, g.level FROM delivery AS d"
        " LEFT JOIN grants AS g ON g.participant_id = d.participant_id"
        " WHERE d.participant_id = ?",
        (target_id,),
    ).fetchone()
    if row is None:
        raise NotFound(f"participant {target_id} never had a grant", reason="not-granted")
    times, line_at, level = row
    return Past(_level(level), _times(times), line_at)


def _level(text: str | None) -> Level | None:
    return "chat+wake" if text == "chat+wake" else None if text is None else "chat"


def _times(text: str) -> tuple[float, ...]:
    return tuple(float(it) for it in text.split())


def reserve(database: Database, target_id: int, *, is_wake: bool, now: float) -> Reservation | str:
    """Reserve a line for the target, or say why not: ``stale``, ``rate``, ``outstanding``.

    Two posters at once get one between them. ``database`` is in the waker's role.
    """
    with database.write() as connection:
        before = past(connection, target_id)
        if before.level != "chat+wake":
            return "stale"
        if is_wake and not may_wake(before, now):
            return "rate"
        if is_outstanding(before.line_at, now):
            return "outstanding"
        kept = [it for it in before.wakes if is_recent(it, now, limits.WAKES_SECONDS)]
        _write(connection, target_id, [*kept, now] if is_wake else kept, now)
    return Reservation(target_id, now, is_wake)


def _write(
    connection: sqlite3.Connection, target_id: int, times: list[float], line_at: float | None
) -> None:
    connection.execute(
        "UPDATE delivery SET wake_times = ?, line_at = ? WHERE participant_id = ?",
        (" ".join(repr(it) for it in times), line_at, target_id),
    )


def give_back(database: Database, reservation: Reservation) -> bool:
    """Nothing was said: the reservation counts no more. False where nothing of it was left.

    Who gives back says so in the audit; a crash before that leaves it to age.
    """
    with database.write() as connection:
        before = past(connection, reservation.target_id)
        times = list(before.wakes)
        there = before.line_at == reservation.at
        if reservation.is_wake and reservation.at in times:
            times.remove(reservation.at)
            there = True
        line_at = None if before.line_at == reservation.at else before.line_at
        _write(connection, reservation.target_id, times, line_at)
        return there


def put_off(database: Database, target_id: int, later: PutOff | None) -> None:
    """Note that a wake is to be tried again, or with None that it is not any more (A67)."""
    values = (None, None, None) if later is None else (later.message_id, later.at, later.reason)
    with database.write() as connection:
        connection.execute(
            "UPDATE delivery SET put_off_id = ?, put_off_at = ?, put_off_reason = ?"
            " WHERE participant_id = ?",
            (*values, target_id),
        )


def waiting_wake(connection: sqlite3.Connection, target_id: int) -> PutOff | None:
    """The wake of this target that was put off, if there is one."""
    row = connection.execute(
        "SELECT put_off_id, put_off_at, put_off_reason FROM delivery"
        " WHERE participant_id = ? AND put_off_id IS NOT NULL",
        (target_id,),
    ).fetchone()
    return None if row is None else PutOff(*row)


def agent_posts(connection: sqlite3.Connection, message_id: int) -> int:
    """Posts of agents in a row at the end of a message's thread, up to it (A42).

    A root counts with what stands before it in the channel, or two agents
    that always open new threads would never be stopped (5.15).
    """
    channel_id, root_id = connection.execute(
        "SELECT channel_id, root_id FROM messages WHERE id = ?", (message_id,)
    ).fetchone()
    where, of = ("channel_id = ?", channel_id) if root_id is None else ("root_id = ?", root_id)
    rows = connection.execute(
        f"SELECT author_id FROM messages WHERE {where} AND id <= ? ORDER BY id DESC LIMIT ?",  # noqa: S608 - one of two
        (of, message_id, limits.LOOP_POSTS),
    ).fetchall()
    if root_id is not None and len(rows) < limits.LOOP_POSTS:
        rows += connection.execute(
            "SELECT author_id FROM messages WHERE id = ?", (root_id,)
        ).fetchall()
    authors = [row[0] for row in rows]
    return authors.index(1) if 1 in authors else len(authors)


__all__ = [
    "PutOff",
    "Reservation",
    "agent_posts",
    "give_back",
    "past",
    "put_off",
    "reserve",
    "waiting_wake",
]
