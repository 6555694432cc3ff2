"""Cases D of the field: is it really the agent?"""

# ruff: noqa: N802 - a test is named after its case

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.stories.rig import PERSON, Agent, Rig, failed, pasted
from tests.waiting import wait_for
from tongs_agents.launches import may_forget
from tongs_mux.backends.tmux import TmuxBackend
from tongs_mux.model import ProcessFacts, ProcessIdentity
from tongs_mux.process import LinuxProcesses, PortableProcesses

WRAPPER = "bash -c 'bash -c \"$AGENT; true\"; true'; true"
"""Three shells deep."""


@pytest.mark.case("D2")
def test_D2_words_of_a_command_line_are_no_agent(rig: Rig, tmp_path: Path):
    agent = rig.start()
    lookalike = tmp_path / "agents" / "tongs-agents-scripted"
    lookalike.parent.mkdir()
    lookalike.write_text(f"#!/bin/sh\nexec cat {tmp_path}/codex.ts -\n", encoding="utf-8")
    lookalike.chmod(0o755)
    (tmp_path / "codex.ts").write_text("", encoding="utf-8")
    rig.tmux("respawn-pane", "-k", "-t", agent.pane, str(lookalike), str(agent.journal.path))
    agent.refused("replaced")
    agent.type("~")
    agent.wait_screen("~")
    assert agent.screen().strip() == "~"


@pytest.mark.case("D2")
def test_D2_an_agent_that_is_only_shown_in_a_pane_is_not_that_panes(rig: Rig, tmp_path: Path):
    inner = Rig(tmp_path / "inner", str(Path(rig.socket).with_name("t")), session="inner")
    agent = inner.start(raw=True)
    outer = rig.shell(f"TMUX= tmux -u -S {inner.socket} attach -t inner")
    outer.wait_screen("RAW")
    forged = replace(
        agent.record, pane=outer.record.pane, opened_pid=outer.record.opened_pid,
        server=outer.record.server,
    )  # fmt: skip
    claim = agent.record.claim
    assert claim is not None
    assert outer.record.claim is not None
    forged = replace(forged, claim=replace(claim, server=outer.record.claim.server))
    with agent.untouched():
        Agent(rig, forged, agent.journal).refused("replaced")
    agent.send("in its own pane")
    agent.journal.wait_typed(b"~" + pasted("in its own pane"))


@pytest.mark.case("D2", "D3")
def test_D2_another_process_in_the_panes_tree_is_not_the_claimed_one(rig: Rig):
    agent = rig.shell(WRAPPER, wrapper=True, harness="scripted")
    agent.wait_composer("empty")
    claim = agent.record.claim
    assert claim is not None
    inside = agent.journal.facts("start")[0]["pid"]
    other = replace(claim, process=ProcessIdentity(inside, "boot:1"))
    with agent.untouched():
        Agent(rig, replace(agent.record, claim=other), agent.journal).refused("exited")


@pytest.mark.case("D3")
def test_D3_a_declared_wrapper_may_be_three_levels_deep(rig: Rig):
    agent = rig.shell(WRAPPER, wrapper=True, harness="scripted")
    agent.wait_composer("empty")
    agent.send("hello")
    agent.journal.wait_typed(pasted("hello"))
    agent.journal.wait("submit")


@pytest.mark.case("D3", "D6")
def test_D3_a_wrapper_that_nobody_declared_is_a_shell(rig: Rig):
    agent = rig.shell(WRAPPER, harness="scripted")
    agent.wait_composer("empty")
    with agent.untouched():
        agent.refused("shell")


class Silent(LinuxProcesses):
    """A system that does not say when a process started."""

    def facts(self, pid: int) -> ProcessFacts | None:
        found = super().facts(pid)
        return replace(found, start_token=None) if found is not None else None


class Blind(PortableProcesses):
    """A system on which a process may not be looked at."""

    def facts(self, pid: int) -> ProcessFacts | None:
        return ProcessFacts(pid, 0, None, "", -1, -1)


@pytest.mark.case("D5")
@pytest.mark.parametrize("processes", [Silent(), Blind()], ids=["no start", "no access"])
def test_D5_what_cannot_be_known_is_never_read_as_right(rig: Rig, processes: Silent | Blind):
    agent = rig.start()
    unknowing = replace(rig.control, processes=processes)
    claim = agent.record.claim
    assert claim is not None
    nameless = replace(
        claim, process=replace(claim.process, start_token=None),
        server=replace(claim.server, start_token=None),
    )  # fmt: skip
    with agent.untouched():
        for record in (agent.record, replace(agent.record, claim=nameless)):
            for act in ("focus", "close"):
                found = failed(getattr(unknowing, act), record, PERSON)
                assert (found.exit_code, found.reason) == (5, "unknown")
            Agent(rig, record, agent.journal).refused("unknown", control=unknowing)
            assert not may_forget(unknowing.verify(record), unknowing)
    assert agent.state() == "running"


@pytest.mark.case("D5")
def test_D5_the_same_without_proc_by_what_psutil_says(rig: Rig):
    agent = rig.start()
    portable = replace(rig.control, processes=PortableProcesses())
    assert agent.record.claim is not None
    claim = replace(
        agent.record.claim,
        process=_by_psutil(agent.record.claim.process),
        server=_by_psutil(agent.record.claim.server),
    )
    control = replace(portable, backends=rig.backends_of(TmuxBackend, processes=portable.processes))
    same = Agent(rig, replace(agent.record, claim=claim), agent.journal)
    same.send("portable", control)
    agent.journal.wait_typed(pasted("portable"))
    token = f"created:{time.time():.6f}"
    late = replace(claim, process=ProcessIdentity(claim.process.pid, token))
    with agent.untouched():
        Agent(rig, replace(agent.record, claim=late), agent.journal).refused(
            "exited", control=control
        )


def _by_psutil(who: ProcessIdentity) -> ProcessIdentity:
    found = PortableProcesses().facts(who.pid)
    return replace(who, start_token=found.start_token if found else None)


SHELL = "export PS1='shell> '; exec bash --norc -i"
SHELLS = {
    "the agent has ended": f"$AGENT; {SHELL}",
    "the agent could not be started": f"no-such-agent; {SHELL}",
    "the agent's helper lives on": f"sleep 1000 & {SHELL}",
    "it is a shell itself": SHELL,
}


@pytest.mark.case("D6")
@pytest.mark.parametrize("wrapper", [False, True], ids=["plain", "wrapper"])
@pytest.mark.parametrize("harness", ["scripted", "other"])
@pytest.mark.parametrize("script", SHELLS.values(), ids=SHELLS.keys())
def test_D6_nothing_is_typed_at_a_shell(rig: Rig, script: str, harness: str, wrapper: bool):
    agent = rig.shell(script, harness=harness, wrapper=wrapper)
    if script.startswith("$AGENT"):
        agent.journal.wait("ready")
        agent.press("C-d")
    agent.wait_screen("shell>")
    agent.refused("shell", "touch typed-by-us")
    agent.type("touch typed-by-a-person\n")
    wait_for((rig.directory / "typed-by-a-person").exists, what="the person's command")
    assert not (rig.directory / "typed-by-us").exists()


@pytest.mark.case("D6")
def test_D6_an_agent_that_was_suspended_left_its_terminal_to_the_shell(rig: Rig):
    agent = rig.shell(SHELL, wrapper=True, harness="scripted")
    agent.wait_screen("shell>")
    agent.type("$AGENT\n")
    agent.wait_composer("empty")
    agent.send("hello")
    agent.journal.wait("submit")
    os.kill(agent.journal.facts("start")[0]["pid"], signal.SIGSTOP)
    agent.wait_screen("Stopped")
    typed = agent.journal.typed()
    agent.refused("shell", "touch typed-by-us")
    agent.type("touch typed-by-a-person\n")
    wait_for((rig.directory / "typed-by-a-person").exists, what="the person's command")
    assert not (rig.directory / "typed-by-us").exists()
    assert agent.journal.typed() == typed


STUBS = {
    "sleeps": "exec sleep 30",
    "speaks another version": "echo 'protocol version mismatch (client 8, server 7)' >&2; exit 1",
    "loses its server": "echo 'server exited unexpectedly' >&2; exit 1",
    "may not enter": "echo 'error connecting to /x (Permission denied)' >&2; exit 1",
    "says nothing": "exit 0",
    "says nonsense": "echo hello",
    "fails in silence": "exit 1",
}


@pytest.mark.case("D8")
@pytest.mark.parametrize("stub", STUBS.values(), ids=STUBS.keys())
def test_D8_no_usable_answer_is_unknown_and_never_an_end(rig: Rig, tmp_path: Path, stub: str):
    agent = rig.start()
    program = tmp_path / "tmux"
    program.write_text(f"#!/bin/sh\n{stub}\n", encoding="utf-8")
    program.chmod(0o755)
    control = rig.hasty(0.3 if "sleep" in stub else 5.0, str(program))
    start = time.monotonic()
    with agent.untouched():
        agent.refused("unknown", control=control)
        for act in ("focus", "close"):
            assert failed(getattr(control, act), agent.record, PERSON).reason == "unknown"
        assert failed(control.capture, agent.record).reason == "unknown"
        for seen in (control.verify(agent.record), *control.list([agent.record])):
            assert seen.verdict.state == "unknown"
            assert not may_forget(seen, control)
    assert time.monotonic() - start < 20
    assert agent.state() == "running"


@pytest.mark.case("D8")
def test_D8_a_tmux_that_is_not_there_says_nothing_of_its_panes(rig: Rig):
    agent = rig.start()
    control = rig.hasty(5.0, "/nonexistent/tmux")
    with agent.untouched():
        agent.refused("unknown", control=control)
