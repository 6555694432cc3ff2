"""Channels: what there is, and making and archiving them, which only the maintainer does (1.30)."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from tongs_chat import text
from tongs_chat.database import Database
from tongs_chat.errors import InvalidName, NotFound


@dataclass(frozen=True, slots=True)
class Row:
    """A channel as it is stored."""

    id: int
    name: str
    archived: bool
    pruned_seq: int


_COLUMNS = "SELECT id, name, archived_at, pruned_seq FROM channels"


def _row(values: tuple[int, str, float | None, int]) -> Row:
    return Row(values[0], values[1], values[2] is not None, values[3])


def find(connection: sqlite3.Connection, name: str) -> Row:
    """The channel of this name, archived or not. Raises NotFound (``no-such-channel``)."""
    row = connection.execute(f"{_COLUMNS} WHERE name = ?", (name,)).fetchone()
    if row is None:
        known = ", ".join(it.name for it in every(connection) if not it.archived)
        raise NotFound(
            f"there is no channel {name[:40]!r}",
            reason="no-such-channel",
            hint=f"there are: {known}" if known else "",
        )
    return _row(row)


def every(connection: sqlite3.Connection) -> tuple[Row, ...]:
    """Every channel by name, archived ones too."""
    return tuple(_row(row) for row in connection.execute(f"{_COLUMNS} ORDER BY name"))


def create(database: Database, name: str, *, now: float) -> None:
    """Make a channel.

    Raises:
        InvalidName: it can't be called so, or there is one.
    """
    text.check_name(name, "channel name")
    with database.write() as connection:
        if any(it.name == name for it in every(connection)):
            raise InvalidName(f"there is a channel {name!r} already", hint="choose another name")
        connection.execute("INSERT INTO channels (name, created_at) VALUES (?, ?)", (name, now))


def archive(database: Database, name: str, *, now: float, undo: bool = False) -> bool:
    """Archive a channel, or take it back; False where it was so already (A29).

    Raises:
        NotFound: there is none.
    """
    with database.write() as connection:
        channel = find(connection, name)
        if channel.archived is not undo:
            return False
        connection.execute(
            "UPDATE channels SET archived_at = ? WHERE id = ?", (None if undo else now, channel.id)
        )
        return True


__all__ = ["Row", "archive", "create", "every", "find"]
