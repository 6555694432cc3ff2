"""The rules of agent control (6.3): each is broken alone, and says why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tongs_agents.config import Config, Control, Profile
from tongs_agents.errors import Refused
from tongs_agents.mcp_server import rules
from tongs_agents.outcomes import failure_of
from tongs_mux.model import LaunchRecord, PaneRef

ON = Control(mcp_enabled=True)
PROFILES = {
    "lead": Profile("lead", ("x",), mcp_control=True),
    "worker": Profile("worker", ("x",), mcp_control=True),
    "private": Profile("private", ("x",)),
}


def _record(
    launch_id: str, profile: str, pane: PaneRef | None = None, **labels: str
) -> LaunchRecord:
    labels = {"profile": profile, **labels}
    return LaunchRecord(launch_id, 0.0, ("x",), "/", labels, pane=pane)


HERE = PaneRef("tmux", "agents", "%1", "/s")
CALLER = _record("aaaaaaaa", "lead", HERE)
TARGET = _record("bbbbbbbb", "worker", replace(HERE, pane_id="%2"), spawned_by="aaaaaaaa")


def _refused(rule: Callable[..., object], *arguments: Any) -> tuple[str, str, int]:
    with pytest.raises(Refused) as raised:
        rule(*arguments)
    found = failure_of(raised.value)
    return found.reason, found.outcome, found.exit_code


def test_what_every_rule_allows_is_allowed():
    rules.switched_on(ON)
    rules.opted_in(PROFILES, CALLER, "the caller")
    rules.opted_in(PROFILES, TARGET, "the target")
    rules.somebody_else(CALLER, TARGET)
    rules.owned(ON, CALLER, TARGET)
    rules.may_spawn(ON, CALLER)
    rules.within_rate(5, ON, "send")
    rules.within_caps(7, 49, ON, "aaaaaaaa")
    rules.session_runs(True, HERE)
    assert rules.may_be_spawned(PROFILES, "worker") is PROFILES["worker"]


@pytest.mark.requirement("6.5", "6.7")
def test_switched_off_is_disabled():
    assert _refused(rules.switched_on, Control()) == ("disabled", "refused", 5)


@pytest.mark.requirement("6.10", "A17")
@pytest.mark.parametrize("profile", ["private", "gone", ""])
def test_caller_and_target_need_a_named_profile_that_has_opted_in(profile: str):
    record = _record("bbbbbbbb", profile)
    assert _refused(rules.opted_in, PROFILES, record, "the target")[0] == "not-opted-in"


@pytest.mark.requirement("6.2", "6.10")
def test_only_a_named_profile_that_has_opted_in_is_spawned():
    assert _refused(rules.may_be_spawned, PROFILES, "private")[0] == "not-opted-in"
    assert _refused(rules.may_be_spawned, PROFILES, "rm -rf")[0] == "no-such-profile"


@pytest.mark.requirement("6.10")
def test_a_refusal_names_the_profiles_that_may_be_spawned_and_no_other():
    with pytest.raises(Refused, match="that may be spawned: lead, worker"):
        rules.may_be_spawned(PROFILES, "nobody")


@pytest.mark.requirement("6.11", "A18")
@pytest.mark.parametrize(
    "target",
    [
        pytest.param(replace(TARGET, launch_id="aaaaaaaa"), id="launch"),
        pytest.param(replace(TARGET, pane=HERE), id="pane"),
        pytest.param(replace(TARGET, pane=replace(HERE, session="moved")), id="moved"),
    ],
)
def test_nobody_drives_himself_by_launch_or_by_pane(target: LaunchRecord):
    assert _refused(rules.somebody_else, CALLER, target)[0] == "self"


@pytest.mark.requirement("6.11")
def test_a_record_without_a_socket_directory_may_be_of_the_same_pane():
    here = PaneRef("zellij", "a", "terminal_1", "/z")
    own = replace(CALLER, pane=here)
    target = replace(TARGET, pane=replace(here, socket=None))
    assert _refused(rules.somebody_else, own, target)[0] == "self"
    rules.somebody_else(own, replace(TARGET, pane=replace(here, socket="/elsewhere")))


@pytest.mark.requirement("6.11")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(HERE, replace(HERE, socket="/t"), id="socket"),
        pytest.param(HERE, replace(HERE, pane_id="%11"), id="pane"),
        pytest.param(
            PaneRef("zellij", "a", "terminal_1", None),
            PaneRef("zellij", "b", "terminal_1", None),
            id="zellij session",
        ),
        pytest.param(HERE, None, id="none"),
    ],
)
def test_another_pane_is_somebody_else(one: PaneRef, other: PaneRef | None):
    rules.somebody_else(replace(CALLER, pane=one), replace(TARGET, pane=other))


@pytest.mark.requirement("6.12", "A11", "A18")
@pytest.mark.parametrize("labels", [{}, {"spawned_by": "cccccccc"}])
def test_a_target_of_another_caller_or_of_a_person_is_not_owned(labels: dict[str, str]):
    target = replace(TARGET, labels={"profile": "worker", **labels}, pane=None)
    assert _refused(rules.owned, ON, CALLER, target)[0] == "not-owner"
    anybodys = replace(ON, mcp_any_target=True)
    rules.owned(anybodys, CALLER, target)
    assert _refused(rules.somebody_else, CALLER, replace(target, pane=HERE))[0] == "self"


@pytest.mark.requirement("6.16", "A19")
def test_an_agent_that_an_agent_started_spawns_only_where_nesting_is_on():
    nested = replace(CALLER, labels={**CALLER.labels, "spawned_by": "cccccccc"})
    assert _refused(rules.may_spawn, ON, nested)[0] == "nested-spawn"
    rules.may_spawn(replace(ON, mcp_nested_spawn=True), nested)
    rules.owned(ON, nested, replace(TARGET, labels={"spawned_by": nested.launch_id}))


@pytest.mark.requirement("6.13", "A3")
@pytest.mark.parametrize("limit", [1, 6, 60])
def test_a_full_window_is_rate_limited(limit: int):
    control = replace(ON, mcp_rate_per_minute=limit)
    rules.within_rate(limit - 1, control, "send")
    assert _refused(rules.within_rate, limit, control, "send") == ("rate", "rate-limited", 5)


@pytest.mark.requirement("A100")
@pytest.mark.case("I6")
@pytest.mark.parametrize(
    ("live", "ever", "reason"), [(8, 8, "max-live"), (0, 50, "max-spawns"), (8, 50, "max-live")]
)
def test_the_caps_below_one_root_are_told_apart(live: int, ever: int, reason: str):
    assert _refused(rules.within_caps, live, ever, ON, "aaaaaaaa") == (reason, "refused", 5)


@pytest.mark.requirement("6.14")
def test_a_session_that_does_not_run_is_never_started():
    assert _refused(rules.session_runs, False, HERE)[0] == "no-session"


@pytest.mark.requirement("A100")
def test_everybody_below_a_root_counts_below_it():
    child = _record("cccccccc", "worker", spawned_by="aaaaaaaa", root="aaaaaaaa")
    grandchild = _record("dddddddd", "worker", spawned_by="cccccccc", root=rules.root_of(child))
    assert rules.root_of(CALLER) == rules.root_of(child) == rules.root_of(grandchild) == "aaaaaaaa"


def test_the_config_of_a_file_that_is_not_there_controls_nothing():
    assert _refused(rules.switched_on, Config(Path("/none")).control)[0] == "disabled"
