"""Launches: what they are given, how a start fails, many of them, and how they end."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import stat
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.stories.both import ON_BOTH, on_both
from tests.stories.rig import PERSON, RAW, SCRIPTED, Agent, Rig, Verbatim, alive, failed, pasted
from tests.waiting import wait_for
from tongs_agents.launcher import own_claim
from tongs_agents.parcel import parcel_path
from tongs_mux.backend import Opened, OpenRequest
from tongs_mux.backends.tmux import TmuxBackend
from tongs_mux.claims import LaunchStore
from tongs_mux.errors import ClaimConflict
from tongs_mux.model import Claim, ProcessIdentity
from tongs_mux.process import identity, system_processes

HIDDEN = "sk-hidden-0123456789"
INHERITED = {
    "AI_AGENT": "x",
    "CLAUDECODE": "1",
    "CLAUDE_PID": "1",
    "CLAUDE_CODE_SESSION_ID": "x",
    "CLAUDE_CODE_MESSAGING_SOCKET": "/x",
    "CLAUDE_PROJECT_DIR": "/x",
    "CLAUDE_ENV_FILE": "/x",
    "PI_CODING_AGENT": "1",
    "PI_SESSION_ID": "1",
    "TONGS_AGENTS_LAUNCH_ID": "ffffffffffff",
    "TONGS_AGENTS_STATE_DIR": "/x",
    "TMUX": "/x,1,0",
    "TMUX_PANE": "%77",
    "ZELLIJ": "0",
    "ZELLIJ_SESSION_NAME": "x",
}


@pytest.mark.requirement("A81", "A89")
@pytest.mark.parametrize("running", [False, True], ids=["new server", "running server"])
def test_a_launch_gets_its_openers_environment_the_profiles_and_ours(rig: Rig, running: bool):
    if running:
        rig.tmux("new-session", "-d", "-s", "theirs", "sleep", "1000")
    keeps = {"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/d", "CLAUDE_CODE_USE_BEDROCK": "1"}
    keeps |= {"OPENERS": "1", "BOTH": "opener", "ODD": "a=b\nc;'\"#{x}", "API_KEY": HIDDEN}
    rig.environ |= INHERITED | keeps | {"TERM": "openers-term"}
    rig.control = rig.controller()
    raw = rig.start(raw=True, env=Verbatim.table({"BOTH": "profile", "MINE": HIDDEN}))
    environ = raw.journal.facts("start")[0]["environ"]
    expected = keeps | {"BOTH": "profile", "MINE": HIDDEN}
    expected |= {
        "TONGS_AGENTS_CONFIG": str(rig.places.config),
        "TONGS_AGENTS_STATE_DIR": str(rig.places.state_dir),
        "TONGS_AGENTS_RUNTIME_DIR": str(rig.places.runtime_dir),
        "TONGS_AGENTS_LAUNCH_ID": raw.id,
        "TONGS_AGENTS_LAUNCH_PID": str(raw.pid),
        "TMUX_PANE": raw.pane,
        "PWD": str(rig.directory),
    }
    assert {name: environ.get(name) for name in expected} == expected
    assert environ["TMUX"].startswith(f"{rig.socket},{rig.server_pid()},")
    assert environ["TERM"] != "openers-term"
    assert not (set(INHERITED) - set(expected) - {"TMUX"}) & set(environ)
    shared = rig.tmux("show-environment", "-g")
    ours = [name for name in INHERITED if name.startswith(("TONGS", "CLAUDE", "AI_", "PI_"))]
    assert running or not [name for name in ours if f"{name}=" in shared]


@pytest.mark.requirement("A89")
@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_secrets_lie_in_one_private_parcel_until_the_launcher_takes_it(rig: Rig, mask: int):
    modes: list[int] = []

    class Peeking(TmuxBackend):
        def open(self, request: OpenRequest) -> Opened:
            [path] = (rig.places.runtime_dir / "parcels").iterdir()
            modes.extend(stat.S_IMODE(each.stat().st_mode) for each in (path, path.parent))
            assert HIDDEN in path.read_text(encoding="utf-8")
            assert HIDDEN not in str(request.argv)
            return super().open(request)

    rig.environ["API_KEY"] = HIDDEN
    rig.control = replace(rig.controller(), backends=rig.backends_of(Peeking))
    before = os.umask(mask)
    try:
        agent = rig.start(env=Verbatim.table({"MINE": HIDDEN}), prompt=f"the prompt {HIDDEN}")
    finally:
        os.umask(before)
    assert modes == [0o600, 0o700]
    assert not parcel_path(rig.places.runtime_dir, agent.id).exists()
    for place in (rig.places.state_dir, rig.places.runtime_dir):
        for path in place.rglob("*"):
            assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
            assert path.is_dir() or HIDDEN.encode() not in path.read_bytes(), path
    assert HIDDEN not in rig.tmux("list-panes", "-a", "-F", "#{pane_start_command}")


class Failing(NamedTuple):
    test_id: str
    command: tuple[str, ...]
    words: str
    cwd: str | None = None


def _failing(directory: Path) -> tuple[Failing, ...]:
    plain, broken = directory / "plain", directory / "broken"
    plain.write_text("#!/bin/sh\n", encoding="utf-8")
    broken.write_text("#!/no/such/interpreter\n", encoding="utf-8")
    broken.chmod(0o755)
    return (
        Failing("no such command", ("no-such-command",), "no-such-command"),
        Failing("no such path", ("/no/such/command",), "/no/such/command"),
        Failing("not executable", (str(plain),), str(plain)),
        Failing("a directory", (str(directory),), str(directory)),
        Failing("no interpreter", (str(broken),), str(broken)),
        Failing("no directory", ("sleep", "1000"), "/no/such/place", "/no/such/place"),
        Failing("ends at once", ("true",), "true ended at once"),
        Failing("fails at once", ("false",), "false ended at once"),
    )


@pytest.mark.requirement("A91")
def test_a_start_that_fails_says_why_and_leaves_a_record_and_nothing_else(rig: Rig, tmp_path: Path):
    anchor = rig.start(raw=True)
    for number, case in enumerate(_failing(tmp_path), start=1):
        keys = {} if case.cwd is None else {"cwd": case.cwd}
        profile = rig.profile(case.command, **keys)
        found = failed(rig.spawn, profile, Path("/dev/null"))
        assert (case.test_id, found.exit_code, found.reason) == (case.test_id, 1, "start-failed")
        assert case.words in found.error, case.test_id
        wait_for(lambda: rig.panes() == [anchor.pane], what="the end of the pane")
        records = [each for each in rig.control.store.all() if each.launch_id != anchor.id]
        assert len(records) == number
        record = max(records, key=lambda each: each.created_at)
        assert rig.control.verify(record).verdict.state == "exited"
        assert failed(Agent(rig, record, anchor.journal).send, "x").exit_code == 5
    assert list((rig.places.runtime_dir / "parcels").iterdir()) == []


def right_claim(waiting: Agent) -> Claim:
    """What the launcher would say in the pane that was opened for it."""
    rig, pid = waiting.rig, waiting.record.opened_pid
    assert pid is not None
    environ = {"TMUX_PANE": waiting.pane, "TMUX": f"{rig.socket},{rig.server_pid()},0"}
    claim = own_claim(environ, system_processes(), pid, time.time())
    assert claim.process == identity(system_processes(), pid)
    return claim


@pytest.mark.requirement("A88")
def test_a_claim_that_differs_from_what_was_opened_is_refused(rig: Rig):
    waiting = rig.pending()
    claim, store = right_claim(waiting), rig.control.store
    other = ProcessIdentity(os.getpid(), "boot:1")
    for forged in (
        replace(claim, pane_id="%77"),
        replace(claim, pane_id=""),
        replace(claim, socket=rig.socket + "2"),
        replace(claim, socket=None),
        replace(claim, process=other),
        replace(claim, server=other),
        replace(claim, server=ProcessIdentity(claim.server.pid, "boot:1")),
    ):
        assert failed(store.claim, waiting.id, forged).reason == "replaced"
        assert store.read(waiting.id) == waiting.record
    store.claim(waiting.id, claim)
    assert failed(store.claim, waiting.id, claim).reason == "replaced"


@pytest.mark.requirement("A88")
def test_of_many_claims_for_one_launch_exactly_one_is_made(rig: Rig):
    waiting = rig.pending()
    claim = right_claim(waiting)
    won: list[int] = []
    lost: list[str] = []
    gate = threading.Barrier(8)

    def run(number: int) -> None:
        gate.wait()
        try:
            LaunchStore(rig.places.launches).claim(waiting.id, replace(claim, at=float(number)))
            won.append(number)
        except ClaimConflict as conflict:
            lost.append(conflict.message)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(lost)) == (1, 7)
    stored = rig.control.store.read(waiting.id)
    assert stored.claim is not None
    assert stored.claim.at == float(won[0])
    assert rig.control.verify(stored).verdict.state == "running"


@pytest.mark.requirement("A88")
def test_a_launcher_that_is_quicker_than_its_opener_waits_for_it(rig: Rig):
    class Slow(TmuxBackend):
        """Its answer comes long after the launcher has asked for the record."""

        def open(self, request: OpenRequest) -> Opened:
            opened = super().open(request)
            assert opened.pid is not None
            pid = opened.pid
            with contextlib.suppress(AssertionError):
                wait_for(lambda: not alive(pid), deadline=0.5, what="a launcher that gives up")
            return opened

    rig.control = replace(rig.control, backends=rig.backends_of(Slow))
    assert rig.start(raw=True).state() == "running"


def test_fifty_launches_in_one_session_are_all_verified(rig: Rig):
    starter = rig.starter()
    profile = rig.profile(("sleep", "100000"))
    records = [starter.spawn(profile, PERSON).record for _ in range(50)]
    seen = rig.control.list(rig.control.store.all())
    assert [each.verdict.state for each in seen] == ["running"] * 50
    assert {each.record.launch_id for each in seen} == {each.launch_id for each in records}
    assert len({each.pane.pane_id for each in seen if each.pane}) == 50
    pane = records[20].pane
    assert pane is not None
    rig.tmux("respawn-pane", "-k", "-t", pane.pane_id, "sleep", "100000")
    states = [each.verdict.state for each in rig.control.list(records)]
    assert states == ["running"] * 20 + ["replaced"] + ["running"] * 29


@ON_BOTH
def test_an_ended_launch_is_started_again_as_a_new_one(rig: Rig):
    rig.start(raw=True)
    agent = rig.start()
    assert failed(rig.starter().respawn, agent.record, PERSON).reason == "running"
    agent.press("C-d")
    wait_for(agent.gone, what="the end of the agent")
    record = rig.starter().respawn(agent.record, PERSON).record
    again = rig.agent(record, agent.journal.path)
    assert record.labels["respawned_from"] == agent.id != again.id
    assert (agent.state(), again.state()) == ("exited", "running")
    again.journal.wait("ready", 2)
    again.wait_composer("empty")
    again.send("hello")
    again.journal.wait("submit")
    assert again.journal.typed() == b"\x04" + pasted("hello")


@pytest.mark.case("D8")
def test_a_launch_that_may_be_alive_is_not_started_again(rig: Rig):
    agent = rig.start()
    silent = replace(rig.starter(), control=rig.hasty(0.3))
    with rig.silent():
        found = failed(silent.respawn, agent.record, PERSON)
    assert (found.exit_code, found.reason) == (5, "unknown")
    assert failed(rig.starter().respawn, rig.pending().record, PERSON).reason == "pending"


def test_focus_brings_a_pane_to_the_front_where_nobody_is_attached(rig: Rig):
    first, second = rig.start(raw=True), rig.start(raw=True)
    for agent in (second, first):
        assert rig.control.focus(agent.record, PERSON) == ""
        front = rig.tmux("display-message", "-p", "-t", f"={rig.session}:", "#{pane_id}")
        assert front.strip() == agent.pane


# -- close


def stubborn_below_a_shell(rig: Rig) -> Agent:
    log = rig.log()
    script = shlex.join([*RAW, "--log", str(log), "--stubborn"]) + "; true"
    return rig.spawn(rig.profile(("bash", "-c", script), wrapper=True, multiline=True), log)


class Program(NamedTuple):
    test_id: str
    start: Callable[[Rig], Agent]


PROGRAMS = (
    Program("an agent", lambda rig: rig.start()),
    Program("one that ignores SIGHUP and SIGTERM", lambda rig: rig.start("--stubborn", raw=True)),
    Program("a wrapper", lambda rig: rig.shell("$AGENT; true", wrapper=True, harness="scripted")),
    Program("a wrapper of one that ignores them", stubborn_below_a_shell),
    Program("one with an open dialog", lambda rig: rig.start("--", "[[tool:Bash]]", wait=False)),
)


@on_both(
    "program",
    {it.test_id: it for it in PROGRAMS},
    zellij=("an agent", "one that ignores SIGHUP and SIGTERM"),
)
def test_close_ends_the_program_and_nobody_elses(rig: Rig, program: Program):
    other = rig.start(raw=True)
    agent = program.start(rig)
    agent.journal.wait("ready")
    pids = {agent.pid, agent.journal.facts("start")[0]["pid"]}
    fast = replace(rig.control, monotonic=lambda: time.monotonic() * 20)
    fast.close(agent.record, PERSON)
    assert not any(map(alive, pids))
    assert rig.panes() == [other.pane]
    ended = rig.control.store.read(agent.id)
    assert ended.ended_at is not None
    assert rig.control.verify(ended).verdict.state == "exited"
    assert (rig.audit()[-1]["action"], rig.audit()[-1]["outcome"]) == ("close", "ok")
    with other.untouched():
        assert other.state() == "running"


def test_close_removes_a_dead_pane_that_is_still_its_own(rig: Rig):
    other, agent = rig.start(raw=True), rig.start()
    agent.set("remain-on-exit", "on")
    agent.press("C-d")
    agent.wait_dead()
    rig.control.close(agent.record, PERSON)
    assert rig.panes() == [other.pane]
    found = failed(rig.control.close, agent.record, PERSON)
    assert (found.exit_code, found.reason) == (5, "exited")


def test_close_leaves_a_pane_that_is_somebody_elses_now(rig: Rig):
    agent = rig.start("--stubborn", raw=True)
    agent.set("remain-on-exit", "on")
    os.kill(agent.pid, signal.SIGKILL)
    agent.wait_dead()
    rig.tmux("respawn-pane", "-t", agent.pane, *RAW, "--log", "/dev/null")
    found = failed(rig.control.close, agent.record, PERSON)
    assert (found.exit_code, found.reason) == (5, "replaced")
    assert rig.panes() == [agent.pane]


def test_the_program_is_what_the_launcher_became(rig: Rig):
    agent = rig.start()
    assert agent.record.opened_pid == agent.pid == agent.journal.facts("start")[0]["pid"]
    assert SCRIPTED in system_processes().argv(agent.pid)
