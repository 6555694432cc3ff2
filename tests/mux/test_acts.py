"""An audited act: nothing before its line, one outcome whatever happens, never a text."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tongs_mux.acts import Act, Actor, simple_judge
from tongs_mux.audit import AuditLog
from tongs_mux.audit_lines import lines
from tongs_mux.errors import (
    AuditFailed,
    BackendError,
    BackendOutputError,
    BackendTimeout,
    BadText,
    DeliveryRefused,
    DeliveryUncertain,
    Effect,
    LaunchNotFound,
    LockTimeout,
    MuxError,
    PlaceRefused,
    StartFailed,
    UnsupportedOperation,
)
from tongs_mux.model import Fact, LaunchRecord, PaneRef
from tongs_mux.text import sha256

PANE = PaneRef("tmux", "one", "%3", "/socket")
RECORD = LaunchRecord("0123456789ab", 1.0, ("x",), "/", pane=PANE)
BY = Actor("mcp:fedcba987654", caller="fedcba987654")

pytestmark = pytest.mark.requirement("A97")


class Log:
    """An audit log in a directory that can be taken away."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "audit" / "control.jsonl"
        numbers = itertools.count(1)
        self.audit = AuditLog(self.path, clock=lambda: 7.0, new_act=lambda: f"act{next(numbers)}")

    def act(self, action: str = "send") -> Act:
        return Act(self.audit, simple_judge, action, BY, RECORD)

    def block(self) -> None:
        if self.path.exists():
            self.path.unlink()
        self.path.mkdir(parents=True, mode=0o700)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in lines(self.path)]


def begun(log: Log, *steps: Callable[[], object], action: str = "send") -> None:
    """An act that begins and then takes these steps."""
    with log.act(action) as act:
        act.begin()
        for step in steps:
            step()


def ended(log: Log, effect: Effect, error: BaseException) -> None:
    """An act that came this far and then met with an error."""
    with log.act("close") as act:
        act.begin()
        act.reached(effect)
        raise error


def raising(error: BaseException) -> Callable[[], object]:
    def step() -> None:
        raise error

    return step


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path)


def test_an_act_has_a_line_before_it_and_one_after(log: Log):
    with log.act() as act:
        act.about(b"do it", sha256(b"do it"))
        assert act.id == ""
        act.begin()
        assert act.id == "act1"
        assert [line["phase"] for line in log.lines] == ["begin"]
        act.note((Fact("paste", "5 bytes", 1.0), Fact("window", "open", 2.0)), "pasted")
    common = {
        "ts": 7.0,
        "act": "act1",
        "actor": "mcp:fedcba987654",
        "action": "send",
        "caller": "fedcba987654",
        "target": "0123456789ab",
        "pane": {"multiplexer": "tmux", "session": "one", "pane_id": "%3", "socket": "/socket"},
        "bytes": 5,
        "sha256": sha256(b"do it"),
    }
    outcome = {"outcome": "ok", "exit_code": 0, "receipt": "pasted"}
    assert log.lines == [
        {**common, "phase": "begin"},
        {**common, "phase": "outcome", **outcome, "evidence": ["paste", "window:open"]},
    ]


def test_it_begins_once(log: Log):
    with log.act() as act:
        act.begin()
        act.begin()
    assert [line["phase"] for line in log.lines] == ["begin", "outcome"]


def test_a_refusal_writes_only_its_outcome(log: Log):
    with pytest.raises(DeliveryRefused), log.act():
        raise DeliveryRefused("nothing was typed", reason="draft")
    (line,) = log.lines
    assert (line["phase"], line["outcome"], line["exit_code"]) == ("outcome", "refused", 5)
    assert (line["reason"], "act" in line, "effect" in line) == ("draft", False, False)


def test_the_pane_may_be_named_later(log: Log):
    nowhere = LaunchRecord("0123456789ab", 1.0, ("x",), "/")
    with Act(log.audit, simple_judge, "spawn", BY, nowhere) as act:
        act.begin()
        act.aimed(PANE)
    begin, outcome = log.lines
    assert "pane" not in begin
    assert outcome["pane"]["pane_id"] == "%3"


class Ending(NamedTuple):
    error: BaseException
    outcome: str
    code: int
    reason: str
    effect: str | None = None


HALF = DeliveryUncertain("half", reason="dialog", effect="partial")
ENDINGS = [
    Ending(StartFailed("no"), "refused", 5, "start-failed"),
    Ending(UnsupportedOperation("no"), "refused", 5, "unsupported"),
    Ending(DeliveryRefused("no", reason="dialog"), "refused", 5, "dialog", "none"),
    Ending(
        DeliveryUncertain("half", reason="dialog", effect="partial"),
        "error",
        1,
        "dialog",
        "partial",
    ),
    Ending(KeyboardInterrupt(), "error", 1, "cancelled", "unknown"),
]


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: type(ending.error).__name__)
def test_an_act_that_began_ends_with_how_it_ended(log: Log, ending: Ending):
    with pytest.raises(type(ending.error)) as caught:
        begun(log, raising(ending.error))
    assert caught.value is ending.error
    last = log.lines[-1]
    assert (last["phase"], last["act"]) == ("outcome", "act1")
    assert (last["outcome"], last["exit_code"]) == (ending.outcome, ending.code)
    assert (last["reason"], last.get("effect")) == (ending.reason, ending.effect)


BROKEN = [
    OSError(28, "No space left on device"),
    PlaceRefused("not private", path="/x"),
    BackendError("tmux says no"),
    LockTimeout("held"),
    ValueError("a bug"),
]


@pytest.mark.parametrize("effect", ["partial", "unknown"])
@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: type(broken).__name__)
def test_what_breaks_an_act_that_began_leaves_it_uncertain(
    log: Log, broken: Exception, effect: Effect
):
    with pytest.raises(DeliveryUncertain) as caught:
        ended(log, effect, broken)
    reason = getattr(broken, "reason", "failed")
    assert (caught.value.reason, caught.value.effect) == (reason, effect)
    assert caught.value.__cause__ is broken
    assert str(broken) in caught.value.message
    last = log.lines[-1]
    assert (last["act"], last["outcome"], last["effect"]) == ("act1", "error", effect)


def test_what_breaks_it_before_its_first_step_had_no_effect(log: Log):
    with pytest.raises(DeliveryUncertain) as caught:
        ended(log, "none", OSError(13, "Permission denied"))
    assert caught.value.effect == log.lines[-1]["effect"] == "none"
    with pytest.raises(LockTimeout):
        ended(log, "none", LockTimeout("held: nothing was written, try again"))


@pytest.mark.parametrize("effect", ["none", "partial", "unknown"])
def test_an_interruption_says_how_far_the_act_had_come(log: Log, effect: Effect):
    with pytest.raises(KeyboardInterrupt) as caught:
        ended(log, effect, KeyboardInterrupt())
    assert getattr(caught.value, "effect", None) == effect
    assert (log.lines[-1]["reason"], log.lines[-1]["effect"]) == ("cancelled", effect)
    with pytest.raises(KeyboardInterrupt) as before, log.act():
        raise KeyboardInterrupt
    assert not hasattr(before.value, "effect")


@pytest.mark.case("D8")
@pytest.mark.parametrize("silence", [BackendTimeout("no answer"), BackendOutputError("junk")])
def test_no_answer_to_an_act_that_began_leaves_it_uncertain(log: Log, silence: BackendError):
    with pytest.raises(DeliveryUncertain) as caught:
        begun(log, raising(silence), action="close")
    assert (caught.value.reason, caught.value.effect) == ("unknown", "unknown")
    assert caught.value.__cause__ is silence
    assert (log.lines[-1]["outcome"], log.lines[-1]["effect"]) == ("error", "unknown")


def test_no_answer_before_it_began_is_only_that(log: Log):
    with pytest.raises(BackendTimeout), log.act():
        raise BackendTimeout("no answer")
    assert log.lines[-1]["reason"] == "unknown"
    assert "effect" not in log.lines[-1]


def test_nothing_is_done_where_the_begin_line_can_t_be_written(log: Log):
    log.block()
    done: list[str] = []
    with pytest.raises(AuditFailed):
        begun(log, lambda: done.append("typed"))
    assert done == []


def test_an_outcome_that_can_t_be_written_makes_a_done_act_uncertain(log: Log):
    with pytest.raises(DeliveryUncertain) as caught:
        begun(log, log.block)
    assert (caught.value.reason, caught.value.effect) == ("audit", "unknown")


def test_an_act_that_failed_keeps_its_own_error_where_its_outcome_can_t_be_written(log: Log):
    with pytest.raises(DeliveryUncertain) as caught:
        begun(log, log.block, raising(HALF))
    assert caught.value.reason == "dialog"


@pytest.mark.parametrize(
    "refuse", [lambda: BadText("no"), lambda: LaunchNotFound("no"), lambda: ValueError("no")]
)
def test_a_refusal_that_can_t_be_audited_is_an_audit_failure(
    log: Log, refuse: Callable[[], Exception]
):
    log.block()
    with pytest.raises(AuditFailed) as caught, log.act():
        raise refuse()
    assert isinstance(caught.value.__cause__, (MuxError, ValueError))


def test_what_was_seen_is_in_no_line(log: Log):
    with log.act() as act:
        act.begin()
        act.note((Fact("composer", "holds: my password is", 1.0), Fact("secret words", "x", 1.0)))
    assert "password" not in log.path.read_text(encoding="utf-8")
    assert "secret" not in log.path.read_text(encoding="utf-8")
