"""P3: an inbox with 100,000 messages stored, beside one in an empty store."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from tongs_chat import grants, reading, roles
from tongs_chat.creation import open_maintainer
from tongs_chat.database import Database
from validation.bench.measure import Sample, interleaved, timed

GOAL = 1.1
STORED = 100_000
_READER, _OTHER = "bench-reader", "bench-other"


def measure(directory: Path, runs: int) -> tuple[Sample, Sample]:
    """(floor, ours), in seconds, connection held; each has one unread mention."""
    with contextlib.ExitStack() as held:
        subjects = []
        for name, stored in (("empty", 0), ("full", STORED)):
            path = _prepared(directory / name, stored)
            database = held.enter_context(Database(str(path), roles.AGENT, _READER))
            if reading.inbox(database).mentions_total != 1:
                raise AssertionError("the mention is not there")
            subjects.append((name, timed(_look(database))))
        first, second = interleaved(runs, subjects, warmup=20)
    return first, second


def _look(database: Database) -> Callable[[], object]:
    # a hundred at a time: one alone is too short to be told from the clock's noise
    return lambda: [reading.inbox(database) for _ in range(100)]


def _prepared(directory: Path, stored: int) -> Path:
    directory.mkdir()
    path = directory / "chat" / "chat.db"
    with open_maintainer(path, clock=time.time, create=True) as database:
        for launch in (_READER, _OTHER):
            grants.give(
                database, launch_id=launch, profile=launch, level="chat", pid=1,
                start_token="bench", now=0.0,  # noqa: S106 - when a process began
            )  # fmt: skip
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        me, other = (
            connection.execute(
                "SELECT participant_id FROM grants WHERE launch_id = ?", (launch,)
            ).fetchone()[0]
            for launch in (_READER, _OTHER)
        )
        rows = ((seq, other, "other", float(seq), "text " * 10) for seq in range(1, stored + 2))
        connection.executemany(
            "INSERT INTO messages (channel_id, seq, author_id, handle, ts, body)"
            " VALUES (1, ?, ?, ?, ?, ?)",
            rows,
        )
        connection.execute(
            "INSERT INTO mentions SELECT ?, 1, max(id), ?, 'bench-reader' FROM messages",
            (me, other),
        )
    return path
