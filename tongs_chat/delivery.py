"""The delivery row of a launch: what was injected, what its turn has taken, what it was shown.

Each writes its own row only. Imports nothing but ``_sqlite3``: the hook reads it too.
"""

import _sqlite3 as sql

from tongs_chat import limits
from tongs_chat.database import Database


def is_recent(then: float | None, now: float, seconds: float) -> bool:
    """True within ``seconds`` of ``now``, to either side: a clock can be set back."""
    return then is not None and abs(now - then) < seconds


def own(connection: sql.Connection, me: int) -> tuple[str, str, float, int, str, float | None]:
    """Handle, level, time of the grant, pid and start token of its process, tools listed.

    Raises LookupError where the grant was revoked.
    """
    row = connection.execute(
        "SELECT g.handle, g.level, g.granted_at, g.pid, g.start_token, d.listed_at"
        " FROM grants AS g JOIN delivery AS d ON d.participant_id = g.participant_id"
        " WHERE g.launch_id = (SELECT launch_id FROM participants WHERE id = ?)",
        (me,),
    ).fetchone()
    if row is None:
        raise LookupError("the grant was revoked")
    handle, level, granted_at, pid, token, listed_at = row
    return handle, level, granted_at, pid, token, listed_at


def tools_shown(granted_at: float, listed_at: float | None) -> bool:
    """True once the client was shown the tools after the grant; before, none is named (A37)."""
    return listed_at is not None and listed_at >= granted_at


def listed(database: Database, *, now: float) -> None:
    """The client was shown the chat tools: the grant is pending no more (3.13)."""
    with database.write() as connection:
        connection.execute(
            "UPDATE delivery SET listed_at = ? WHERE participant_id = ?", (now, database.me)
        )


def notice_due(connection: sql.Connection, me: int, newest: int, now: float) -> bool:
    """True where mention ``newest`` came after the last injection, once in 60 s (4.3, G7)."""
    injected, noticed_at = connection.execute(
        "SELECT injected_id, noticed_at FROM delivery WHERE participant_id = ?", (me,)
    ).fetchone()
    return newest > injected and not is_recent(noticed_at, now, limits.NOTICE_SECONDS)


def injected(database: Database, newest: int, *, now: float | None = None) -> None:
    """Mentions up to ``newest`` were handed over; ``now`` where it was a tool's notice.

    Called after the output was flushed: before, they might never be seen (G4).
    """
    with database.write() as connection:
        connection.execute(
            "UPDATE delivery SET injected_id = max(injected_id, ?),"
            " noticed_at = coalesce(?, noticed_at) WHERE participant_id = ?",
            (newest, now, database.me),
        )


def turn_began(database: Database, *, now: float, by_person: bool) -> None:
    """A prompt event: our line has left the composer, and a new turn has taken nothing yet."""
    with database.write() as connection:
        connection.execute(
            "UPDATE delivery SET line_at = NULL, turn_taken = 0, prolonged = 0,"
            " prompted_at = coalesce(?, prompted_at) WHERE participant_id = ?",
            (now if by_person else None, database.me),
        )


def turn_ended(database: Database) -> None:
    """A turn is over: the next takes peer messages anew (9.22)."""
    with database.write() as connection:
        connection.execute(
            "UPDATE delivery SET turn_taken = 0, prolonged = 0 WHERE participant_id = ?",
            (database.me,),
        )


def may_prolong(kind: str, level: str) -> bool:
    """Whether what waits may keep a turn from ending: peers always, mentions by wake (A76)."""
    return kind == "peer" or level == "chat+wake"


def prolong(database: Database) -> bool:
    """Put off the end of the turn once more; False where that was done five times (A76)."""
    with database.write() as connection:
        cursor = connection.execute(
            "UPDATE delivery SET turn_taken = 0, prolonged = prolonged + 1"
            " WHERE participant_id = ? AND prolonged < ?",
            (database.me, limits.PROLONGED),
        )
        return cursor.rowcount == 1


def composer_empty(database: Database) -> None:
    """The composer was seen empty: our line is not in it any more (A76)."""
    with database.write() as connection:
        connection.execute(
            "UPDATE delivery SET line_at = NULL WHERE participant_id = ?", (database.me,)
        )


__all__ = [
    "composer_empty",
    "injected",
    "is_recent",
    "listed",
    "may_prolong",
    "notice_due",
    "own",
    "prolong",
    "tools_shown",
    "turn_began",
    "turn_ended",
]
