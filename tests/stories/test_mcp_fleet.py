"""The ``fleet_*`` tools over real sessions: what they see, what they do, and what they refuse."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.stories.both import ON_BOTH
from tests.stories.mcp_rig import Client, McpRig
from tests.stories.rig import PERSON, Agent, alive, failed
from tests.stories.rig import Client as Person
from tests.waiting import wait_for
from tongs_agents.hooks import events, record
from tongs_agents.hooks.identity import Origin
from tongs_agents.hooks.proc import process
from tongs_agents.mcp_server.fleet import IDLE_SECONDS, needs_attention
from tongs_agents.mcp_server.placed import places_check
from tongs_agents.paths import Places

Facts = dict[str, Any]


def session_of(client: Client, agent: Agent) -> Facts:
    """The launch's session, once its hooks have told of it."""

    def found() -> Facts | None:
        sessions = client.ok("fleet_status")["sessions"]
        return next((one for one in sessions if one["launch_id"] == agent.id), None)

    session = wait_for(found, what="the session of the launch")
    assert session is not None
    return session


def until(client: Client, agent: Agent, status: str) -> Facts:
    """The session once it is ``status``."""

    def found() -> Facts | None:
        session = session_of(client, agent)
        return session if session["status"] == status else None

    session = wait_for(found, what=f"a session that is {status}")
    assert session is not None
    return session


def unlaunched(mcp: McpRig, session_id: str, *, pid: int, at: float | None = None) -> None:
    """What the hook writes of a session that nobody launched."""
    fact = events.fact_of("claude", "Stop", {"session_id": session_id, "cwd": "/project"})
    assert fact is not None
    state_dir = os.fsencode(mcp.rig.places.state_dir)
    origin = Origin(state_dir, None, process(pid))
    record.write(fact, "claude", origin, {}, time.time() if at is None else at)


@ON_BOTH
@pytest.mark.requirement("7.2", "A5")
def test_every_session_is_there_with_what_it_is_doing_launched_here_or_not(mcp: McpRig):
    client = mcp.outside()
    assert client.ok("fleet_status") == {"ok": True, "sessions": [], "counts": {}}
    busy, asking, done = (mcp.rig.start() for _ in range(3))
    unlaunched(mcp, "by-hand", pid=os.getpid())
    busy.send("[[slow:60:x]]")
    asking.send("[[tool:Bash]]")
    done.send("[[text:x]]")
    for agent, status in ((busy, "working"), (asking, "waiting"), (done, "done")):
        until(client, agent, status)
    found = client.ok("fleet_status")
    assert found["counts"] == {"done": 2, "waiting": 1, "working": 1}
    [foreign] = [one for one in found["sessions"] if one["launch_id"] is None]
    assert (foreign["session_id"], foreign["harness"]) == ("by-hand", "claude")
    assert (foreign["status"], foreign["cwd"]) == ("done", "/project")
    assert foreign["pid"] == os.getpid()
    assert session_of(client, busy)["pid"] == busy.pid
    needing = client.ok("fleet_sessions_needing_attention")["sessions"]
    assert [one["launch_id"] for one in needing] == [asking.id]


@pytest.mark.parametrize(
    ("status", "age", "needs"),
    [
        ("waiting", 0.0, True),
        ("done", IDLE_SECONDS + 0.1, True),
        ("done", IDLE_SECONDS, False),
        ("working", 1e6, False),
        ("started", 1e6, False),
        ("error", 1e6, False),
        ("ended", 1e6, False),
    ],
)
def test_who_waits_or_has_been_idle_for_two_minutes_needs_attention(
    status: str, age: float, needs: bool
):
    assert needs_attention({"status": status, "since": 1000.0}, 1000.0 + age) is needs


@ON_BOTH
def test_one_whose_program_died_without_a_word_has_ended(mcp: McpRig):
    client = mcp.outside()
    agent = mcp.rig.start()
    agent.send("[[slow:60:x]]")
    until(client, agent, "working")
    dead = subprocess.Popen(["sleep", "1000"])
    unlaunched(mcp, "by-hand", pid=dead.pid)
    dead.kill()
    dead.wait()
    os.kill(agent.pid, signal.SIGKILL)
    until(client, agent, "ended")
    assert client.ok("fleet_status")["counts"] == {"ended": 2}


@pytest.mark.requirement("7.3")
def test_a_session_is_found_by_an_id_or_its_beginning_and_never_guessed(mcp: McpRig):
    client = mcp.outside()
    for name in ("abc-one", "abc-two", "other"):
        unlaunched(mcp, name, pid=os.getpid())
    one = client.ok("fleet_session", session="abc-o")["session"]
    assert one["session_id"] == "abc-one"
    assert client.ok("fleet_session", session=one["canonical_id"])["session"] == one
    several = client.call("fleet_session", session="abc")
    assert (several["exit_code"], several["reason"]) == (1, "ambiguous")
    assert len(several["matches"]) == 2
    none = client.call("fleet_session", session="zzz")
    assert (none["exit_code"], none["reason"]) == (1, "usage")
    for session in ("", 7, None):
        assert client.call("fleet_session", session=session)["reason"] == "usage"


@ON_BOTH
@pytest.mark.requirement("7.11")
def test_focus_without_anybody_to_see_it_is_partial_and_says_how_to_see_it(mcp: McpRig):
    client = mcp.outside()
    agent, _ = mcp.rig.start(), mcp.rig.start()
    session = session_of(client, agent)
    found = client.ok("fleet_focus", session=session["session_id"])
    assert (found["state"], found["successful"], found["complete"]) == ("partial", True, False)
    assert (found["backend"], found["pid"]) == (mcp.rig.where.multiplexer, agent.pid)
    assert found["target_found"] is True
    assert (found["selection"]["attempted"], found["selection"]["succeeded"]) == (True, True)
    assert found["activation"]["attempted"] is False
    assert "attach" in found["activation"]["detail"]
    lines = [line for line in mcp.rig.audit() if line["action"] == "focus"]
    assert [line["phase"] for line in lines] == ["begin", "outcome"]
    assert {line["target"] for line in lines} == {agent.id}


@pytest.mark.requirement("7.11")
def test_focus_brings_the_pane_before_the_person_who_is_attached(mcp: McpRig, short_dir: Path):
    client = mcp.outside()
    _, behind = mcp.rig.start(), mcp.rig.start()
    session = session_of(client, behind)
    person = Person(mcp.rig, str(short_dir / "outer"))
    assert person.shows(mcp.rig) != behind.pane
    found = client.ok("fleet_focus", session=session["canonical_id"])
    assert (found["state"], found["complete"]) == ("complete", True)
    assert found["activation"]["succeeded"] is True
    assert person.shows(mcp.rig) == behind.pane


def _closed(agent: Agent) -> None:
    agent.rig.control.close(agent.record, PERSON)


def _replaced(agent: Agent) -> None:
    agent.rig.tmux("respawn-pane", "-k", "-t", agent.pane, "cat")
    wait_for(lambda: not alive(agent.pid))


def _unheard(agent: Agent) -> None:
    os.kill(agent.rig.server_pid(), signal.SIGSTOP)


@pytest.mark.parametrize(
    ("happens", "state"),
    [(_closed, "unavailable"), (_replaced, "unavailable"), (_unheard, "failed")],
    ids=["closed", "replaced", "no answer"],
)
@pytest.mark.requirement("7.11")
def test_focus_fails_as_the_verb_does_and_says_in_which_way(
    mcp: McpRig, happens: Callable[[Agent], None], state: str
):
    client = mcp.outside()
    agent, server = mcp.rig.start(), mcp.rig.server_pid()
    session = session_of(client, agent)
    happens(agent)
    try:
        verb = failed(mcp.rig.control.focus, agent.record, PERSON)
        found = client.call("fleet_focus", session=session["session_id"])
    finally:
        os.kill(server, signal.SIGCONT)
    assert found["exit_code"] == verb.exit_code == 5
    assert (found["outcome"], found["reason"]) == (verb.outcome, verb.reason)
    assert [check["name"] for check in found["checks"]] == [check.name for check in verb.checks]
    assert (found["state"], found["successful"], found["target_found"]) == (state, False, True)


@pytest.mark.requirement("7.11")
def test_focus_of_what_is_no_launch_says_why_not_and_is_audited(mcp: McpRig):
    client = mcp.outside()
    for name in ("abc-one", "abc-two"):
        unlaunched(mcp, name, pid=os.getpid())
    expected = {
        "abc-one": ("unavailable", 5, "not-claimed"),
        "abc": ("ambiguous", 1, "ambiguous"),
        "zzz": ("not-found", 1, "usage"),
    }
    for session, (state, code, reason) in expected.items():
        found = client.call("fleet_focus", session=session)
        assert (found["state"], found["exit_code"], found["reason"]) == (state, code, reason)
        assert found["target_found"] is False
        line = mcp.audited("focus")
        assert (line["actor"], line["exit_code"], line["reason"]) == ("mcp", code, reason)


@ON_BOTH
@pytest.mark.requirement("A4", "A88")
def test_cleanup_removes_what_has_ended_and_nothing_that_lives(mcp: McpRig):
    client = mcp.outside()
    ended, living = mcp.rig.start(), mcp.rig.start()
    for agent in (ended, living):
        agent.send("[[text:x]]")
        until(client, agent, "done")
    dead = subprocess.Popen(["sleep", "1000"])
    unlaunched(mcp, "dead", pid=dead.pid)
    unlaunched(mcp, "alive", pid=os.getpid())
    assert client.ok("fleet_cleanup")["removed"] == []
    dead.kill()
    dead.wait()
    _closed(ended)
    session = client.ok("fleet_session", session="dead")["session"]
    removed = client.ok("fleet_cleanup")["removed"]
    assert removed == [ended.id, session["canonical_id"]]
    left = client.ok("fleet_status")["sessions"]
    assert {one["launch_id"] for one in left} == {living.id, None}
    assert living.state() == "running"
    assert len(list(mcp.rig.places.sessions.glob("*.json"))) == 2
    assert client.ok("fleet_session", session="alive")["session"]["status"] == "done"
    lines = [line for line in mcp.rig.audit() if line["action"] in ("gc", "fleet-cleanup")]
    told = [(line["action"], line["phase"], line.get("target")) for line in lines]
    assert told == [
        ("fleet-cleanup", "outcome", None),
        ("gc", "begin", ended.id),
        ("gc", "outcome", ended.id),
        ("gc", "begin", None),
        ("gc", "outcome", None),
        ("fleet-cleanup", "outcome", None),
    ]
    assert lines[3]["labels"] == {"session": session["canonical_id"]}


@pytest.mark.requirement("6.30", "6.31")
def test_every_call_is_audited_with_who_made_it(mcp: McpRig):
    lead = mcp.lead()
    inside, outside = lead.serve(), mcp.outside()
    for client, actor in ((inside, f"mcp:{lead.id}"), (outside, "mcp")):
        client.ok("fleet_status")
        client.call("fleet_session", session="zzz")
        client.call("fleet_session", sesion="typo")
        client.ok("fleet_sessions_needing_attention")
        told = [line for line in mcp.rig.audit() if line["actor"] == actor]
        assert [(line["action"], line["outcome"], line.get("reason")) for line in told] == [
            ("fleet-status", "ok", None),
            ("fleet-session", "error", "usage"),
            ("fleet-session", "error", "usage"),
            ("fleet-sessions-needing-attention", "ok", None),
        ]
        assert {line.get("caller") for line in told} == {lead.id if client is inside else None}


def test_a_call_that_can_not_be_audited_is_not_answered(mcp: McpRig):
    client = mcp.outside()
    client.ok("fleet_status")
    mcp.rig.places.control_audit.unlink()
    mcp.rig.places.control_audit.mkdir()
    found = client.call("fleet_status")
    assert (found["exit_code"], found["reason"]) == (1, "audit")


@pytest.mark.requirement("A86")
@pytest.mark.parametrize("name", ["STATE_DIR", "RUNTIME_DIR", "CONFIG"])
def test_other_places_than_its_launch_was_given_are_refused(mcp: McpRig, tmp_path: Path, name: str):
    lead = mcp.lead()
    other = tmp_path / "other"
    client = lead.serve(env={f"TONGS_AGENTS_{name}": str(other)})
    calls = {
        "fleet_status": {},
        "fleet_session": {"session": "x"},
        "fleet_sessions_needing_attention": {},
        "fleet_focus": {"session": "x"},
        "fleet_cleanup": {},
    }
    for tool, arguments in calls.items():
        found = client.call(tool, **arguments)
        assert (found["exit_code"], found["reason"]) == (5, "unknown-place"), tool
    assert lead.serve().ok("fleet_status")["counts"] == {}


PLACES = Places(Path("/c"), Path("/s"), Path("/r"))
GIVEN = {
    "TONGS_AGENTS_CONFIG": "/c",
    "TONGS_AGENTS_STATE_DIR": "/s",
    "TONGS_AGENTS_RUNTIME_DIR": "/r",
    "TONGS_AGENTS_LAUNCH_PID": "7",
}


@pytest.mark.parametrize(
    ("above", "passed"),
    [
        ([(8, {}), (7, GIVEN)], True),
        ([(8, GIVEN), (1, {})], None),
        ([], None),
        ([(7, {**GIVEN, "TONGS_AGENTS_STATE_DIR": "/other"})], False),
        ([(7, {"TONGS_AGENTS_LAUNCH_PID": "7"})], False),
        ([(9, {**GIVEN, "TONGS_AGENTS_LAUNCH_PID": "9", "TONGS_AGENTS_CONFIG": "/n"}),
          (7, GIVEN)], False),
    ],
    ids=["the same", "a copy", "nobody", "another", "none", "the nearest counts"],
)  # fmt: skip
@pytest.mark.requirement("A86")
def test_places_are_compared_with_what_the_nearest_claimed_process_was_given(
    above: list[tuple[int, dict[str, str]]], passed: bool | None
):
    assert places_check(PLACES, above).passed is passed
