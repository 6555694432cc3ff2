"""The one map from an error to exit code, reason and JSON, against interface.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tongs_agents import errors as agents
from tongs_agents.outcomes import Failure, failure, failure_of
from tongs_agents.reasons import REASONS
from tongs_mux import errors as mux
from tongs_mux.model import Check, State, Verdict

BY_CODE = {
    1: "usage start-failed no-such-launch ambiguous audit failed busy no-chat",
    3: "exited",
    4: "timeout",
    6: "unsupported hooks-untrusted",
    7: "cancelled",
    5: "not-claimed pending replaced running not-listed unknown dialog draft busy-start "
    "copy-mode synchronized shell self not-opted-in not-owner nested-spawn max-live "
    "max-spawns no-identity rate disabled bad-text too-large inside-agent not-granted "
    "no-session no-such-profile unknown-place no-terminal not-confirmed "
    "no-start-token harness-too-old handle-taken not-ours no-such-channel archived "
    "bad-thread too-many-mentions store-full duplicate queue-full not-accepting loop",
}


def verdict(state: State, reason: str = "") -> Verdict:
    checks = (Check("claimed", True, "pid 7"), Check("listed", None, "no answer"))
    return Verdict(state, reason or state, checks)


def told(error: BaseException) -> tuple[str, int, str]:
    found = failure_of(error)
    return found.outcome, found.exit_code, found.reason


# -- the table


def test_the_table_is_the_interfaces_list_and_no_more() -> None:
    listed = {slug: code for code, slugs in BY_CODE.items() for slug in slugs.split()}
    assert {slug: row.exit_code for slug, row in REASONS.items()} == listed


def test_outcomes_are_the_words_of_the_interface_with_their_exit_codes() -> None:
    outcomes = {(row.exit_code, row.outcome) for row in REASONS.values()}
    assert outcomes == {
        (1, "error"),
        (1, "busy"),
        (3, "exited"),
        (4, "error"),
        (5, "refused"),
        (5, "rate-limited"),
        (6, "unsupported"),
        (7, "cancelled"),
    }
    assert {slug for slug, row in REASONS.items() if row.outcome == "rate-limited"} == {"rate"}
    assert {slug for slug, row in REASONS.items() if row.outcome == "busy"} == {"busy"}


@pytest.mark.parametrize("slug", REASONS)
def test_every_reason_is_explained_in_one_line_each(slug: str) -> None:
    row = REASONS[slug]
    assert re.fullmatch(r"[a-z][a-z-]*", slug)
    for line in (row.meaning, row.remedy):
        assert line
        assert "\n" not in line
        assert not line.endswith(".")


# -- errors of the control layer


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (mux.BackendError("x"), ("error", 1, "failed")),
        (mux.BackendUnavailable("x"), ("unsupported", 6, "unsupported")),
        (mux.BackendTimeout("x"), ("refused", 5, "unknown")),
        (mux.BackendOutputError("x"), ("refused", 5, "unknown")),
        (mux.UnsupportedOperation("x"), ("unsupported", 6, "unsupported")),
        (mux.PlaceRefused("x", path="/p"), ("refused", 5, "unknown-place")),
        (mux.AuditFailed("x"), ("error", 1, "audit")),
        (mux.LockTimeout("x"), ("busy", 1, "busy")),
        (mux.ClaimError("x"), ("error", 1, "failed")),
        (mux.LaunchNotFound("x"), ("error", 1, "no-such-launch")),
        (mux.LaunchAmbiguous("x", matches=("a", "b")), ("error", 1, "ambiguous")),
        (mux.ClaimConflict("x"), ("refused", 5, "replaced")),
        (mux.BadText("x"), ("refused", 5, "bad-text")),
        (mux.BadText("x", reason="too-large"), ("refused", 5, "too-large")),
        (mux.DeliveryRefused("x", reason="draft"), ("refused", 5, "draft")),
        (mux.DeliveryRefused("x", reason="unsupported"), ("unsupported", 6, "unsupported")),
        (mux.DeliveryRefused("x", reason="exited"), ("refused", 5, "exited")),
    ],
)
def test_a_control_error_is_told_as_the_interface_says(
    error: mux.MuxError, expected: tuple[str, int, str]
) -> None:
    assert told(error) == expected


@pytest.mark.parametrize("state", ["pending", "replaced", "exited", "not-listed", "unknown"])
def test_a_launch_that_fails_verification_is_refused_whatever_its_state(state: State) -> None:
    found = failure_of(mux.VerificationFailed("no", verdict=verdict(state)))
    assert (found.outcome, found.exit_code, found.reason) == ("refused", 5, state)
    assert found.to_json()["checks"] == [
        {"name": "claimed", "passed": True, "seen": "pid 7"},
        {"name": "listed", "passed": None, "seen": "no answer"},
    ]


@pytest.mark.parametrize("reason", ["not-claimed", "no-start-token"])
def test_a_verdict_has_reasons_besides_its_states(reason: str) -> None:
    error = mux.VerificationFailed("no", verdict=verdict("unknown", reason))
    assert told(error) == ("refused", 5, reason)


@pytest.mark.parametrize("effect", ["none", "partial", "unknown"])
@pytest.mark.parametrize("reason", ["dialog", "replaced", "exited", "failed", "unknown"])
def test_an_act_that_had_begun_is_an_error_with_its_own_reason(
    reason: str, effect: mux.Effect
) -> None:
    checks = (Check("dialog", False, "permission"),)
    error = mux.DeliveryUncertain("half", reason=reason, effect=effect, checks=checks, hint="look")
    assert failure_of(error).to_json() == {
        "ok": False,
        "outcome": "error",
        "exit_code": 1,
        "reason": reason,
        "error": "half",
        "hint": "look",
        "checks": [{"name": "dialog", "passed": False, "seen": "permission"}],
        "uncertain": True,
        "effect": effect,
    }


def test_nothing_but_a_begun_act_is_uncertain() -> None:
    reply = failure_of(mux.DeliveryRefused("no", reason="dialog")).to_json()
    assert not reply.keys() & {"uncertain", "effect", "timed_out", "checks"}


def test_both_matches_are_listed() -> None:
    error = mux.LaunchAmbiguous("two", matches=("abc1", "abc2"))
    assert failure_of(error).to_json()["matches"] == ["abc1", "abc2"]


# -- errors of the composition


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (
            agents.ConfigError("/c", (agents.Fault("k", 3, "is 0", "1 to 60"),)),
            ("error", 1, "usage"),
        ),
        (agents.UsageError("x"), ("error", 1, "usage")),
        (agents.Refused("x", reason="inside-agent"), ("refused", 5, "inside-agent")),
        (agents.Refused("x", reason="rate"), ("rate-limited", 5, "rate")),
        (agents.Refused("x", reason="exited"), ("refused", 5, "exited")),
        (agents.Refused("x", reason="unknown-place"), ("refused", 5, "unknown-place")),
        (agents.Unsupported("x"), ("unsupported", 6, "unsupported")),
        (agents.Unsupported("x", reason="hooks-untrusted"), ("unsupported", 6, "hooks-untrusted")),
        (agents.LaunchEnded("x", state="exited", status="ended"), ("exited", 3, "exited")),
        (agents.WaitTimedOut("x", state="running", status="working"), ("error", 4, "timeout")),
        (agents.WaitCancelled("x", state=None, status=None), ("cancelled", 7, "cancelled")),
        (agents.AgentsError("x"), ("error", 1, "failed")),
    ],
)
def test_an_agents_error_is_told_as_the_interface_says(
    error: agents.AgentsError, expected: tuple[str, int, str]
) -> None:
    assert told(error) == expected


def test_a_wait_that_failed_carries_state_and_status() -> None:
    error = agents.WaitTimedOut("too late", state="running", status="working")
    assert failure_of(error).to_json() == {
        "ok": False,
        "outcome": "error",
        "exit_code": 4,
        "reason": "timeout",
        "error": "too late",
        "hint": REASONS["timeout"].remedy,
        "timed_out": True,
        "state": "running",
        "status": "working",
    }


# -- everything else


def test_what_the_system_says_is_failed_and_names_the_file() -> None:
    with pytest.raises(OSError) as caught:
        Path("/nowhere/at/all").read_bytes()
    found = failure_of(caught.value)
    assert told(caught.value) == ("error", 1, "failed")
    assert found.error == "/nowhere/at/all: No such file or directory"


@pytest.mark.parametrize("error", [ValueError("odd"), MemoryError(), OSError(), SystemExit(3)])
def test_an_error_that_nobody_foresaw_is_failed_with_a_sentence(error: BaseException) -> None:
    assert told(error) == ("error", 1, "failed")
    assert failure_of(error).error


def test_an_interrupt_is_130_as_everywhere() -> None:
    assert told(KeyboardInterrupt()) == ("cancelled", 130, "cancelled")


def test_an_error_without_a_row_of_its_own_takes_its_nearest_bases() -> None:
    assert failure_of(PermissionError(13, "Permission denied")).error == "Permission denied"
    assert failure_of(UnicodeError("odd")).error == "unexpected UnicodeError: odd"


def test_a_slug_outside_the_table_is_reported_as_ours_and_not_passed_on() -> None:
    found = failure("no-such-slug", "something")
    assert (found.exit_code, found.reason) == (1, "failed")
    assert "no-such-slug" in found.error


def test_a_given_hint_takes_the_place_of_the_tables() -> None:
    assert failure("draft", "x").hint == REASONS["draft"].remedy
    assert failure("draft", "x", hint="press Ctrl-U").hint == "press Ctrl-U"


def test_what_a_failure_adds_never_hides_what_every_failure_has() -> None:
    found = Failure("refused", 5, "draft", "x", extra={"ok": True, "exit_code": 0, "state": "s"})
    assert found.to_json() == {
        "ok": False,
        "outcome": "refused",
        "exit_code": 5,
        "reason": "draft",
        "error": "x",
        "state": "s",
    }
