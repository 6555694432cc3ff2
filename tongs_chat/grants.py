"""Grants: who may take part, under which handle, at which level (requirements 2)."""

from __future__ import annotations

import sqlite3
from itertools import chain, count
from typing import Any

from tongs_chat import cursors, departures, text
from tongs_chat.database import Database, not_granted
from tongs_chat.errors import GrantError, NotFound
from tongs_chat.literals import MAINTAINER
from tongs_chat.model import Grant, Level, Mentioned
from tongs_chat.schema import MAINTAINER_ID

_COLUMNS = (
    "SELECT g.launch_id, g.participant_id, g.handle, p.profile, g.level, g.granted_at, g.pid,"
    " g.start_token, g.accepts, d.listed_at FROM grants AS g"
    " JOIN participants AS p ON p.id = g.participant_id"
    " JOIN delivery AS d ON d.participant_id = g.participant_id"
)


def _grant(row: tuple[Any, ...]) -> Grant:
    accepts = None if row[8] is None else bool(row[8])
    return Grant(*row[:8], accepts, row[9])  # type: ignore[call-arg]  # a slice has no length to it


def every(database: Database) -> tuple[Grant, ...]:
    """Every stored grant, by handle; see ``validity.state_of`` for what each is worth."""
    with database.read() as connection:
        return tuple(_grant(row) for row in connection.execute(f"{_COLUMNS} ORDER BY g.handle"))


def of_launch(database: Database, launch_id: str) -> Grant | None:
    """The stored grant of a launch."""
    with database.read() as connection:
        return _of(connection, launch_id)


def of_handle(database: Database, handle: str) -> Grant | None:
    """The stored grant under this handle."""
    with database.read() as connection:
        row = connection.execute(f"{_COLUMNS} WHERE g.handle = ?", (handle,)).fetchone()
        return None if row is None else _grant(row)


def _of(connection: sqlite3.Connection, launch_id: str) -> Grant | None:
    row = connection.execute(f"{_COLUMNS} WHERE g.launch_id = ?", (launch_id,)).fetchone()
    return None if row is None else _grant(row)


def own_handle(connection: sqlite3.Connection, database: Database) -> str:
    """The handle of whom the connection is bound to, as it is now (3.15).

    Raises:
        GrantError: it was revoked.
    """
    if database.me == MAINTAINER_ID:
        return MAINTAINER
    row = connection.execute(
        "SELECT handle FROM grants WHERE participant_id = ?", (database.me,)
    ).fetchone()
    if row is None:
        raise GrantError(
            "the chat grant of this launch was revoked", hint="a person can grant it again"
        )
    return str(row[0])


def holder(connection: sqlite3.Connection, handle: str) -> Mentioned | None:
    """Who has this handle now; None for nobody."""
    if handle == MAINTAINER:
        return Mentioned(MAINTAINER, MAINTAINER_ID, None, None)
    row = connection.execute(
        "SELECT participant_id, launch_id, level FROM grants WHERE handle = ?", (handle,)
    ).fetchone()
    return None if row is None else Mentioned(handle, *row)


def free_handle(database: Database, profile: str, launch_id: str = "") -> str:
    """The handle that a grant would get by itself: the profile's name, or with a number (2.6).

    A launch that has a grant keeps its handle (A36).
    """
    with database.read() as connection:
        return _free(connection, profile, launch_id)


def _free(connection: sqlite3.Connection, profile: str, launch_id: str) -> str:
    rows = connection.execute("SELECT launch_id, handle FROM grants").fetchall()
    taken: set[str] = {handle for owner, handle in rows if owner != launch_id} | {MAINTAINER}
    own: list[str] = [handle for owner, handle in rows if owner == launch_id]
    numbered = (f"{profile}-{number}" for number in count(2))
    return next(it for it in chain(own, (profile,), numbered) if it not in taken)


def give(
    database: Database,
    *,
    launch_id: str,
    profile: str,
    level: Level,
    pid: int,
    start_token: str,
    now: float,
    handle: str | None = None,
) -> Grant:
    """Grant chat to a launch whose process was verified just now; again replaces the level (A36).

    Raises:
        InvalidName: the handle is none.
        GrantError: ``handle-taken``.
    """
    wanted = None if handle is None else text.check_handle(handle)
    with database.write() as connection:
        before = _of(connection, launch_id)
        name = wanted or _free(connection, text.check_name(profile, "profile"), launch_id)
        other = holder(connection, name)
        if other is not None and other.launch_id != launch_id:
            raise GrantError(
                f"handle {name!r} is taken by launch {other.launch_id}",
                reason="handle-taken",
                hint="choose another handle",
            )
        me = _participant(connection, launch_id, name, profile, now)
        if before is not None and (before.pid, before.start_token) == (pid, start_token):
            connection.execute(
                "UPDATE grants SET level = ?, handle = ? WHERE launch_id = ?",
                (level, name, launch_id),
            )
        else:
            connection.execute("DELETE FROM grants WHERE launch_id = ?", (launch_id,))
            connection.execute(
                "INSERT INTO grants (launch_id, participant_id, handle, level, granted_at, pid,"
                " start_token) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (launch_id, me, name, level, now, pid, start_token),
            )
            cursors.start_at_newest(connection, me)
        granted = _of(connection, launch_id)
    if granted is None:
        raise not_granted(launch_id)
    return granted


def _participant(
    connection: sqlite3.Connection, launch_id: str, handle: str, profile: str, now: float
) -> int:
    """The launch's participant: its first grant makes it, its last handle is kept with it."""
    connection.execute(
        "INSERT INTO participants (launch_id, handle, profile, created_at) VALUES (?, ?, ?, ?)"
        " ON CONFLICT (launch_id) DO UPDATE SET handle = excluded.handle",
        (launch_id, handle, profile, now),
    )
    (me,) = connection.execute(
        "SELECT id FROM participants WHERE launch_id = ?", (launch_id,)
    ).fetchone()
    connection.execute(
        "INSERT INTO delivery (participant_id) VALUES (?) ON CONFLICT DO NOTHING", (me,)
    )
    return int(me)


def take_back(database: Database, launch_id: str, *, now: float) -> Grant:
    """Revoke a grant: the launch's next call is refused (2.11), its queue comes to an end.

    Raises:
        NotFound: ``not-granted``: it has none.
    """
    with database.write() as connection:
        grant = _of(connection, launch_id)
        if grant is None:
            raise NotFound(f"launch {launch_id} has no chat grant", reason="not-granted")
        departures.depart(connection, grant.participant_id, now)
        connection.execute("DELETE FROM grants WHERE launch_id = ?", (launch_id,))
    return grant


__all__ = [
    "every",
    "free_handle",
    "give",
    "holder",
    "of_handle",
    "of_launch",
    "own_handle",
    "take_back",
]
