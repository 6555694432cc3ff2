"""Session records as they are read: what is believed, what is passed over, which is meant."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tongs_agents.errors import UsageError
from tongs_agents.hooks import events, record
from tongs_agents.hooks.identity import Origin
from tongs_agents.sessions import Session, SessionStore, bell_path, decode, pulse_path
from tongs_mux.errors import LaunchAmbiguous, PlaceRefused
from tongs_mux.model import LaunchRecord

NOW = 10_000.0
LAUNCH = "0123456789ab"


class Shelf:
    """A state dir into which the hook's own code writes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.directory = root / "sessions"
        self.store = SessionStore(self.directory, clock=lambda: NOW)

    def write(self, session_id: str, at: float, launch_id: str | None = None) -> Path:
        fact = events.fact_of("claude", "Stop", {"session_id": session_id, "cwd": "/project"})
        assert fact is not None
        before = set(self.directory.glob("*.json"))
        origin = Origin(os.fsencode(self.root), launch_id, None)
        record.write(fact, "claude", origin, {}, at)
        [path] = set(self.directory.glob("*.json")) - before
        return path


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    tmp_path.chmod(0o700)
    return Shelf(tmp_path)


def test_there_are_none_before_the_first(shelf: Shelf):
    assert shelf.store.all() == ()
    assert shelf.store.of_launch(LAUNCH) == ()


def test_the_newest_comes_first_and_launches_have_their_own(shelf: Shelf):
    shelf.write("a", 1.0, LAUNCH)
    shelf.write("b", 3.0, LAUNCH)
    shelf.write("c", 2.0)
    assert [one.session_id for one in shelf.store.all()] == ["b", "c", "a"]
    assert [one.session_id for one in shelf.store.of_launch(LAUNCH)] == ["b", "a"]
    assert list(shelf.store.by_launch()) == [LAUNCH]


def test_what_the_hook_wrote_is_what_is_read(shelf: Shelf):
    shelf.write("a", 1.5)
    [session] = shelf.store.all()
    assert session == Session(
        session_id="a",
        canonical_id=record.canonical_id("claude", "a", ""),
        harness="claude",
        launch_id=None,
        status="done",
        since=1.5,
        cwd="/project",
        last_event="stop",
        ts=1.5,
        facts={"stop": 1.5},
    )


def rewritten(**changes: Any) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        path.write_text(json.dumps({**json.loads(path.read_bytes()), **changes}), encoding="ascii")

    return change


def linked(path: Path) -> None:
    path.rename(path.with_suffix(".kept"))
    path.symlink_to(path.with_suffix(".kept"))


SPOILED: Mapping[str, Callable[[Path], object]] = {
    "five minutes ahead": rewritten(ts=NOW + 301),
    "a fact ahead": rewritten(facts={"stop": NOW + 301}),
    "no time": rewritten(ts=float("nan")),
    "another schema": rewritten(schema=2),
    "another's id": rewritten(session_id="other"),
    "another's canonical id": rewritten(canonical_id="fleet:v1:claude:" + "0" * 64),
    "no facts": rewritten(facts=None),
    "garbage": lambda path: path.write_bytes(b"{"),
    "deep": lambda path: path.write_bytes(b"[" * 60_000),
    "no object": lambda path: path.write_bytes(b"[]"),
    "too long": rewritten(cwd="x" * 70_000),
    "renamed": lambda path: path.rename(path.with_name("v1-" + "0" * 64 + ".json")),
    "open to others": lambda path: path.chmod(0o640),
    "a link": linked,
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
@pytest.mark.requirement("7.8")
def test_a_record_that_cannot_be_believed_is_passed_over(
    shelf: Shelf, spoil: Callable[[Path], object]
):
    spoil(shelf.write("a", 1.0))
    shelf.write("b", 2.0)
    assert [one.session_id for one in shelf.store.all()] == ["b"]


@pytest.mark.requirement("7.8")
def test_five_minutes_ahead_is_within_the_bounds(shelf: Shelf):
    shelf.write("a", NOW + 300)
    assert len(shelf.store.all()) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
@pytest.mark.requirement("7.8")
def test_a_foreign_record_is_passed_over(shelf: Shelf):
    os.chown(shelf.write("a", 1.0), 54321, 54321)
    assert shelf.store.all() == ()


@pytest.mark.parametrize("how", ["a link", "open to others"])
@pytest.mark.requirement("7.8")
def test_a_directory_that_is_not_ours_is_refused_not_read_as_empty(shelf: Shelf, how: str):
    shelf.write("a", 1.0)
    if how == "a link":
        shelf.directory.rename(shelf.root / "moved")
        shelf.directory.symlink_to(shelf.root / "moved")
    else:
        shelf.directory.chmod(0o755)
    with pytest.raises(PlaceRefused):
        shelf.store.all()


@pytest.mark.requirement("7.3")
def test_a_session_is_found_by_its_id_or_the_beginning_of_one(shelf: Shelf):
    shelf.write("abc-1", 1.0)
    shelf.write("abd-2", 2.0)
    canonical = record.canonical_id("claude", "abc-1", "")
    for text in ("abc-1", "abc", canonical, canonical[:30]):
        assert shelf.store.find(text).session_id == "abc-1"


@pytest.mark.requirement("7.3")
def test_a_whole_id_is_no_prefix_of_another(shelf: Shelf):
    shelf.write("abc", 1.0)
    shelf.write("abc-2", 2.0)
    assert shelf.store.find("abc").session_id == "abc"


@pytest.mark.requirement("7.3")
def test_two_matches_are_an_error_that_lists_both_and_none_is_one(shelf: Shelf):
    shelf.write("abc-1", 1.0)
    shelf.write("abd-2", 2.0)
    shelf.write("same", 3.0)
    shelf.write("same", 4.0, LAUNCH)
    for text, count in (("ab", 2), ("same", 2)):
        with pytest.raises(LaunchAmbiguous) as caught:
            shelf.store.find(text)
        assert len(caught.value.matches) == count
    for text in ("zz", ""):
        with pytest.raises(UsageError):
            shelf.store.find(text)


@pytest.mark.parametrize("value", [10**400, float("nan"), float("inf"), None, [1], {"a": []}, -1])
def test_a_field_of_another_kind_leaves_its_session_out_and_no_other(shelf: Shelf, value: object):
    shelf.write("healthy", 1.0)
    path = shelf.write("spoilt", 2.0)
    written = json.loads(path.read_text(encoding="utf-8"))
    for field in written:
        path.write_text(json.dumps({**written, field: value}), encoding="utf-8")
        found = {one.session_id: one for one in shelf.store.all()}
        assert "healthy" in found
        for one in found.values():
            json.dumps(dataclasses.asdict(one), allow_nan=False)
            assert one.process is None or one.process.pid > 0


def test_a_session_is_removed_with_its_lock(shelf: Shelf):
    shelf.write("a", 1.0)
    [session] = shelf.store.all()
    for _ in range(2):
        shelf.store.remove(session)
    assert list(shelf.directory.iterdir()) == []


@pytest.mark.parametrize("data", [b"", b"null", b'{"schema": 1}', b"\xff"])
def test_what_is_no_session_is_an_error(data: bytes):
    with pytest.raises(ValueError):
        decode(data)


@pytest.mark.requirement("A83")
def test_a_pulse_is_ordered_by_its_files_time(shelf: Shelf, tmp_path: Path):
    launch = LaunchRecord(LAUNCH, 1.0, ("x",), "/", places={"runtime_dir": str(tmp_path)})
    assert shelf.store.pulse(launch) is None
    path = pulse_path(tmp_path, LAUNCH)
    path.parent.mkdir()
    path.touch()
    for at, seen in ((42.5, 42.5), (NOW + 300, NOW + 300), (NOW + 301, None)):
        os.utime(path, (at, at))
        assert shelf.store.pulse(launch) == seen
    path.unlink()
    path.symlink_to("/dev/null")
    assert shelf.store.pulse(launch) is None
    assert shelf.store.pulse(LaunchRecord(LAUNCH, 1.0, ("x",), "/")) is None
    assert bell_path(tmp_path, LAUNCH) == tmp_path / "bells" / LAUNCH


def test_what_was_told_of_a_launch_is_its_sessions_and_its_pulse(shelf: Shelf, tmp_path: Path):
    launch = LaunchRecord(LAUNCH, 1.0, ("x",), "/", places={"runtime_dir": str(tmp_path)})
    shelf.write("a", 1.0, LAUNCH)
    shelf.write("b", 1.0)
    told = shelf.store.told(launch)
    assert [one.session_id for one in told.sessions] == ["a"]
    assert told.pulse is None
