"""From the table of roles to what SQLite asks: the authorizer, and the triggers that bind rows.

The triggers are TEMP ones of a connection, made before its authorizer goes on (A69).
Imports nothing but ``_sqlite3``: the hook reads it too.
"""

import _sqlite3 as sql

from tongs_chat import roles

_UPDATES = "Uusw"


class Rights:
    """What one role may do, ready to be looked up."""

    __slots__ = ("deletes", "functions", "inserts", "pragmas", "reads", "role", "updates")

    def __init__(self, role: str) -> None:
        self.role = role
        self.reads = frozenset[tuple[str, str]](_cells(role, "r"))
        self.updates = frozenset[tuple[str, str]](_cells(role, _UPDATES))
        self.inserts = frozenset[str](table for table, _ in _cells(role, "Ii"))
        self.deletes = frozenset[str](table for table, _ in _cells(role, "D"))
        self.functions = frozenset[str](roles.FUNCTIONS)
        self.pragmas = frozenset[str](roles.PRAGMAS[role])


def _cells(role: str, letters: str) -> list[tuple[str, str]]:
    """Each (table, column) whose cell for ``role`` holds one of ``letters``."""
    place = 2 + roles.ROLES.index(role)
    return [(row[0], row[1]) for row in roles.GRID if any(it in row[place] for it in letters)]


def authorizer(role: str):  # type: ignore[no-untyped-def]  # its type would need an import
    """The callback for ``set_authorizer``: what the table does not allow is denied."""
    rights = Rights(role)
    tables = frozenset([table for table, _ in rights.reads])

    def may(
        action: int, one: str | None, two: str | None, _base: str | None, by: str | None
    ) -> int:
        """SQLITE_OK or SQLITE_DENY; ``by`` names the trigger of ours that asks."""
        if action == sql.SQLITE_READ:
            # An empty column is a row that is only counted.
            allowed = (one, two) in rights.reads or by is not None or (not two and one in tables)
        elif action == sql.SQLITE_UPDATE:
            allowed = (one, two) in rights.updates
        elif action == sql.SQLITE_INSERT:
            allowed = one in rights.inserts
        elif action == sql.SQLITE_DELETE:
            allowed = one in rights.deletes
        elif action == sql.SQLITE_FUNCTION:
            allowed = two in rights.functions
        elif action == sql.SQLITE_PRAGMA:
            allowed = one in rights.pragmas and (two is None or one == "incremental_vacuum")
        else:
            allowed = action in (sql.SQLITE_SELECT, sql.SQLITE_TRANSACTION)
        return sql.SQLITE_OK if allowed else sql.SQLITE_DENY

    return may


_CONDITIONS = {
    "u": roles.OWN_UPDATE,
    "s": roles.SENT_UPDATE,
    "w": roles.WAKE_UPDATE,
}


def triggers(role: str, me: int) -> list[str]:
    """The statements that bind this connection's writes to the rows of participant ``me``."""
    made = []
    place = 2 + roles.ROLES.index(role)
    columns: dict[tuple[str, str], list[str]] = {}
    for row in roles.GRID:
        table, column, cell = row[0], row[1], row[place]
        if "i" in cell:
            made.append(_trigger(table, "INSERT", roles.OWN_INSERT[table].format(me=me)))
        for letter in cell:
            if letter in _CONDITIONS:
                columns.setdefault((table, letter), []).append(column)
    for (table, letter), names in columns.items():
        condition = _CONDITIONS[letter][table].format(me=me)
        made.append(_trigger(table, f"UPDATE OF {', '.join(names)}", condition, letter))
    rights = Rights(role)
    written = {table for table, _ in rights.updates} | rights.inserts
    # A REPLACE deletes without asking the authorizer: recursive_triggers lets these see it.
    made += [_trigger(table, "DELETE", "0") for table in sorted(written - rights.deletes)]
    return made


def _trigger(table: str, act: str, condition: str, letter: str = "") -> str:
    name = f"bound_{table}_{act.split(maxsplit=1)[0].lower()}{letter}"
    return (
        f"CREATE TEMP TRIGGER {name} BEFORE {act} ON main.{table} WHEN NOT ({condition})"
        f" BEGIN SELECT RAISE(ABORT, 'not one''s own row of {table}'); END"
    )


__all__ = ["Rights", "authorizer", "triggers"]
