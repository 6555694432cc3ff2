"""The status of a launch and whether it is an orphan, as far as they are known without hooks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.agents.test_inside import Family
from tongs_agents.sessions import Told
from tongs_agents.shapes import counts, launch_shape
from tongs_agents.status import fold, is_orphan, status_of
from tongs_agents.watching import Doing
from tongs_mux.evidence import Seen
from tongs_mux.model import Claim, LaunchRecord, PaneFacts, PaneRef, ProcessIdentity, State, Verdict

NEW = LaunchRecord("aaaaaaaa", created_at=100.0, argv=("x",), cwd="/src")
CLAIM = Claim(ProcessIdentity(10, "t10"), "%0", "/s", ProcessIdentity(5, "t5"), at=101.0)
CLAIMED = replace(NEW, claim=CLAIM, pane=PaneRef("tmux", "agents", "%0", "/s"))


def _seen(record: LaunchRecord, state: State, pane: PaneFacts | None = None) -> Seen:
    return Seen(record, Verdict(state, "" if state == "running" else state, ()), pane)


@pytest.mark.parametrize(
    ("record", "state", "expected"),
    [
        (NEW, "pending", (None, 100.0)),
        (CLAIMED, "running", (None, 101.0)),
        (CLAIMED, "unknown", (None, 101.0)),
        (CLAIMED, "replaced", (None, 101.0)),
        (CLAIMED, "exited", ("ended", None)),
        (replace(CLAIMED, ended_at=150.0), "exited", ("ended", 150.0)),
        (replace(CLAIMED, ended_at=150.0), "replaced", ("ended", 150.0)),
        (replace(CLAIMED, start_error="no"), "exited", ("ended", 101.0)),
        (replace(NEW, start_error="no"), "exited", ("ended", 100.0)),
    ],
)
def test_status_and_since(
    record: LaunchRecord, state: State, expected: tuple[str | None, float | None]
):
    assert status_of(record, _seen(record, state)) == expected


@pytest.mark.parametrize(
    ("by", "opener", "expected"),
    [
        (None, CLAIMED, False),
        ("aaaaaaaa", CLAIMED, False),
        (
            "aaaaaaaa",
            replace(CLAIMED, claim=replace(CLAIM, process=ProcessIdentity(11, "t"))),
            True,
        ),
        (
            "aaaaaaaa",
            replace(CLAIMED, claim=replace(CLAIM, process=ProcessIdentity(10, "x"))),
            True,
        ),
        ("aaaaaaaa", NEW, False),
        ("aaaaaaaa", replace(NEW, start_error="no"), True),
        ("gonegone", CLAIMED, True),
    ],
    ids=[
        "a person's",
        "alive",
        "ended",
        "pid reused",
        "not claimed yet",
        "never started",
        "forgotten",
    ],
)
def test_an_orphan_is_one_whose_opener_is_known_to_have_ended(
    by: str | None, opener: LaunchRecord, expected: bool
):
    record = replace(CLAIMED, launch_id="bbbbbbbb", labels={"spawned_by": by} if by else {})
    assert is_orphan(record, {opener.launch_id: opener}, Family({10: 1, 1: 0})) is expected


def _doing(seen: Seen) -> Doing:
    return Doing(seen, fold(seen.record, seen.verdict, Told(), 0.0))


def test_the_session_is_the_one_that_the_pane_is_in_by_now():
    facts = PaneFacts("%0", 10, "moved", "w", False, "", False, "x", "", 80, 24)
    shape = launch_shape(_doing(_seen(CLAIMED, "running", facts)), orphan=False)
    assert shape["pane"]["session"] == "moved"
    stranger = launch_shape(_doing(_seen(CLAIMED, "replaced", facts)), orphan=False)
    assert stranger["pane"]["session"] == "agents"
    assert launch_shape(_doing(_seen(NEW, "pending")), orphan=False)["pane"] is None


def test_counts_are_by_status_or_else_by_state():
    launches = [
        launch_shape(_doing(_seen(CLAIMED, state)), orphan=False)
        for state in ("running", "exited", "running")
    ]
    assert counts(launches) == {"ended": 1, "running": 2}
