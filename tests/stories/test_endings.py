"""What ends an act early: signals, broken files, a silent server; and what it says it did."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.agents.cli_rig import PROGRAM
from tests.stories.rig import PERSON, START, Rig, failed
from tests.waiting import wait_for
from tongs_agents.cleanup import forget, forgettable
from tongs_agents.parcel import parcel_path
from tongs_agents.sessions import SessionStore
from tongs_mux.backends.tmux import TmuxBackend
from tongs_mux.errors import BackendError
from tongs_mux.model import Look

ENDINGS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
by_signal = pytest.mark.parametrize(("number", "code"), ENDINGS, ids=["INT", "TERM", "HUP"])
pytestmark = pytest.mark.requirement("A97")


class Running:
    """The program as a person runs it, in the rig's places, and how it is ended."""

    def __init__(self, rig: Rig, *words: str) -> None:
        environ = rig.environ | {
            "TONGS_AGENTS_CONFIG": str(rig.places.config),
            "TONGS_AGENTS_STATE_DIR": str(rig.places.state_dir),
            "TONGS_AGENTS_RUNTIME_DIR": str(rig.places.runtime_dir),
        }
        self._process = subprocess.Popen(
            [PROGRAM, *words, "--json"],
            env=environ,
            cwd=rig.directory,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def end(self, number: signal.Signals) -> tuple[int, dict[str, Any]]:
        """Exit code and reply."""
        self._process.send_signal(number)
        out, err = self._process.communicate(timeout=20)
        return self._process.returncode, json.loads(out) if out else {"stderr": err.decode()}


def parcels(rig: Rig) -> list[Path]:
    directory = rig.places.runtime_dir / "parcels"
    return list(directory.iterdir()) if directory.exists() else []


# -- signals


@by_signal
def test_a_send_that_is_ended_between_paste_and_enter_says_so(
    rig: Rig, number: signal.Signals, code: int
):
    agent = rig.start("--slow-echo", "1.5")
    sender = Running(rig, "send", agent.id, "the text")
    agent.journal.wait("bytes")
    ended, reply = sender.end(number)
    assert (ended, reply["exit_code"], reply["reason"]) == (code, code, "cancelled")
    # the agent may have read it before tmux's answer to the paste was
    assert reply["uncertain"] is True
    assert reply["effect"] in ("partial", "unknown")
    assert reply["hint"] == "look at the pane before you call again"
    begin, outcome = rig.audit()[-2:]
    assert (begin["phase"], outcome["phase"]) == ("begin", "outcome")
    assert (outcome["act"], outcome["effect"]) == (begin["act"], reply["effect"])
    assert (outcome["reason"], outcome["exit_code"]) == ("cancelled", code)
    assert agent.journal.submitted() == []
    agent.wait_composer("draft")
    agent.send("the text")  # known as ours: submitted without a second paste
    agent.journal.wait("submit")
    assert agent.journal.typed().count(START) == 1


def test_an_interruption_right_before_enter_knows_that_the_text_was_pasted(rig: Rig):
    agent = rig.start()

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        agent.send("the text", rig.during(gap=interrupt))
    assert getattr(caught.value, "effect", None) == rig.audit()[-1]["effect"] == "partial"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_spawn_that_is_ended_leaves_neither_parcel_nor_record(rig: Rig, number: signal.Signals):
    anchor = rig.start(raw=True)
    profile = rig.profile(("sleep", "1000"))
    with rig.silent():
        spawning = Running(rig, "spawn", profile.name)
        wait_for(lambda: parcels(rig), what="a parcel")
        code, reply = spawning.end(number)
    assert (code, reply["reason"], reply["uncertain"]) == (128 + number, "cancelled", True)
    assert parcels(rig) == []
    assert rig.control.store.ids() == (anchor.id,)
    assert rig.audit()[-1]["effect"] == reply["effect"]


def test_a_parcel_is_never_without_its_record(rig: Rig):
    """Killed at any moment, what a spawn leaves is found and removed by ``gc``."""
    rig.start(raw=True)
    profile = rig.profile(("sleep", "1000"))
    with rig.silent():
        spawning = Running(rig, "spawn", profile.name)
        (path,) = wait_for(lambda: parcels(rig), what="a parcel")
        spawning.end(signal.SIGKILL)
        assert path.exists()
    control = rig.later(100.0)
    records = forgettable(control, control.store.all())
    assert path in [parcel_path(rig.places.runtime_dir, each.launch_id) for each in records]
    for record in records:
        forget(control, SessionStore(rig.places.sessions), record.launch_id, PERSON)
    assert parcels(rig) == []


def test_a_spawn_that_may_not_begin_writes_no_parcel(rig: Rig):
    profile = rig.profile(("sleep", "1000"))
    rig.places.control_audit.parent.mkdir(mode=0o700)
    lock = rig.places.control_audit.with_name("control.jsonl.lock")
    with open(os.open(lock, os.O_CREAT | os.O_RDWR, 0o600), "wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert failed(rig.starter().spawn, profile, PERSON).reason == "audit"
    assert not (rig.places.runtime_dir / "parcels").exists()


def test_a_close_that_is_ended_says_that_it_had_begun(rig: Rig):
    rig.start(raw=True)
    agent = rig.start("--stubborn", raw=True)
    closing = Running(rig, "close", agent.id)
    wait_for(lambda: agent.pane not in rig.panes(), what="the end of the pane")
    code, reply = closing.end(signal.SIGTERM)
    os.kill(agent.pid, signal.SIGKILL)
    assert (code, reply["effect"], rig.audit()[-1]["effect"]) == (143, "partial", "partial")


# -- what breaks after it began


def test_a_send_that_can_t_note_what_it_pastes_says_that_nothing_was_typed(rig: Rig):
    agent = rig.start(raw=True)
    (rig.places.runtime_dir / "leftovers").write_text("in the way", encoding="utf-8")
    with agent.untouched():
        found = failed(agent.send, "the text")
    assert (found.exit_code, found.uncertain, found.effect) == (1, True, "none")
    assert rig.audit()[-1]["effect"] == "none"


@pytest.mark.parametrize("act", ["close", "focus"])
def test_an_error_of_the_server_in_an_act_leaves_it_uncertain(rig: Rig, act: str):
    agent = rig.start(raw=True)

    def broken() -> None:
        raise BackendError("tmux: lost server")

    found = failed(getattr(rig.at(act, broken), act), agent.record, PERSON)
    assert (found.exit_code, found.uncertain, found.effect) == (1, True, "unknown")
    assert rig.audit()[-1]["effect"] == "unknown"


def test_a_close_that_can_t_be_noted_is_a_close(rig: Rig):
    agent = rig.start(raw=True)
    path = rig.places.launches / f"{agent.id}.json"

    def in_the_way() -> None:
        path.unlink()
        path.mkdir()

    assert "its record does not say when" in rig.at("close", in_the_way).close(agent.record, PERSON)
    assert agent.gone()
    assert (rig.audit()[-1]["action"], rig.audit()[-1]["outcome"]) == ("close", "ok")


# -- right after the start


class Dazed(TmuxBackend):
    """Its server gives no usable answer to the first looks, as one that is just ending."""

    left = 0

    def look(self, pane_id: str) -> Look | None:
        if Dazed.left:
            Dazed.left -= 1
            raise BackendError("server exited unexpectedly")
        return super().look(pane_id)


@pytest.mark.requirement("A91")
@pytest.mark.parametrize("looks", [1, 3])
def test_a_launch_that_is_unknown_at_first_is_looked_at_again(rig: Rig, looks: int):
    starter = replace(rig.starter(), control=replace(rig.control, backends=rig.backends_of(Dazed)))
    Dazed.left = looks
    found = failed(starter.spawn, rig.profile(("false",)), PERSON)
    assert (found.exit_code, found.reason) == (1, "start-failed")
    Dazed.left = looks
    assert starter.spawn(rig.profile(("sleep", "1000")), PERSON).state == "running"


@pytest.mark.requirement("A91")
def test_a_launch_that_stays_unknown_is_not_said_to_run(rig: Rig):
    starter = replace(rig.starter(), control=replace(rig.control, backends=rig.backends_of(Dazed)))
    Dazed.left = 10_000
    try:
        found = failed(starter.spawn, rig.profile(("sleep", "1000")), PERSON)
    finally:
        Dazed.left = 0
    assert (found.exit_code, found.uncertain, found.effect) == (1, True, "partial")


# -- respawn


def test_a_respawn_starts_where_the_launch_was_started(rig: Rig):
    rig.start(raw=True)
    agent = rig.start()
    agent.press("C-d")
    wait_for(agent.gone, what="the end of the agent")
    elsewhere = rig.directory / "elsewhere"
    elsewhere.mkdir()
    again = replace(rig.starter(), cwd=elsewhere).respawn(agent.record, PERSON)
    assert again.record.cwd == agent.record.cwd != str(elsewhere)


def test_a_program_that_outlived_its_pane_is_not_started_twice(rig: Rig):
    rig.start(raw=True)
    agent = rig.start("--stubborn", raw=True)
    rig.tmux("kill-pane", "-t", agent.pane)
    wait_for(lambda: agent.state() == "not-listed", what="a launch without its pane")
    found = failed(rig.starter().respawn, agent.record, PERSON)
    os.kill(agent.pid, signal.SIGKILL)
    assert (found.exit_code, found.reason) == (5, "running")


def test_a_launch_that_nobody_claimed_in_time_may_be_started_again(rig: Rig):
    waiting = rig.pending()
    assert failed(rig.starter().respawn, waiting.record, PERSON).reason == "pending"
    found = failed(rig.starter(rig.later(100.0)).respawn, waiting.record, PERSON)
    assert found.reason == "no-such-profile"  # and no longer `pending`
