"""Many processes at one file, and processes that die in it: what was acknowledged is there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.chat.rig import grant, raw
from tests.house.tree import ROOT
from tests.waiting import wait_for

LAUNCHES = [f"launch-{number:04}" for number in range(12)]
"""Eight that post and four that read."""

COUNT = 24


@contextmanager
def _crowd(path: Path, *parts: tuple[str, ...]) -> Iterator[list[subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []
    try:
        for part, *words in parts:
            command = [sys.executable, "-m", "tests.chat.crowd", part, str(path), *words]
            out = (path.parent.parent / f"{len(started)}.out").open("w", encoding="utf-8")
            error = (path.parent.parent / f"{len(started)}.err").open("w", encoding="utf-8")
            with out, error:
                started.append(
                    subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=error, text=True)
                )
        yield started
    finally:
        for it in started:
            it.kill()
        for it in started:
            it.wait()


def _said(path: Path, number: int) -> list[Any]:
    lines = (path.parent.parent / f"{number}.out").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines[:-1]]


def _errors(path: Path, number: int | str = "*") -> str:
    files = sorted(path.parent.parent.glob(f"{number}.err"))
    return "".join(it.read_text(encoding="utf-8") for it in files)


def _whole(path: Path) -> None:
    connection = raw(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    rows = connection.execute("SELECT seq FROM messages ORDER BY id").fetchall()
    connection.close()
    assert rows == sorted(rows)


def _stored(path: Path) -> dict[int, str]:
    connection = raw(path)
    rows = dict(connection.execute("SELECT id, body FROM messages").fetchall())
    connection.close()
    return rows


@pytest.fixture
def granted(store: Path) -> Path:
    for number, launch in enumerate(LAUNCHES):
        grant(store, launch, f"a{number}")
    return store


def test_eight_post_while_four_read_and_one_prunes_and_nothing_acknowledged_is_lost(
    granted: Path,
) -> None:
    posters = [("post", launch, str(COUNT)) for launch in LAUNCHES[:8]]
    readers = [("read", launch) for launch in LAUNCHES[8:]]
    with _crowd(granted, *posters, *readers, ("prune",)) as started:
        assert [it.wait(120) for it in started[:8]] == [0] * 8
        wait_for(lambda: len(_said(granted, 8)) > 3, what="the readers", deadline=60)
    assert _errors(granted) == ""
    _whole(granted)
    stored = _stored(granted)
    for number, launch in enumerate(LAUNCHES[:8]):
        ids = _said(granted, number)
        assert ids == sorted(ids)
        assert len(ids) == COUNT
        for place, message_id in enumerate(ids):
            if place % 3:  # the others are old, and may have been pruned
                assert stored.get(message_id) == f"{launch} {place} @a0"
    for number in range(8, 12):
        seen = [it for page in _said(granted, number) for it in page]
        assert seen == sorted(set(seen))


@pytest.mark.requirement("A78")
def test_eight_post_while_four_read_and_one_purges_and_only_refusals_reach_them(
    granted: Path,
) -> None:
    posters = [("post", launch, str(COUNT)) for launch in LAUNCHES[:8]]
    readers = [("read", launch) for launch in LAUNCHES[8:]]
    with _crowd(granted, *posters, *readers, ("purge", *LAUNCHES)) as started:
        for it in started[:8]:
            it.wait(120)
        # Who opens the file while it is purged finds no grant, or no file: a refusal too.
        ended = [_errors(granted, number).splitlines()[-1:] for number in range(13)]
        refused = {line.split(":")[0].rpartition(".")[2] for lines in ended for line in lines}
        assert refused <= {"GrantError", "NoStore", "StoreBusy"}
        wait_for(lambda: len(_said(granted, 12)) > 2, what="some purges", deadline=60)
    if granted.exists():
        _whole(granted)
        bodies = list(_stored(granted).values())
        assert len(bodies) == len(set(bodies))
    told = {it for number in range(8) for it in _said(granted, number) if isinstance(it, str)}
    assert told <= {"not-granted"}


@pytest.mark.parametrize("held", [False, True], ids=["alone", "while another has it open"])
def test_killed_in_the_middle_of_a_post_what_was_acknowledged_is_there_once(
    granted: Path, held: bool
) -> None:
    reader = raw(granted) if held else None
    if reader is not None:
        reader.execute("SELECT count(*) FROM messages").fetchone()
    seed = str(os.getpid())
    with _crowd(granted, ("die", LAUNCHES[1], "100", seed)) as (dying,):
        assert dying.wait(180) == 0, _errors(granted)
    if reader is not None:
        reader.close()
    rounds = _said(granted, 0)
    acknowledged = [it for ids in rounds for it in ids]
    _whole(granted)
    stored = _stored(granted)
    assert len(rounds) == 100
    assert len(acknowledged) > 50, f"seed {seed}"
    assert len(acknowledged) == len(set(acknowledged))
    for turn, ids in enumerate(rounds):
        assert [stored.get(it) for it in ids] == [f"{turn} {n} @a0" for n in range(len(ids))]
    # Of each life at most one post was written and not yet acknowledged.
    assert len(stored) - len(acknowledged) <= 100
    assert len(set(stored.values())) == len(stored)
