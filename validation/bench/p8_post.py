"""P8: a post through the store, limits and authorizer on, beside a bare insert; 8 processes each.

Every process posts at 50 a second, connection held. The clock that the store is given
runs fast enough that the limit of posts a minute is asked each time and never reached.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tongs_chat import grants, messages, roles
from tongs_chat.creation import open_maintainer
from tongs_chat.database import Database
from validation.bench.measure import Sample

GOAL = 3.0
PROCESSES = 8
POSTS = 100
PACE = 1 / 50
BODY = "a message of some sixty bytes, as agents write them to each other"
_STEP = 2.1
"""Seconds that the store's clock runs from one post to the next: under 30 a minute."""


def measure(directory: Path, rounds: int) -> tuple[Sample, Sample]:
    """(floor, ours): the 95th percentile of a post, of each round, in turn."""
    floors, ours = [], []
    for turn in range(rounds):
        floors.append(_round(directory / f"bare{turn}", "bare"))
        ours.append(_round(directory / f"ours{turn}", "ours"))
    return Sample("bare insert", tuple(floors)), Sample("post", tuple(ours))


def _round(directory: Path, kind: str) -> float:
    """Seconds of the 95th percentile. Raises AssertionError where a post was lost."""
    directory.mkdir()
    path = _prepared(directory, kind)
    argv = [sys.executable, "-m", "validation.bench.p8_post", kind, str(path)]
    begun = [
        subprocess.Popen([*argv, str(number)], stdout=subprocess.PIPE)
        for number in range(PROCESSES)
    ]
    said = [one.communicate(timeout=120)[0] for one in begun]
    if any(one.returncode for one in begun):
        raise AssertionError("a post ended with an error")
    seconds = [each for one in said for each in json.loads(one)]
    with contextlib.closing(sqlite3.connect(path)) as connection:
        (stored,) = connection.execute("SELECT count(*) FROM messages").fetchone()
    if stored != PROCESSES * POSTS or len(seconds) != stored:
        raise AssertionError(f"{stored} of {PROCESSES * POSTS} posts are there")
    return float(statistics.quantiles(seconds, n=20)[-1])


def _prepared(directory: Path, kind: str) -> Path:
    path = directory / "chat" / "chat.db"
    if kind == "ours":
        with open_maintainer(path, clock=time.time, create=True) as database:
            for number in range(PROCESSES):
                grants.give(
                    database, launch_id=_launch(number), profile=f"p{number}", level="chat",
                    pid=1, start_token="bench", now=0.0,  # noqa: S106 - when a process began
                )  # fmt: skip
        return path
    path.parent.mkdir()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE messages (id INTEGER PRIMARY KEY, ts REAL, body TEXT)")
    return path


def _launch(number: int) -> str:
    return f"bench-launch-{number}"


def _bare(path: str) -> Callable[[int], object]:
    connection = sqlite3.connect(path, timeout=10, isolation_level=None)
    connection.execute("PRAGMA synchronous = FULL")

    def insert(at: int) -> object:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO messages (ts, body) VALUES (?, ?)", (float(at), BODY))
        return connection.execute("COMMIT")

    return insert


def _ours(path: str, number: int) -> Callable[[int], object]:
    database = Database(path, roles.AGENT, _launch(number))
    return lambda at: messages.post(database, "general", BODY, now=1e9 + at * _STEP)


def _work(kind: str, path: str, number: int) -> None:
    act = _bare(path) if kind == "bare" else _ours(path, number)
    seconds = []
    begin = time.perf_counter()
    for at in range(POSTS):
        time.sleep(max(0.0, begin + at * PACE - time.perf_counter()))
        start = time.perf_counter()
        act(at)
        seconds.append(time.perf_counter() - start)
    sys.stdout.write(json.dumps(seconds))


if __name__ == "__main__":
    _work(sys.argv[1], sys.argv[2], int(sys.argv[3]))
