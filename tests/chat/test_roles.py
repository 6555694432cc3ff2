"""Every role, action, table, column and row: what the table says is what SQLite does (A69)."""

# ruff: noqa: S608 - tables and columns are the table's own, and must stand in the text

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chat.rig import ME, NOW, OTHER, STRANGER, give_grants, raw
from tongs_chat import roles
from tongs_chat.database import Database
from tongs_chat.errors import NotPermitted

pytestmark = pytest.mark.requirement("1.18", "1.19", "1.20", "A69")


class _Undo(Exception):
    """Ends a block so that nothing of it stays."""


@pytest.fixture
def peopled(store: Path) -> Path:
    """Three granted launches; the first has mentioned and written to the second only."""
    give_grants(store, ME, OTHER, STRANGER)
    connection = raw(store)
    for statement in (
        "INSERT INTO messages VALUES (1, 1, 1, NULL, 1, 'maintainer', 1, 'of the maintainer')",
        "INSERT INTO messages VALUES (2, 1, 2, NULL, 2, 'a0', 1, 'of mine: @a1')",
        "INSERT INTO messages VALUES (3, 1, 3, NULL, 3, 'a1', 1, 'of another: @a2')",
        "INSERT INTO messages VALUES (4, 1, 4, NULL, 4, 'a2', 1, 'that nobody answers')",
        "INSERT INTO mentions VALUES (3, 1, 2, 2, 'a1')",
        "INSERT INTO mentions VALUES (4, 1, 3, 3, 'a2')",
        "INSERT INTO delivery (participant_id) VALUES (1)",
        "INSERT INTO cursors VALUES (1, 1, 0, 0), (2, 1, 0, 0), (3, 1, 0, 0)",
        "INSERT INTO idle_watches VALUES (2, 3, 1, NULL), (3, 2, 1, NULL), (3, 4, 1, NULL)",
        *(
            "INSERT INTO peer_messages (id, kind, sender_id, target_id, handle, title, body,"
            f" length, ts) VALUES ({number}, 'message', {sender}, {target}, 'h', 't', 'b', 1, 1)"
            for number, sender, target in ((1, 2, 3), (2, 3, 2), (3, 4, 3))
        ),
    ):
        connection.execute(statement)
    connection.close()
    return store


ROWS: dict[str, dict[str, str]] = {
    "cursors": {"own": "participant_id = {me}", "another": "participant_id = 3"},
    "delivery": {
        "own": "participant_id = {me}",
        "mentioned": "participant_id = 3",
        "another": "participant_id = 4",
    },
    "peer_messages": {"own": "id = 2", "sent": "id = 1", "another": "id = 3"},
    "idle_watches": {
        "own": "watcher_id = 2",
        "own too": "target_id = 2",
        "another": "watcher_id = 3 AND target_id = 4",
    },
    "messages": {"own": "author_id = {me}", "another": "author_id = 3"},
    "mentions": {"own": "author_id = 2", "another": "author_id = 3"},
    "grants": {"own": "participant_id = 2", "another": "participant_id = 3"},
    "participants": {"own": "id = {me}", "another": "id = 3"},
    "channels": {"any": "id = 1"},
    "meta": {"any": "1"},
    "migrations": {"any": "number = 1"},
}
"""For each table: rows that differ in whose they are, from the view of participant 2."""

ALLOWING = {
    "own": "Uuw",
    "own too": "Uu",
    "mentioned": "Uw",
    "sent": "Us",
    "another": "U",
    "any": "U",
}
"""Which letters let such a row be updated."""

INSERTS = {
    "messages": (
        "INSERT INTO messages (channel_id, seq, author_id, handle, ts, body)"
        " VALUES (1, 9, {who}, 'h', 1, 'b')"
    ),
    "mentions": "INSERT INTO mentions VALUES (2, 1, 1, {who}, 'a0')",
    "cursors": "INSERT INTO cursors VALUES ({who}, 2, 0, 0)",
    "peer_messages": (
        "INSERT INTO peer_messages (kind, sender_id, target_id, handle, title, body, length, ts)"
        " VALUES ('message', {who}, 3, 'h', 't', 'b', 1, 1)"
    ),
    "idle_watches": "INSERT INTO idle_watches VALUES ({who}, 1, 1, NULL)",
    "delivery": "INSERT INTO delivery (participant_id) VALUES (5)",
    "participants": "INSERT INTO participants VALUES (9, 'launch-nine', 'n', 'p', 1)",
    "grants": "INSERT INTO grants VALUES ('launch-five', 5, 'z', 'chat', 1, 1, 't', NULL)",
    "channels": "INSERT INTO channels (name, created_at) VALUES ('new', 1)",
    "meta": "INSERT INTO meta VALUES (1, 1)",
    "migrations": "INSERT INTO migrations VALUES (99, 'x', 1)",
}

DELETES = {
    "messages": "id = 4",
    "mentions": "participant_id = 4",
    "grants": "participant_id = 4",
    "peer_messages": "id = 3",
    "idle_watches": "watcher_id = 2",
}


def _allowed(database: Database, statement: str) -> bool:
    try:
        with database.write() as connection:
            connection.execute(statement).fetchall()
            raise _Undo
    except _Undo:
        return True
    except NotPermitted:
        return False


def _open(path: Path, role: str) -> Database:
    return Database(str(path), role, None if role == roles.MAINTAINER else ME)


def _cells(role: str) -> Iterator[tuple[str, str, str]]:
    place = 2 + roles.ROLES.index(role)
    return ((row[0], row[1], row[place]) for row in roles.GRID)


def _owner(role: str) -> int:
    return 1 if role == roles.MAINTAINER else 2


def test_every_table_and_column_of_the_file_has_its_line(store: Path) -> None:
    connection = raw(store)
    tables = [
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        if not name.startswith("sqlite_")
    ]
    there = {(table, "") for table in tables} | {
        (table, row[1])
        for table in tables
        for row in connection.execute(f"PRAGMA table_info({table})")
    }
    connection.close()
    lines = [(row[0], row[1]) for row in roles.GRID]
    assert sorted(lines) == sorted(there)
    assert set(ROWS) == set(INSERTS) == set(tables)


def test_cells_hold_known_letters_only() -> None:
    for _, column, *cells in roles.GRID:
        for cell in cells:
            assert set(cell) <= set("rUusw" if column else "IiD")
    assert set("rUuswIiD") == set(roles.LETTERS)


@pytest.mark.parametrize("role", roles.ROLES)
def test_a_column_is_read_where_the_table_says_so(peopled: Path, role: str) -> None:
    with _open(peopled, role) as database:
        seen = {
            (table, column): _allowed(database, f"SELECT {column} FROM {table}")
            for table, column, _ in _cells(role)
            if column
        }
    assert seen == {(table, column): "r" in cell for table, column, cell in _cells(role) if column}


@pytest.mark.parametrize("role", roles.ROLES)
def test_rows_are_counted_only_of_tables_that_may_be_read(peopled: Path, role: str) -> None:
    readable = {table for table, _, cell in _cells(role) if "r" in cell}
    with _open(peopled, role) as database:
        seen = {table for table in ROWS if _allowed(database, f"SELECT count(*) FROM {table}")}
    assert seen == readable


@pytest.mark.parametrize("role", [it for it in roles.ROLES if it != roles.READER])
def test_a_column_is_written_in_the_rows_that_the_table_says(peopled: Path, role: str) -> None:
    values = raw(peopled)
    wrong = []
    with _open(peopled, role) as database:
        for table, column, cell in _cells(role):
            for kind, where in ROWS[table].items() if column else ():
                row = where.format(me=_owner(role))
                (value,) = values.execute(f"SELECT {column} FROM {table} WHERE {row}").fetchone()
                literal = "NULL" if value is None else repr(value)
                may = _allowed(database, f"UPDATE {table} SET {column} = {literal} WHERE {row}")
                if may != bool(set(cell) & set(ALLOWING[kind])):
                    wrong.append((table, column, kind, cell, may))
    values.close()
    assert wrong == []


@pytest.mark.parametrize("role", [it for it in roles.ROLES if it != roles.READER])
def test_a_row_is_inserted_for_oneself_or_for_all_as_the_table_says(
    peopled: Path, role: str
) -> None:
    more = raw(peopled)
    more.execute("INSERT INTO channels (id, name, created_at) VALUES (2, 'second', 1)")
    more.execute("INSERT INTO participants VALUES (5, 'launch-five', 'x', 'p', 1)")
    more.close()
    wrong = []
    with _open(peopled, role) as database:
        for table, column, cell in _cells(role):
            if column:
                continue
            for who, letters in ((_owner(role), "Ii"), (3, "I")):
                may = _allowed(database, INSERTS[table].format(who=who))
                needed = letters if "{who}" in INSERTS[table] else "I"
                if may != bool(set(cell) & set(needed)):
                    wrong.append((table, who, cell, may))
    assert wrong == []


@pytest.mark.parametrize("role", [it for it in roles.ROLES if it != roles.READER])
def test_a_row_is_deleted_where_the_table_says_so(peopled: Path, role: str) -> None:
    with _open(peopled, role) as database:
        for table, column, cell in _cells(role):
            if not column:
                where = DELETES.get(table, "1")
                may = _allowed(database, f"DELETE FROM {table} WHERE {where}")
                assert (table, may) == (table, "D" in cell)


@pytest.mark.parametrize("role", [roles.AGENT, roles.HOOK, roles.WAKER])
def test_a_replace_does_not_get_past_the_rows(peopled: Path, role: str) -> None:
    replacing = [
        "REPLACE INTO messages VALUES (3, 1, 3, NULL, 2, 'a0', 1, 'put in its place')",
        "UPDATE OR REPLACE cursors SET message_id = 1 WHERE participant_id = 3",
        "INSERT INTO cursors VALUES (3, 1, 0, 0) ON CONFLICT DO UPDATE SET seq = 9",
        "REPLACE INTO delivery (participant_id) VALUES (3)",
    ]
    with _open(peopled, role) as database:
        assert [it for it in replacing if _allowed(database, it)] == []


FORBIDDEN = [
    "CREATE TABLE mine (a)",
    "CREATE TEMP TABLE mine (a)",
    "CREATE TRIGGER mine AFTER INSERT ON messages BEGIN SELECT 1; END",
    "DROP TABLE messages",
    "ALTER TABLE messages ADD COLUMN more",
    "CREATE INDEX mine ON messages (ts)",
    "DROP INDEX messages_by_age",
    "ATTACH ':memory:' AS other",
    "PRAGMA writable_schema = ON",
    "PRAGMA recursive_triggers = OFF",
    "PRAGMA user_version = 99",
    "DROP TRIGGER temp.bound_delivery_delete",
    "SELECT load_extension('x')",
    "SELECT sql FROM sqlite_master",
    "SAVEPOINT here",
]


@pytest.mark.parametrize("role", [it for it in roles.ROLES if it != roles.READER])
def test_no_role_changes_the_file_itself(peopled: Path, role: str) -> None:
    with _open(peopled, role) as database:
        assert [it for it in FORBIDDEN if _allowed(database, it)] == []


@pytest.mark.parametrize("role", roles.ROLES)
def test_nobody_sets_what_they_may_ask(peopled: Path, role: str) -> None:
    with _open(peopled, role) as database:
        asked = [f"PRAGMA {name}" for name in roles.PRAGMAS[role] if name != "incremental_vacuum"]
        assert all(_allowed(database, it) for it in asked)
        assert not _allowed(database, "PRAGMA page_size = 512")


def test_only_one_who_was_mentioned_or_written_to_may_be_woken(peopled: Path) -> None:
    connection = raw(peopled)
    connection.execute("DELETE FROM mentions")
    wake = "UPDATE delivery SET wake_times = '1' WHERE participant_id = {}"
    with Database(str(peopled), roles.WAKER, ME) as database:
        assert _allowed(database, wake.format(3))  # a peer message was sent
        connection.execute("DELETE FROM peer_messages")
        assert not _allowed(database, wake.format(3))
    connection.execute("INSERT INTO mentions VALUES (4, 1, 1, 1, 'a2')")
    connection.close()
    with Database(str(peopled), roles.WAKER) as database:  # the maintainer's
        assert _allowed(database, wake.format(4))
        assert not _allowed(database, wake.format(3))


def test_the_clock_of_the_rig_is_the_years_of_the_file(peopled: Path) -> None:
    connection = raw(peopled)
    assert connection.execute("SELECT granted_at FROM grants").fetchone() == (NOW,)
    connection.close()
