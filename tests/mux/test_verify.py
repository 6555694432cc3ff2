"""The verdict over every combination of evidence, and each state by its own story."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import pytest

from tongs_mux.model import (
    Claim,
    Evidence,
    LaunchRecord,
    PaneFacts,
    PaneRef,
    ProcessFacts,
    ProcessIdentity,
    State,
    Verdict,
)
from tongs_mux.verify import CLAIM_GRACE, verdict

SERVER = ProcessIdentity(100, "boot:1")
PROCESS = ProcessIdentity(200, "boot:2")
OTHER_PID = 999

PANE = PaneFacts(
    pane_id="%3",
    pid=PROCESS.pid,
    session="one",
    window="@1",
    dead=False,
    mode="",
    synchronized=False,
    command="program",
    title="",
    width=80,
    height=24,
)
FACTS = ProcessFacts(PROCESS.pid, SERVER.pid, PROCESS.start_token, "program", 200, 200)
CLAIM = Claim(PROCESS, "%3", "/socket", SERVER, at=1000.0)
RECORD = LaunchRecord(
    launch_id="0123456789ab",
    created_at=1000.0,
    argv=("program",),
    cwd="/",
    pane=PaneRef("tmux", "one", "%3", "/socket"),
    opened_pid=PROCESS.pid,
    server=SERVER,
    claim=CLAIM,
)
GOOD = Evidence(True, "", SERVER, PANE, FACTS, (), now=1001.0)


def started_later(facts: ProcessFacts) -> ProcessFacts:
    return replace(facts, start_token=f"{facts.start_token}9")


def checks_of(found: Verdict) -> dict[str, bool | None]:
    return {check.name: check.passed for check in found.checks}


# -- every combination

SERVERS = {
    "same": SERVER,
    "other-pid": ProcessIdentity(101, "boot:1"),
    "other-start": ProcessIdentity(100, "boot:9"),
    "no-token": ProcessIdentity(100, None),
    "none": None,
}
PANE_PIDS = {"same": PROCESS.pid, "other": OTHER_PID, "not-told": None}
PROCESSES = {
    "same": FACTS,
    "other-start": started_later(FACTS),
    "zombie": replace(FACTS, zombie=True),
    "no-token": replace(FACTS, start_token=None),
    "gone": None,
}
ANCESTORS = {"none": (), "under-pane": (200, 100), "under-server": (100, 1), "outside": (7, 1)}


@dataclass(frozen=True)
class Combination:
    server: str
    listed: bool
    dead: bool
    pane_pid: str
    process: str
    ancestors: str
    claimed_token: bool

    def judge(self) -> Verdict:
        pane = replace(PANE, pid=PANE_PIDS[self.pane_pid], dead=self.dead) if self.listed else None
        evidence = replace(
            GOOD,
            server=SERVERS[self.server],
            pane=pane,
            process=PROCESSES[self.process],
            ancestors=ANCESTORS[self.ancestors],
        )
        claimed = PROCESS if self.claimed_token else replace(PROCESS, start_token=None)
        return verdict(replace(RECORD, claim=replace(CLAIM, process=claimed)), evidence)

    @property
    def inside(self) -> bool:
        """The claimed process is the pane's, or below it, or (no pid told) below the server."""
        top = PANE_PIDS[self.pane_pid]
        if top is None:
            seen = SERVERS[self.server]
            return seen is not None and seen.pid in ANCESTORS[self.ancestors]
        return top == PROCESS.pid or top in ANCESTORS[self.ancestors]

    @property
    def all_good(self) -> bool:
        return (
            self.server == "same"
            and self.listed
            and not self.dead
            and self.pane_pid != "other"
            and self.process == "same"
            and self.claimed_token
            and self.inside
        )


def combinations() -> Iterator[Combination]:
    both = (True, False)
    axes = (SERVERS, both, both, PANE_PIDS, PROCESSES, ANCESTORS, both)
    return itertools.starmap(Combination, itertools.product(*axes))


def strangers(states: dict[Combination, State], *allowed: State) -> dict[Combination, State]:
    return {one: state for one, state in states.items() if state not in allowed}


STATES = {one: one.judge().state for one in combinations()}


def test_only_what_passes_every_check_is_running():
    running = {one for one, state in STATES.items() if state == "running"}
    assert running == {one for one in STATES if one.all_good}
    assert running


def test_no_combination_is_pending_once_claimed():
    assert strangers(STATES, "running", "replaced", "exited", "not-listed", "unknown") == {}


def test_an_unknown_token_never_verifies_and_is_never_taken_for_an_end():
    unknown = {
        one: state
        for one, state in STATES.items()
        if (one.process == "no-token" or not one.claimed_token)
        and one.server == "same"
        and one.listed
        and not one.dead
        and one.pane_pid == "same"
        and one.process not in ("gone", "zombie")
    }
    assert set(unknown.values()) == {"unknown"}


def test_another_server_or_another_process_in_a_listed_pane_is_replaced():
    cases = {
        one: state
        for one, state in STATES.items()
        if one.listed
        and (one.server in ("other-pid", "other-start", "none") or one.pane_pid == "other")
    }
    assert strangers(cases, "replaced") == {}


def test_a_process_that_ended_has_exited_unless_its_pane_is_another_s():
    cases = {
        one: state
        for one, state in STATES.items()
        if one.process in ("gone", "zombie") or (one.process == "other-start" and one.claimed_token)
    }
    assert strangers(cases, "exited", "replaced") == {}


def test_a_living_process_without_its_pane_is_not_listed():
    cases = {one: s for one, s in STATES.items() if not one.listed and one.process == "same"}
    assert strangers(cases, "not-listed") == {}


def test_a_state_has_its_own_reason_and_a_check_that_explains_it():
    for one, state in STATES.items():
        found = one.judge()
        assert found.reason == ("" if state == "running" else state)
        assert found.verified is (state == "running")
        if state != "running":
            assert [check for check in found.checks if check.passed is not True], one


@pytest.mark.case("D8")
@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("pane", [PANE, None])
@pytest.mark.parametrize("process", PROCESSES)
def test_no_answer_is_unknown_whatever_else_seems_so(server, pane, process):
    evidence = replace(
        GOOD,
        answered=False,
        trouble="no answer within 5 s",
        server=SERVERS[server],
        pane=pane,
        process=PROCESSES[process],
    )
    found = verdict(RECORD, evidence)
    assert (found.state, found.reason) == ("unknown", "unknown")
    assert checks_of(found)["answered"] is None
    assert found.checks[-1].seen == "no answer within 5 s"


# -- each state by name


class Story(NamedTuple):
    test_id: str
    record: LaunchRecord
    evidence: Evidence
    state: State
    reason: str
    failed: str


STORIES = [
    Story("running", RECORD, GOOD, "running", "", ""),
    Story(
        "running below a wrapper's pane process",
        replace(RECORD, opened_pid=150),
        replace(GOOD, pane=replace(PANE, pid=150), ancestors=(150, 100)),
        "running",
        "",
        "",
    ),
    Story(
        "zellij: no pid in the listing, the server's child",
        replace(RECORD, opened_pid=None),
        replace(GOOD, pane=replace(PANE, pid=None), ancestors=(100, 1)),
        "running",
        "",
        "",
    ),
    Story(
        "pending: not claimed yet",
        replace(RECORD, claim=None),
        replace(GOOD, now=1000.0 + CLAIM_GRACE - 0.001),
        "pending",
        "pending",
        "claimed",
    ),
    Story(
        "not claimed in time",
        replace(RECORD, claim=None),
        replace(GOOD, now=1000.0 + CLAIM_GRACE),
        "pending",
        "not-claimed",
        "claimed",
    ),
    Story(
        "A91: it never started",
        replace(RECORD, claim=None, start_error="no such program"),
        GOOD,
        "exited",
        "exited",
        "started",
    ),
    Story(
        "C1: the same id on a restarted server",
        RECORD,
        replace(GOOD, server=ProcessIdentity(300, "boot:7"), pane=replace(PANE, pid=301)),
        "replaced",
        "replaced",
        "server",
    ),
    Story(
        "C1: a server with the same pid, started later",
        RECORD,
        replace(GOOD, server=ProcessIdentity(SERVER.pid, "boot:7")),
        "replaced",
        "replaced",
        "server",
    ),
    Story(
        "respawned: the same id with another process",
        RECORD,
        replace(GOOD, pane=replace(PANE, pid=OTHER_PID)),
        "replaced",
        "replaced",
        "pane-process",
    ),
    Story(
        "C12: a dead pane",
        RECORD,
        replace(GOOD, pane=replace(PANE, dead=True), process=None),
        "exited",
        "exited",
        "process",
    ),
    Story(
        "a dead pane whose claimed pid still shows",
        RECORD,
        replace(GOOD, pane=replace(PANE, dead=True)),
        "exited",
        "exited",
        "not-dead",
    ),
    Story(
        "its pid is another process now",
        RECORD,
        replace(GOOD, process=started_later(FACTS)),
        "exited",
        "exited",
        "process",
    ),
    Story(
        "a zombie",
        RECORD,
        replace(GOOD, process=replace(FACTS, zombie=True)),
        "exited",
        "exited",
        "process",
    ),
    Story(
        "the server ended, the process lives on",
        RECORD,
        replace(GOOD, server=None, pane=None, ancestors=(1,)),
        "not-listed",
        "not-listed",
        "server",
    ),
    Story(
        "the pane is gone, the process lives on",
        RECORD,
        replace(GOOD, pane=None, ancestors=(1,)),
        "not-listed",
        "not-listed",
        "listed",
    ),
    Story(
        "D2: a process elsewhere that carries the claim",
        replace(RECORD, opened_pid=150),
        replace(GOOD, pane=replace(PANE, pid=150), ancestors=(7, 1)),
        "replaced",
        "replaced",
        "tree",
    ),
    Story(
        "D5: the system does not say when the server started",
        replace(RECORD, claim=replace(CLAIM, server=replace(SERVER, start_token=None))),
        GOOD,
        "unknown",
        "unknown",
        "server",
    ),
    Story(
        "D5: the system does not say when the process started",
        RECORD,
        replace(GOOD, process=replace(FACTS, start_token=None)),
        "unknown",
        "unknown",
        "process",
    ),
]


@pytest.mark.case("C1", "C12", "D2", "D5")
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.test_id)
def test_state(story: Story):
    found = verdict(story.record, story.evidence)
    assert (found.state, found.reason) == (story.state, story.reason)
    first = next((check.name for check in found.checks if check.passed is not True), "")
    assert first == story.failed


@pytest.mark.case("D2")
def test_names_titles_and_commands_change_nothing():
    dressed = replace(PANE, title="claude", command="claude", session="agents")
    stranger = replace(GOOD, pane=replace(dressed, pid=OTHER_PID))
    assert verdict(RECORD, replace(GOOD, pane=dressed)) == verdict(RECORD, GOOD)
    assert verdict(RECORD, stranger).state == "replaced"
