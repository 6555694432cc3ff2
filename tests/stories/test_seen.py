"""What is typed goes into what was seen: by a person, in a composer, by the program in front."""

from __future__ import annotations

import os
import shlex
import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.stories.rig import END, PERSON, RAW, START, Agent, Rig, alive, failed, pasted
from tests.waiting import wait_for
from tongs_agents.launches import reader_of
from tongs_mux.control import Controller
from tongs_mux.model import Receipt

# -- a screen that a person said yes to

QUIET = "quiet screen"
UNKNOWN_DIALOG = "\x1b[2J\x1b[HDelete everything?\r\n> 1. Yes\r\n"
ADDED = "\r\nDelete everything?\r\n> 1. Yes\r\n"
KNOWN_DIALOG = "\x1b[2J\x1b[HDo you want to proceed?\r\n❯ 1. Yes\r\nEsc to cancel\r\n"


def quiet(rig: Rig) -> Agent:
    log = rig.log()
    words = (*RAW, "--log", str(log), "--show", f"{QUIET}\r\n")
    agent = rig.spawn(rig.profile(words, harness="claude", attach="never"), log)
    agent.journal.wait("ready")
    agent.wait_screen("RAW")
    return agent


def draw(agent: Agent, text: str) -> None:
    """Output of the pane's program, as seen by its terminal."""
    tty = agent.rig.tmux("display-message", "-p", "-t", agent.pane, "#{pane_tty}").strip()
    with open(tty, "wb", buffering=0) as terminal:
        terminal.write(text.encode())
    last = text.replace("\x1b[2J\x1b[H", "").split("\r\n")[-2]
    agent.wait_screen(last)


def send_unseen(
    agent: Agent, answering: Callable[[], object] = lambda: None, control: Controller | None = None
) -> Receipt:
    """``send --unseen`` with a person who takes their time, and says yes."""

    def asked(lines: tuple[str, ...]) -> bool:
        assert QUIET in "\n".join(lines)
        answering()
        return True

    used = control or agent.rig.control
    return used.send(agent.record, "the text", reader_of(agent.record), PERSON, asked=asked)


def test_a_screen_that_stands_is_typed_into(rig: Rig):
    agent = quiet(rig)
    receipt = send_unseen(agent)
    assert {fact.check for fact in receipt.evidence} >= {"unguarded", "window"}
    agent.journal.wait_typed(pasted("the text"))


@pytest.mark.parametrize("shown", [UNKNOWN_DIALOG, ADDED], ids=["another", "more"])
def test_a_screen_that_changed_before_the_answer_is_not_typed_into(rig: Rig, shown: str):
    agent = quiet(rig)
    with agent.untouched():
        found = failed(send_unseen, agent, lambda: draw(agent, shown))
    assert (found.exit_code, found.reason) == (5, "not-confirmed")
    assert rig.audit()[-1]["reason"] == "not-confirmed"


def test_a_dialog_that_is_known_by_then_is_named(rig: Rig):
    agent = quiet(rig)
    with agent.untouched():
        assert failed(send_unseen, agent, lambda: draw(agent, KNOWN_DIALOG)).reason == "dialog"


def test_a_screen_that_changes_right_before_the_paste_holds_it(rig: Rig):
    agent = quiet(rig)
    with agent.untouched():
        control = rig.at("paste", lambda: draw(agent, UNKNOWN_DIALOG))
        found = failed(send_unseen, agent, lambda: None, control)
    assert (found.exit_code, found.reason) == (5, "not-confirmed")


def test_no_enter_into_a_dialog_that_opens_after_an_unseen_paste(rig: Rig):
    agent = quiet(rig)
    control = rig.at("enter", lambda: draw(agent, KNOWN_DIALOG))
    found = failed(send_unseen, agent, lambda: None, control)
    assert (found.reason, found.effect) == ("dialog", "partial")
    agent.journal.wait_typed(START + b"the text" + END)


# -- texts of which little or nothing is seen


@pytest.mark.case("A3")
@pytest.mark.parametrize(
    "text", ["   ", "\u3000", "\u200b", "\u0378", "\uffff", " \n\t "], ids=ascii
)
def test_a_text_of_which_nothing_is_seen_is_refused_before_it_sticks(rig: Rig, text: str):
    agent = rig.start()
    with agent.untouched():
        found = failed(agent.send, text)
    assert (found.exit_code, found.reason) == (5, "bad-text")


@pytest.mark.case("A3")
@pytest.mark.parametrize(
    "text",
    ["a \u0378 b", "a \uffff b", "[Pasted 12 chars]", "[Pasted text #1 +12 lines]"],
    ids=ascii,
)
def test_a_text_that_is_not_shown_as_it_is_sticks_nowhere(rig: Rig, text: str):
    agent = rig.start()
    agent.send(text)
    agent.journal.wait("submit")
    agent.wait_composer("empty")
    assert agent.journal.submitted() == [text.encode()]


@pytest.mark.case("A7")
@pytest.mark.parametrize("width", range(14, 24, 3))
def test_a_folded_paste_is_known_however_narrow_the_pane(rig: Rig, width: int):
    agent = rig.start()
    rig.tmux("resize-window", "-t", agent.pane, "-x", str(width), "-y", "30")
    agent.wait_composer("empty")
    text = "\n".join(f"line {number}" for number in range(123))
    agent.send(text)
    agent.journal.wait("submit")
    assert agent.journal.submitted() == [text.encode()]


# -- who reads the keys


class Shell(NamedTuple):
    test_id: str
    after: str
    prompt: str


SHELLS = (
    Shell("the wrapper becomes one", "exec bash --norc -i", "bash-"),
    Shell("the wrapper starts one", "bash --norc -i", "bash-"),
    Shell("one without job control", "sh -c 'echo reading; read x; read y'", "reading"),
)


@pytest.mark.case("D3", "D6")
@pytest.mark.parametrize("shell", SHELLS, ids=lambda shell: shell.test_id)
def test_no_text_to_a_shell_beside_which_something_lives_on(rig: Rig, shell: Shell):
    agent = rig.shell(f"sleep 1000 <&0 & $AGENT; {shell.after}", wrapper=True)
    agent.journal.wait("ready")
    agent.send("hello")
    agent.journal.wait("submit")
    agent.press("C-d")
    pid = agent.journal.facts("start")[0]["pid"]
    wait_for(lambda: not alive(pid), what="the end of the agent")
    agent.wait_screen(shell.prompt)
    assert failed(agent.send, "echo typed > typed").reason == "shell"


@pytest.mark.case("D6")
@pytest.mark.parametrize(
    "make", [shutil.copy, os.symlink, os.link], ids=["copy", "symlink", "link"]
)
def test_a_shell_by_another_name_is_one(rig: Rig, make: Callable[[str, Path], object]):
    bash = os.path.realpath(shutil.which("bash") or "")
    program = rig.directory / "my-agent"
    try:
        make(bash, program)
    except OSError:
        pytest.skip("the file system links no file of another")
    agent = rig.spawn(rig.profile((str(program), "--norc")), rig.log())
    assert failed(agent.send, "echo typed > typed").reason == "shell"


@pytest.mark.case("D6")
def test_a_harness_that_is_a_script_is_no_shell(rig: Rig):
    log = rig.log()
    program = rig.directory / "my-agent"
    program.write_text(f"#!/bin/sh\n{shlex.join([*RAW, '--log', str(log)])}\ntrue\n", "utf-8")
    program.chmod(0o755)
    agent = rig.spawn(rig.profile((str(program),)), log)
    agent.journal.wait("ready")
    agent.send("hello")
    agent.journal.wait_typed(pasted("hello"))


# -- close ends all that the launch ran


@pytest.mark.case("D3")
def test_close_ends_every_descendant_in_the_session(rig: Rig):
    other = rig.start(raw=True)
    log = rig.log()
    stubborn = "trap '' HUP TERM INT; while :; do sleep 1000; done"
    agent = f"{shlex.join([*RAW, '--log', str(log), '--stubborn'])}"
    script = f"set -m; bash -c {shlex.quote(stubborn)} & {agent}; true"
    profile = rig.profile(("bash", "-c", script), wrapper=True, multiline=True)
    launched = rig.spawn(profile, log)
    launched.journal.wait("ready")
    processes = rig.control.processes
    pids = [
        pid for pid in processes.pids()
        if (facts := processes.facts(pid)) and facts.session == launched.pid
    ]  # fmt: skip
    assert len(pids) >= 4
    replace(rig.control, monotonic=lambda: time.monotonic() * 20).close(launched.record, PERSON)
    assert not any(map(alive, pids))
    assert rig.panes() == [other.pane]
