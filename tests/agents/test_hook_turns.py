"""The fold of facts: against a model that takes one event after another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tongs_agents.hooks.events import Fact
from tongs_agents.hooks.identity import Origin
from tongs_agents.hooks.record import updated
from tongs_agents.hooks.turns import ANSWERED, ASKERS, CLOSERS, FACTS, OPENERS, Turn, fold

Events = list[tuple[str, float]]

kinds = st.sampled_from([*FACTS, "pulse", "compacted"])


@st.composite
def histories(draw: st.DrawFn) -> Events:
    """Events in the order of their times, no two at once."""
    names = draw(st.lists(kinds, max_size=30))
    return [(name, float(number + 1)) for number, name in enumerate(names)]


def folded(events: Events) -> Turn | None:
    facts: dict[str, float] = {}
    pulse = 0.0
    for kind, at in events:
        if kind == "pulse":
            pulse = max(pulse, at)
        else:
            facts[kind] = max(facts.get(kind, 0.0), at)
    return fold(facts, pulse)


def modelled(events: Events) -> tuple[str, bool] | None:
    """(status, turn is open) after the events, one by one."""
    status, is_open = None, False
    before: str | None = None
    for kind, _ in events:
        if kind in OPENERS:
            status = before = "working"
            is_open = True
        elif kind in CLOSERS:
            status = before = CLOSERS[kind]
            is_open = False
        elif kind == ANSWERED:
            status = before
        elif kind == "needs" or (kind == "idle" and is_open):
            status = "waiting"
        elif kind == "pulse" and is_open and status == "waiting":
            status = "working"
    return None if status is None else (status, is_open)


@given(histories())
@pytest.mark.requirement("A83", "design 7")
def test_the_newest_fact_wins(events: Events):
    turn = folded(events)
    assert (None if turn is None else (turn.status, turn.is_open)) == modelled(events)


@given(histories(), st.randoms(use_true_random=False))
def test_facts_may_be_written_in_any_order(events: Events, random: object):
    shuffled = list(events)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, other = folded(events), folded(shuffled)
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert (one.status, one.since, one.fact) == (other.status, other.since, other.fact)


@given(histories(), st.integers(1, 10))
@pytest.mark.requirement("A83")
def test_no_pulse_after_the_end_of_a_turn_opens_it_again(events: Events, pulses: int):
    ended = [*events, ("stop", 100.0)]
    later: Events = [("pulse", 100.0 + number) for number in range(1, pulses + 1)]
    turn = folded(ended + later)
    assert turn is not None
    assert (turn.status, turn.is_open, turn.since) == ("done", False, 100.0)


@given(histories())
def test_only_a_prompt_opens_a_turn(events: Events):
    turn = folded([event for event in events if event[0] not in OPENERS])
    assert turn is None or not turn.is_open


@given(histories())
def test_the_time_is_that_of_the_fact_that_decided(events: Events):
    turn = folded(events)
    if turn is not None:
        assert (turn.fact, turn.since) in events


@pytest.mark.parametrize(
    ("events", "status"),
    [
        (["prompt"], "working"),
        (["prompt", "stop"], "done"),
        (["prompt", "stop", "pulse"], "done"),
        (["prompt", "needs"], "waiting"),
        (["prompt", "needs", "pulse"], "working"),
        (["prompt", "pulse", "needs"], "waiting"),
        (["needs", "pulse"], "waiting"),
        (["prompt", "failure"], "error"),
        (["prompt", "interrupt", "pulse"], "waiting"),
        (["prompt", "stop", "idle"], "done"),
        (["prompt", "idle"], "waiting"),
        (["stop", "notified"], "working"),
        (["prompt", "compacted"], "working"),
        (["prompt", "session-end", "session-start"], "started"),
        (["compacted"], None),
        ([], None),
    ],
)
@pytest.mark.requirement("7.9", "A68", "A83", "A85")
def test_what_a_history_amounts_to(events: list[str], status: str | None):
    turn = folded([(kind, float(number + 1)) for number, kind in enumerate(events)])
    assert (turn.status if turn else None) == status


def test_of_two_at_once_the_end_wins():
    turn = fold({"prompt": 5.0, "stop": 5.0})
    assert turn is not None
    assert turn.status == "done"


def test_the_kinds_are_disjoint():
    known = (*OPENERS, *CLOSERS, *ASKERS, ANSWERED)
    assert sorted(FACTS) == sorted(set(known))
    assert len(FACTS) == len(known)


# ---------------------------------------------------------------- the record

NOBODY = Origin(b"/s", None, None)


def a_fact(kind: str, **fields: object) -> Fact:
    fact = Fact(kind, {"session_id": "s"})
    for name, value in fields.items():
        setattr(fact, name, value)
    return fact


def recorded(*facts: tuple[Fact, float]) -> dict[str, object]:
    record: dict[str, object] = {}
    for fact, at in facts:
        record = updated(record, fact, "claude", NOBODY, at)
    return record


def test_a_late_fact_changes_nothing_that_is_newer():
    record = recorded((a_fact("prompt"), 1.0), (a_fact("stop", detail="x"), 5.0))
    late = updated(record, a_fact("needs", needs="permission", tool="Bash"), "claude", NOBODY, 3.0)
    assert (late["status"], late["since"], late["detail"]) == ("done", 5.0, "x")
    assert (late["needs"], late["tool"]) == ("", "")
    assert late["sequence"] == 3


def test_what_it_waits_for_is_kept_until_it_no_longer_waits():
    asked = a_fact("needs", needs="permission", tool="Bash")
    record = recorded((a_fact("prompt"), 1.0), (asked, 2.0), (a_fact("compacted"), 3.0))
    assert (record["status"], record["needs"], record["tool"]) == ("waiting", "permission", "Bash")
    over = updated(record, a_fact("stop"), "claude", NOBODY, 4.0)
    assert (over["status"], over["needs"], over["tool"]) == ("done", "", "")


def test_the_last_prompts_are_kept_by_their_hashes():
    prompts = [(a_fact("prompt", prompts=(f"{n:064x}", "f" * 64)), float(n)) for n in range(1, 30)]
    record = recorded(*prompts)
    assert record["prompt_sha256"] == f"{29:064x}"
    assert record["prompt_at"] == 29.0
    kept = record["prompts"]
    assert isinstance(kept, list)
    assert kept[-1] == [f"{29:064x}", 29.0]
    assert len(kept) == 12


@pytest.mark.requirement("7.8")
def test_a_clock_that_was_wrong_does_not_hold_the_status_for_ever():
    record = recorded((a_fact("prompt"), 9000.0))
    assert updated(record, a_fact("stop"), "claude", NOBODY, 1000.0)["status"] == "done"
    near = recorded((a_fact("prompt"), 1200.0))
    assert updated(near, a_fact("stop"), "claude", NOBODY, 1000.0)["status"] == "working"


@pytest.mark.parametrize(
    "old",
    [
        {"facts": [], "prompts": {}, "sequence": "x"},
        {"facts": {"prompt": "soon"}, "prompts": [1, [2]], "sequence": None},
    ],
)
def test_a_spoiled_record_is_begun_afresh(old: dict[str, object]):
    record = updated(old, a_fact("stop"), "claude", NOBODY, 5.0)
    assert (record["status"], record["sequence"], record["prompts"]) == ("done", 1, [])
