"""Waits, the sends that they must be newer than, and receipts."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tongs_agents.errors import (
    LaunchEnded,
    Refused,
    Unsupported,
    UsageError,
    WaitCancelled,
    WaitTimedOut,
)
from tongs_agents.hooks import events, record
from tongs_agents.hooks.identity import Origin
from tongs_agents.outcomes import failure_of
from tongs_agents.receipts import confirm, hashes_of, proof_for
from tongs_agents.sends import SendStore, Sent
from tongs_agents.sessions import SessionStore
from tongs_agents.status import WORDS, Status
from tongs_agents.waiting import Look, asked, is_newer, step, wait
from tongs_mux.model import Check, Fact, State
from tongs_mux.text import prepare, sha256

LAUNCH = "0123456789ab"
SENT = Sent(100.0, "a" * 64, "pasted")


def status(word: Any, since: float, prompt: float | None = None) -> Status:
    return Status(word, since, hooked=True, prompt_at=prompt)


def look(
    found: Status, *, state: State = "running", sent: Sent | None = None, reason: str = ""
) -> Look:
    checks = (Check("listed", state == "running", "x"),)
    return Look(state, reason or ("" if state == "running" else state), checks, found, sent)


class Clock:
    """Time that passes only by pausing."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def waiting(
    looks: Iterator[Look] | Callable[[], Look], until: str, timeout: float, **more: Any
) -> Any:
    clock = more.pop("clock", None) or Clock()
    ask = looks if callable(looks) else lambda: next(looks)
    word = asked(until, timeout)
    return wait(LAUNCH, ask, word, timeout, monotonic=clock, pause=clock.pause, **more)


# ---------------------------------------------------------------- one look


@pytest.mark.parametrize("until", WORDS)
def test_without_a_send_any_such_status_will_do(until: str):
    state: State = "exited" if until == "ended" else "running"
    assert step(LAUNCH, look(status(until, 1.0), state=state), asked(until, 1))


@pytest.mark.parametrize(
    ("found", "reached"),
    [
        (status("done", 99.0, prompt=90.0), False),  # of the turn before
        (status("done", 105.0, prompt=90.0), False),  # it was running when we sent: queued behind
        (status("done", 120.0, prompt=110.0), True),
        (status("done", 100.0, prompt=100.0), True),
        (status("done", 105.0), False),  # a turn that no person prompted
        (status("working", 110.0, prompt=110.0), False),
        (status("waiting", 115.0, prompt=110.0), False),
        (status("started", 99.0), False),
    ],
)
@pytest.mark.requirement("A74", "wait")
def test_only_a_status_newer_than_the_last_send_counts(found: Status, reached: bool):
    for receipt in ("pasted", "submitted"):
        sent = replace(SENT, receipt=receipt)
        assert step(LAUNCH, look(found, sent=sent), "done") is reached


@pytest.mark.requirement("A74")
def test_a_submitted_receipt_is_the_fact_working():
    """The receipt's proof is a prompt event after the send, which opens the turn."""
    found = status("working", 101.0, prompt=101.0)
    assert step(LAUNCH, look(found, sent=replace(SENT, receipt="submitted")), "working")


def test_a_dialog_or_an_error_after_the_send_counts_too():
    for word in ("waiting", "error"):
        assert is_newer(status(word, 120.0, prompt=110.0), SENT)
        assert not is_newer(status(word, 99.0, prompt=90.0), SENT)


@pytest.mark.parametrize("until", WORDS)
@pytest.mark.parametrize("state", ["running", "exited", "unknown"])
@pytest.mark.requirement("exit 6")
def test_a_launch_without_hooks_is_unsupported_at_once(until: str, state: State):
    with pytest.raises(Unsupported) as caught:
        step(LAUNCH, look(Status(None, 1.0), state=state), asked(until, 1))
    assert failure_of(caught.value).exit_code == 6


@pytest.mark.requirement("6.22", "A10")
@pytest.mark.parametrize("until", WORDS)
@pytest.mark.requirement("A101")
def test_a_launch_whose_hooks_are_not_trusted_is_unsupported_at_once(until: Any):
    found = replace(status("started", 1.0), untrusted=True)
    with pytest.raises(Unsupported) as caught:
        step(LAUNCH, look(found), until)
    failure = failure_of(caught.value)
    assert (failure.exit_code, failure.reason) == (6, "hooks-untrusted")


def test_before_its_claim_nobody_knows_whether_a_launch_has_hooks():
    with pytest.raises(Refused) as caught:
        step(LAUNCH, look(Status(None, 1.0), state="pending"), "done")
    assert caught.value.reason == "pending"


@pytest.mark.requirement("exit 3", "A6")
def test_an_end_while_waiting_for_something_else_is_exited():
    with pytest.raises(LaunchEnded) as caught:
        step(LAUNCH, look(status("ended", 120.0), state="exited", sent=SENT), "done")
    failure = failure_of(caught.value)
    assert (failure.exit_code, failure.reason) == (3, "exited")
    assert failure.extra == {"state": "exited", "status": "ended"}


def test_an_end_that_was_waited_for_needs_no_later_prompt():
    assert step(LAUNCH, look(status("ended", 50.0), state="exited", sent=SENT), "ended")


@pytest.mark.parametrize("state", ["pending", "replaced", "not-listed"])
@pytest.mark.requirement("exit 5", "6.22")
def test_a_launch_that_does_not_verify_is_refused(state: State):
    for until in ("done", "ended"):
        with pytest.raises(Refused) as caught:
            step(LAUNCH, look(status("done", 120.0), state=state), asked(until, 1))
        failure = failure_of(caught.value)
        assert (failure.exit_code, failure.reason, failure.outcome) == (5, state, "refused")
        assert failure.checks


@pytest.mark.parametrize("state", ["replaced", "not-listed"])
@pytest.mark.requirement("exit 5", "A14")
def test_a_program_that_ended_and_lost_its_pane_is_over_for_who_waits_for_its_end(state: State):
    gone = look(status("ended", 120.0), state=state)
    assert step(LAUNCH, gone, "ended")
    with pytest.raises(Refused) as caught:
        step(LAUNCH, gone, "done")
    assert caught.value.reason == state


def test_a_launch_that_never_claimed_says_so():
    never = look(status("started", 1.0), state="pending", reason="not-claimed")
    with pytest.raises(Refused) as caught:
        step(LAUNCH, never, "done")
    assert caught.value.reason == "not-claimed"


@pytest.mark.requirement("wait")
@pytest.mark.parametrize(("then", "reason"), [("exited", "exited"), ("not-listed", "not-listed")])
def test_a_pane_that_went_before_its_program_is_looked_at_again(then: State, reason: str):
    gone = look(status("done", 1.0), state="not-listed")
    looks = iter([gone, replace(gone, state=then), replace(gone, state=then)])
    with pytest.raises((LaunchEnded, Refused)) as caught:
        waiting(looks, "working", 60)
    assert caught.value.reason == reason
    ended = look(status("ended", 2.0), state="exited")
    assert waiting(iter([gone, ended]), "ended", 60).status == "ended"


@pytest.mark.requirement("wait")
def test_no_answer_is_no_end():
    assert not step(LAUNCH, look(status("working", 1.0), state="unknown"), "done")
    assert step(LAUNCH, look(status("done", 1.0), state="unknown"), "done")


# ---------------------------------------------------------------- the wait


@pytest.mark.requirement("6.25", "wait")
def test_it_looks_every_half_second_until_it_is_so():
    looks = iter([look(status("working", 110.0, 110.0)), look(status("done", 120.0, 110.0))])
    clock = Clock()
    ended = waiting(looks, "done", 120, clock=clock)
    assert (ended.launch_id, ended.status, ended.waited_s) == (LAUNCH, "done", 0.5)
    assert clock.pauses == [0.5]


@pytest.mark.requirement("exit 4", "A1")
def test_a_timeout_carries_state_and_status_and_a_last_look_is_taken():
    clock = Clock()
    count = 0

    def working() -> Look:
        nonlocal count
        count += 1
        return look(status("working", 110.0, 110.0))

    with pytest.raises(WaitTimedOut) as caught:
        waiting(working, "done", 1.2, clock=clock)
    failure = failure_of(caught.value)
    assert (failure.exit_code, failure.outcome, failure.timed_out) == (4, "error", True)
    assert failure.extra == {"state": "running", "status": "working"}
    assert clock.pauses == pytest.approx([0.5, 0.5, 0.2])
    assert count == 4


@pytest.mark.requirement("exit 7", "6.24")
def test_a_caller_that_went_away_ends_it():
    answers = iter([False, True])
    with pytest.raises(WaitCancelled) as caught:
        waiting(lambda: look(status("working", 1.0)), "done", 9, cancelled=lambda: next(answers))
    assert failure_of(caught.value).exit_code == 7


def test_what_was_reached_counts_even_for_a_caller_that_went_away():
    ended = waiting(lambda: look(status("done", 1.0)), "done", 9, cancelled=lambda: True)
    assert ended.waited_s == 0.0


def test_it_goes_on_through_unknown_and_ends_where_the_launch_does():
    looks = iter(
        [
            look(status("working", 1.0), state="unknown"),
            look(status("working", 1.0)),
            look(status("ended", 2.0), state="exited"),
        ]
    )
    with pytest.raises(LaunchEnded):
        waiting(looks, "done", 9)


@pytest.mark.parametrize("timeout", [0, -1, 600.1, float("nan"), float("inf")])
@pytest.mark.requirement("A7")
def test_a_timeout_out_of_bounds_is_an_error(timeout: float):
    with pytest.raises(UsageError):
        asked("done", timeout)


@pytest.mark.parametrize("until", ["discovered", "idle", "", "DONE"])
@pytest.mark.requirement("A6")
def test_what_cannot_be_waited_for_is_an_error(until: str):
    with pytest.raises(UsageError) as caught:
        asked(until, 1)
    assert "done" in caught.value.hint


# ---------------------------------------------------------------- the last send


@pytest.mark.requirement("A74")
def test_the_last_send_is_remembered_in_a_private_file(tmp_path: Path):
    store = SendStore(tmp_path)
    assert store.last(LAUNCH) is None
    store.note(LAUNCH, SENT)
    assert SendStore(tmp_path).last(LAUNCH) == SENT
    assert store.path(LAUNCH).stat().st_mode & 0o777 == 0o600
    assert store.path(LAUNCH).parent.stat().st_mode & 0o777 == 0o700
    assert set(json.loads(store.path(LAUNCH).read_bytes())) == {"at", "sha256", "receipt"}


def test_an_older_send_takes_no_newer_ones_place(tmp_path: Path):
    store = SendStore(tmp_path)
    store.note(LAUNCH, SENT)
    store.note(LAUNCH, replace(SENT, at=99.0))
    assert store.last(LAUNCH) == SENT
    store.note(LAUNCH, replace(SENT, receipt="submitted"))
    assert store.last(LAUNCH) == replace(SENT, receipt="submitted")


@pytest.mark.parametrize("data", [b"", b"[]", b'{"at": "x"}', b"\xff"])
def test_a_spoiled_memory_is_none(tmp_path: Path, data: bytes):
    store = SendStore(tmp_path)
    store.note(LAUNCH, SENT)
    store.path(LAUNCH).write_bytes(data)
    assert store.last(LAUNCH) is None
    store.note(LAUNCH, SENT)
    assert store.last(LAUNCH) == SENT


@pytest.mark.parametrize("launch_id", ["../../up", "", "x" * 65])
def test_no_path_is_made_of_what_is_no_id(tmp_path: Path, launch_id: str):
    assert SendStore(tmp_path).last(launch_id) is None


# ---------------------------------------------------------------- receipts


class Program:
    """A launch's program that takes prompts and says so by its hooks."""

    def __init__(self, root: Path) -> None:
        root.chmod(0o700)
        self.root = root
        self.store = SessionStore(root / "sessions", clock=lambda: 1000.0)
        self.sends = SendStore(root)

    def takes(self, prompt: str, at: float, launch_id: str = LAUNCH) -> None:
        fields = {"session_id": f"s-{launch_id}", "prompt": prompt}
        fact = events.fact_of("claude", "UserPromptSubmit", fields)
        assert fact is not None
        record.write(fact, "claude", Origin(os.fsencode(self.root), launch_id, None), {}, at)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def confirmed(program: Program, text: str, since: float, **more: Any) -> float | None:
    clock = more.pop("clock", None) or Clock()
    return confirm(
        program.store, LAUNCH, hashes_of(prepare(text)), since,
        monotonic=clock, pause=more.pop("pause", clock.pause),
    )  # fmt: skip


@pytest.mark.requirement("receipt")
def test_a_send_is_confirmed_by_its_own_text_after_it_began(program: Program):
    program.takes("go", 50.0)
    assert confirmed(program, "go\n", 50.0) == 50.0
    assert confirmed(program, "go", 50.1) is None
    assert confirmed(program, "stop", 1.0) is None


@pytest.mark.requirement("receipt")
def test_another_launchs_prompt_proves_nothing(program: Program):
    program.takes("go", 50.0, launch_id="ba9876543210")
    assert confirmed(program, "go", 1.0) is None


@pytest.mark.requirement("receipt")
def test_a_wrapped_prompt_is_known_as_what_was_sent(program: Program):
    text = "one\ntwo\nthree\nfour"
    program.takes(f'<pasted_content id="cf4c">{text}</pasted_content id="cf4c">', 50.0)
    assert confirmed(program, text, 50.0) == 50.0


def test_a_prompt_that_followed_does_not_hide_it(program: Program):
    program.takes("go", 50.0)
    program.takes("and then", 51.0)
    assert confirmed(program, "go", 50.0) == 50.0


def test_it_is_waited_for_three_seconds_and_no_longer(program: Program):
    clock = Clock()
    assert confirmed(program, "go", 1.0, clock=clock) is None
    assert clock.now == pytest.approx(3.0)
    late = Clock()

    def pause(seconds: float) -> None:
        late.pause(seconds)
        if late.now >= 2.0:
            program.takes("go", 50.0)

    assert confirmed(program, "go", 1.0, clock=late, pause=pause) == 50.0
    assert late.now == pytest.approx(2.0, abs=0.1)


@pytest.mark.requirement("A74", "receipt")
def test_the_proof_of_a_send_remembers_it(program: Program):
    clock = Clock()
    proof = proof_for(program.store, program.sends, LAUNCH, monotonic=clock, pause=clock.pause)
    body = prepare("go\tnow")
    digest = sha256(body)
    assert proof(body, 40.0) is None
    assert program.sends.last(LAUNCH) == Sent(40.0, digest, "pasted")
    program.takes("go    now", 50.0)
    altered = "the program took this text, and altered what is not seen in it"
    assert proof(body, 45.0) == Fact("prompt-event", altered, 50.0)
    program.takes("go\tnow", 60.0)
    assert proof(body, 55.0) == Fact("prompt-event", "the program took exactly this text", 60.0)
    assert program.sends.last(LAUNCH) == Sent(55.0, digest, "submitted")


def test_a_runtime_dir_that_is_not_private_proves_nothing_and_breaks_nothing(program: Program):
    (program.root / "sends").mkdir(mode=0o755)
    program.takes("go", 50.0)
    proof = proof_for(program.store, program.sends, LAUNCH, seconds=0.0)
    assert proof(prepare("go"), 45.0) is None
