"""What a launch is doing: the fold of claim, sessions, pulse and verification."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tongs_agents.hooks.turns import CLOSERS, FACTS, OPENERS
from tongs_agents.sessions import Session, Told
from tongs_agents.status import Heard, Status, fold, is_doubtful, is_hooked, status_of
from tongs_mux.evidence import Seen
from tongs_mux.model import Check, Claim, LaunchRecord, ProcessIdentity, State, Verdict

CLAIM = Claim(ProcessIdentity(10, "t10"), "%0", "/s", ProcessIdentity(5, "t5"), at=100.0)
NEW = LaunchRecord(
    "0123456789ab", created_at=99.0, argv=("x",), cwd="/", labels={"hooks": "attached"}
)
LAUNCH = replace(NEW, claim=CLAIM)
BARE = replace(LAUNCH, labels={})
NOW = 1000.0


def session(session_id: str = "s", **facts: float) -> Session:
    """A session with the given facts; ``-`` in a kind is written ``_``."""
    times = {kind.replace("_", "-"): at for kind, at in facts.items()}
    newest = max(times, key=lambda kind: times[kind], default="")
    return Session(
        session_id=session_id,
        canonical_id=f"fleet:v1:claude:{session_id}",
        harness="claude",
        launch_id=LAUNCH.launch_id,
        status="",
        since=0.0,
        ts=times.get(newest, 0.0),
        last_event=newest,
        facts=times,
    )


def judged(state: State, *checks: Check) -> Verdict:
    return Verdict(state, "" if state == "running" else state, checks)


def status(
    *sessions: Session, pulse: float | None = None, state: State = "running", **more: Any
) -> Status:
    return fold(LAUNCH, judged(state), Told(sessions, pulse), NOW, **more)


def seen(found: Status) -> list[tuple[str, float]]:
    return [(fact.check, fact.at) for fact in found.evidence]


@pytest.mark.requirement("A76")
def test_started_is_set_by_the_claim():
    found = status()
    assert (found.status, found.since, found.hooked) == ("started", 100.0, True)
    assert seen(found) == [("claim", 100.0)]


def test_before_the_claim_nothing_is_known():
    found = fold(NEW, judged("pending"), Told(), NOW)
    assert (found.status, found.since, found.evidence) == (None, 99.0, ())


@pytest.mark.requirement("interface: status")
def test_a_program_without_hooks_has_no_status_until_it_has_ended():
    assert fold(BARE, judged("running"), Told(), NOW) == Status(None, 100.0)
    assert fold(BARE, judged("exited"), Told(), NOW).status == "ended"
    assert not is_hooked(BARE, Told())
    assert is_hooked(BARE, Told((session(stop=1.0),)))


@pytest.mark.parametrize(
    ("facts", "pulse", "expected"),
    [
        ({"session_start": 101.0}, None, ("started", 101.0)),
        ({"prompt": 110.0}, None, ("working", 110.0)),
        ({"prompt": 110.0}, 120.0, ("working", 110.0)),
        ({"prompt": 110.0, "stop": 130.0}, 120.0, ("done", 130.0)),
        ({"prompt": 110.0, "stop": 130.0}, 140.0, ("done", 130.0)),
        ({"prompt": 110.0, "needs": 115.0}, 112.0, ("waiting", 115.0)),
        ({"prompt": 110.0, "needs": 115.0}, 116.0, ("working", 110.0)),
        ({"prompt": 110.0, "failure": 130.0}, None, ("error", 130.0)),
        ({"prompt": 110.0, "interrupt": 130.0}, 131.0, ("waiting", 130.0)),
        ({"prompt": 110.0, "stop": 130.0, "notified": 135.0}, None, ("working", 135.0)),
        ({"prompt": 110.0, "stop": 130.0, "idle": 190.0}, None, ("done", 130.0)),
        ({"prompt": 110.0, "session_end": 130.0}, None, ("started", 130.0)),
        ({"stop": 90.0}, None, ("started", 100.0)),
        ({"stop": 130.0, "prompt": NOW + 301}, None, ("done", 130.0)),
    ],
)
@pytest.mark.requirement("7.9", "A68", "A83", "7.8")
def test_a_newer_fact_beats_an_older_one(
    facts: dict[str, float], pulse: float | None, expected: tuple[str, float]
):
    found = status(session("s", **facts), pulse=pulse)
    assert (found.status, found.since) == expected


@pytest.mark.requirement("interface: status")
def test_clear_ends_a_session_and_not_the_launch():
    old = session("old", prompt=110.0, stop=120.0, session_end=130.0)
    new = session("new", session_start=130.1)
    assert status(old, new).status == "started"
    assert status(session("new", prompt=140.0), old).status == "working"
    assert status(old).status == "started"


@pytest.mark.parametrize("state", ["running", "unknown", "not-listed", "replaced"])
def test_verification_short_of_an_end_leaves_what_the_hooks_said(state: State):
    assert status(session(prompt=110.0), state=state).status == "working"


@pytest.mark.requirement("interface: status")
def test_the_end_is_what_verification_says():
    told = session(prompt=110.0, session_end=130.0)
    assert status(told, state="exited").status == "ended"
    assert status(told, state="exited").since == 130.0
    assert status(session(prompt=110.0), state="exited").since is None
    ended = fold(replace(LAUNCH, ended_at=150.0), judged("replaced"), Told((told,)), NOW)
    assert (ended.status, ended.since, ended.hooked) == ("ended", 150.0, True)


@pytest.mark.requirement("A14")
@pytest.mark.parametrize("state", ["replaced", "not-listed"])
def test_a_program_that_has_surely_ended_is_not_working_whoever_has_its_pane(state: State):
    told = Told((session(prompt=110.0, session_end=130.0),), None)
    gone = judged(state, Check("process", False, "pid 10 has ended"))
    assert fold(LAUNCH, gone, told, NOW).status == "ended"
    assert fold(LAUNCH, gone, told, NOW).since == 130.0
    assert fold(BARE, gone, Told(), NOW).status == "ended"
    unseen = judged(state, Check("process", None, "the system does not say when it started"))
    assert fold(LAUNCH, unseen, Told((session(prompt=110.0),), None), NOW).status == "working"


@pytest.mark.requirement("A68")
def test_an_interrupted_turn_waits_and_the_evidence_says_why():
    found = status(replace(session(prompt=110.0, interrupt=130.0), needs="prompt"))
    assert (found.status, found.needs) == ("waiting", "prompt")
    assert seen(found)[0] == ("interrupted", 130.0)


@pytest.mark.requirement("A68")
def test_what_is_heard_by_other_means_is_a_fact_too():
    working = session(prompt=110.0)
    escaped = Heard("interrupt", 120.0, "claude agents --json: idle")
    found = status(working, heard=(escaped,))
    assert (found.status, found.since) == ("waiting", 120.0)
    assert found.evidence[0].seen == "claude agents --json: idle"
    assert found.evidence[0].check == "interrupted"
    assert status(session(prompt=130.0), heard=(escaped,)).status == "working"
    busy = Heard("busy", 125.0, "claude agents --json: busy")
    assert status(session(prompt=110.0, needs=120.0), heard=(busy,)).status == "working"
    assert status(session(prompt=110.0, stop=120.0), heard=(busy,)).status == "done"


@pytest.mark.requirement("A68")
def test_an_old_working_is_doubtful():
    found = status(session(prompt=110.0), pulse=200.0)
    assert not is_doubtful(found, 260.0)
    assert is_doubtful(found, 260.1)
    assert not is_doubtful(status(session(prompt=110.0, stop=120.0)), NOW)


def test_the_prompt_is_the_newest_ones_of_all_sessions():
    old = replace(session("old", stop=120.0), prompt_sha256="aa", prompt_at=110.0)
    new = session("new", session_start=130.0)
    found = status(new, old)
    assert (found.prompt_sha256, found.prompt_at) == ("aa", 110.0)
    assert found.session_id == "new"


def test_why_lists_every_fact_the_newest_first_with_what_was_seen():
    asked = replace(session(prompt=110.0, needs=115.0), needs="permission", tool="Bash")
    found = status(asked, pulse=112.0)
    assert [(fact.check, fact.seen, fact.at) for fact in found.evidence] == [
        ("asks", "it asks its user: permission, Bash", 115.0),
        ("pulse", "a tool event", 112.0),
        ("prompt", "a prompt came", 110.0),
        ("claim", "pid 10", 100.0),
    ]
    assert (found.needs, found.tool, found.turn_open, found.last) == (
        "permission",
        "Bash",
        True,
        115.0,
    )


def test_status_of_reads_with_and_without_what_was_told():
    verdict = Verdict("running", "", ())
    assert status_of(BARE, Seen(BARE, verdict)) == (None, 100.0)
    assert status_of(LAUNCH, Seen(LAUNCH, verdict)) == ("started", 100.0)
    told = Told((session(prompt=110.0),))
    assert status_of(LAUNCH, Seen(LAUNCH, verdict), told) == ("working", 110.0)


# ---------------------------------------------------------------- any history

kinds = st.sampled_from([*FACTS, "compacted"])
times = st.integers(101, 900).map(float)
sessions = st.lists(st.dictionaries(kinds, times, max_size=6), max_size=3)
pulses = st.none() | times


def of(facts: list[dict[str, float]], pulse: float | None, **more: Any) -> Status:
    made = [
        replace(session(f"s{number}"), facts=each, ts=max(each.values(), default=0.0))
        for number, each in enumerate(facts)
    ]
    return status(*made, pulse=pulse, **more)


@given(sessions, pulses)
@pytest.mark.requirement("A83")
def test_no_pulse_after_stop_opens_the_turn_again(
    facts: list[dict[str, float]], pulse: float | None
):
    found = of([*facts, {"stop": 950.0}], 960.0 if pulse is None else pulse + 60.0 + 900.0)
    assert (found.status, found.turn_open) == ("done", False)


@given(sessions, pulses, st.sampled_from([*OPENERS, *CLOSERS]))
@pytest.mark.requirement("design 7")
def test_the_newest_fact_wins_over_all_sessions(
    facts: list[dict[str, float]], pulse: float | None, kind: str
):
    found = of([*facts, {kind: 950.0}], pulse)
    words = {**dict.fromkeys(OPENERS, "working"), **CLOSERS, "session-end": "started"}
    assert (found.status, found.since) == (words[kind], 950.0)


@given(sessions, pulses)
def test_it_is_never_ended_while_it_lives_nor_anything_else_once_it_has(
    facts: list[dict[str, float]], pulse: float | None
):
    assert of(facts, pulse).status != "ended"
    assert of(facts, pulse, state="exited").status == "ended"


@given(sessions, pulses)
def test_the_order_of_the_sessions_does_not_matter(
    facts: list[dict[str, float]], pulse: float | None
):
    one, other = of(facts, pulse), of(facts[::-1], pulse)
    assert (one.status, one.since, one.turn_open) == (other.status, other.since, other.turn_open)


@given(sessions, pulses)
def test_what_decided_is_in_the_evidence(facts: list[dict[str, float]], pulse: float | None):
    found = of(facts, pulse)
    assert found.since in [fact.at for fact in found.evidence]
