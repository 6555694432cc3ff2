"""Cases E of the field: Zellij."""

# ruff: noqa: N802 - a test is named after its case

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.stories.rig import PERSON, RAW, failed, pasted
from tests.stories.zellij_rig import WRITING, ZellijRig
from tests.waiting import wait_for
from tests.zellij import Zellij, private_zellij
from tongs_agents.launches import reader_of
from tongs_agents.multiplexers import BackendFactory
from tongs_agents.shapes import pane_shape
from tongs_mux.backends.zellij_open import START_SECONDS
from tongs_mux.model import PaneRef
from tongs_mux.text import MAX_BYTES

SLACK = 4.0
"""Seconds over a deadline that a loaded machine may need."""

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "zellij.md"


@pytest.fixture
def zellij(short_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Zellij]:
    with private_zellij(short_dir, monkeypatch) as found:
        yield found


@pytest.fixture
def rig(zellij: Zellij, tmp_path: Path) -> ZellijRig:
    return ZellijRig(tmp_path / "rig", zellij)


@pytest.mark.case("E1")
def test_E1_a_detached_session_gets_what_is_sent_and_shows_it(rig: ZellijRig):
    agent = rig.start()
    assert rig.zellij.clients(rig.session) == {}
    receipt = agent.send("hello there")
    agent.journal.wait_typed(pasted("hello there"))
    assert agent.journal.submitted() == [b"hello there"]
    assert ("window", "open") in {(fact.check, fact.seen) for fact in receipt.evidence}
    wait_for(lambda: "hello there" in "\n".join(rig.control.capture(agent.record)))


@pytest.mark.case("E1")
def test_E1_a_pane_that_was_not_opened_is_not_reported_as_opened(rig: ZellijRig):
    """Zellij prints an id and status 0 for a pane that never comes to be."""
    rig.start(raw=True)
    script = '[ "$4" = new-pane ] && { echo terminal_77; exit 0; }; exec "$ZELLIJ_REAL" "$@"'
    profile = rig.profile(("sleep", "300"))
    found = failed(lambda: rig.starter(rig.instead(script)).spawn(profile, PERSON))
    assert (found.exit_code, found.outcome) == (1, "error")
    assert "no pane" in found.error
    assert len(rig.control.store.ids()) == 1


@pytest.mark.case("E3")
def test_E3_a_wedged_zellij_is_unknown_within_the_limit_and_never_gone(rig: ZellijRig):
    agent = rig.start(raw=True)
    limit = 0.5
    wedged = rig.instead("exec sleep 1000", deadline=limit)
    begun = time.monotonic()
    seen = wedged.verify(agent.record)
    assert time.monotonic() - begun < limit + SLACK
    assert seen.verdict.state == "unknown"
    assert "did not answer" in next(it.seen for it in seen.verdict.checks if it.name == "answered")
    with agent.untouched():
        agent.refused("unknown", control=wedged)
    for act in (wedged.focus, wedged.close):
        assert failed(lambda act=act: act(agent.record, PERSON)).reason == "unknown"
    assert agent.state() == "running"


@pytest.mark.case("E3")
def test_E3_a_stopped_server_is_unknown_to_every_verb(rig: ZellijRig):
    agent = rig.start(raw=True)
    hasty = rig.backed(deadline=0.5)
    with rig.silent():
        assert hasty.verify(agent.record).verdict.state == "unknown"
        assert [seen.verdict.state for seen in hasty.list([agent.record])] == ["unknown"]
        agent.refused("unknown", control=hasty)
    agent.send("after all")
    agent.journal.wait_typed(pasted("after all"))


@pytest.mark.case("E5")
def test_E5_a_send_writes_twice_and_no_more(rig: ZellijRig):
    agent = rig.start()
    log = rig.directory / "calls"
    control = rig.instead(f'echo "$4" >>"{log}"; exec "$ZELLIJ_REAL" "$@"')
    agent.send("two lines\nof text", control)
    agent.journal.wait_typed(pasted("two lines\nof text"))
    calls = log.read_text(encoding="utf-8").split()
    assert [call for call in calls if call in WRITING] == ["paste", "send-keys"]


@pytest.mark.case("E5")
def test_E5_the_longest_text_is_one_write_as_well(rig: ZellijRig):
    agent = rig.start(raw=True)
    text = "x" * MAX_BYTES
    agent.send(text)
    agent.journal.wait_typed(pasted(text))


@pytest.mark.case("E6")
def test_E6_a_step_that_fails_is_a_failure_and_leaves_nothing(rig: ZellijRig):
    rig.start(raw=True)
    before = rig.panes()
    script = (
        '[ "$4" = new-pane ] && { echo "wrong subcommand" >&2; exit 2; }; exec "$ZELLIJ_REAL" "$@"'
    )
    profile = rig.profile(("sleep", "300"))
    found = failed(lambda: rig.starter(rig.instead(script)).spawn(profile, PERSON))
    assert (found.exit_code, found.outcome) == (1, "error")
    assert "wrong subcommand" in found.error
    assert rig.panes() == before
    assert len(rig.control.store.ids()) == 1
    assert list((rig.places.runtime_dir / "parcels").glob("*")) == []
    assert [line["outcome"] for line in rig.audit() if line.get("outcome")][-1] == "error"


@pytest.mark.case("E7")
def test_E7_a_pane_that_is_not_there_is_not_listed_and_gets_nothing(rig: ZellijRig):
    agent = rig.start(raw=True)
    assert agent.record.claim is not None
    missing = PaneRef("zellij", rig.session, "terminal_99", None)
    claim = replace(agent.record.claim, pane_id="terminal_99")
    record = replace(agent.record, pane=missing, claim=claim)
    with agent.untouched():
        assert rig.control.verify(record).verdict.state == "not-listed"
        found = failed(lambda: rig.control.send(record, "x", reader_of(record), PERSON))
        assert (found.exit_code, found.reason) == (5, "not-listed")


@pytest.mark.case("E7")
def test_E7_a_pane_that_goes_between_look_and_paste_is_uncertain_never_ok(rig: ZellijRig):
    agent = rig.start(raw=True)
    rig.start(raw=True)

    def close() -> None:
        if agent.pane in rig.panes():
            rig.zellij.action(rig.session, "close-pane", "--pane-id", agent.pane)

    found = failed(lambda: agent.send("into nothing", rig.just_after(close)))
    assert (found.exit_code, found.outcome, found.uncertain) == (1, "error", True)
    assert found.effect == "unknown"
    assert agent.journal.typed() == b""


@pytest.mark.case("E8")
def test_E8_each_pane_of_a_detached_session_shows_its_own_screen(rig: ZellijRig):
    one, two = rig.start("--show", "ONE", raw=True), rig.start("--show", "TWO", raw=True)
    one.wait_screen("ONE")
    two.wait_screen("TWO")
    assert ["ONE" in line for line in rig.control.capture(one.record) if line][:1] == [True]
    assert "TWO" in "\n".join(rig.control.capture(two.record, lines=5))
    assert "TWO" not in "\n".join(rig.control.capture(one.record))


@pytest.mark.case("E10")
def test_E10_a_session_name_that_is_too_long_is_said_at_once(zellij: Zellij, tmp_path: Path):
    deep = replace(zellij, sockets=zellij.sockets / ("d" * 30))
    rig = ZellijRig(tmp_path / "rig", deep, session="s" * 40)
    profile = rig.profile(("sleep", "300"))
    begun = time.monotonic()
    found = failed(lambda: rig.starter().spawn(profile, PERSON))
    assert time.monotonic() - begun < START_SECONDS, "it waited for the session to start"
    assert found.exit_code == 1
    assert "107 are possible" in found.error
    assert rig.zellij.servers() == []
    assert rig.control.store.ids() == ()


@pytest.mark.case("E11")
def test_E11_after_the_end_of_the_server_each_launch_can_be_started_again(rig: ZellijRig):
    agents = [rig.start(raw=True) for _ in range(2)]
    rig.kill_server()
    assert [agent.state() for agent in agents] == ["exited", "exited"]
    again = [rig.starter().respawn(agent.record, PERSON).record for agent in agents]
    assert [rig.control.verify(record).verdict.state for record in again] == ["running", "running"]
    assert [record.labels["respawned_from"] for record in again] == [it.id for it in agents]


@pytest.mark.case("E11")
def test_E11_the_page_warns_of_it():
    text = PAGE.read_text(encoding="utf-8")
    assert "respawn" in text
    assert "attach" in text


@pytest.mark.case("E12")
def test_E12_closing_one_pane_leaves_the_others_and_their_session(rig: ZellijRig):
    agent, other = rig.start(raw=True), rig.start(raw=True)
    rig.control.close(agent.record, PERSON)
    assert agent.gone()
    assert rig.panes() == [other.pane]
    other.send("still here")
    other.journal.wait_typed(pasted("still here"))


@pytest.mark.case("E12")
def test_E12_the_last_pane_takes_its_own_session_along_and_no_other(rig: ZellijRig, tmp_path: Path):
    agent = rig.start(raw=True)
    elsewhere = ZellijRig(tmp_path / "elsewhere", rig.zellij, session="agents-2")
    other = elsewhere.start(raw=True)
    rig.control.close(agent.record, PERSON)
    assert [it.cmdline()[2].rpartition("/")[2] for it in rig.zellij.servers()] == ["agents-2"]
    assert other.state() == "running"
    assert rig.start(raw=True).state() == "running"


@pytest.mark.case("C8")
def test_a_launch_is_found_whatever_directory_of_sockets_its_caller_has(
    rig: ZellijRig, tmp_path: Path
):
    """The record knows where its session is; else one that lives on would be said to be gone."""
    agent = rig.start(raw=True)
    elsewhere = {**rig.environ, "ZELLIJ_SOCKET_DIR": str(tmp_path / "elsewhere")}
    control = replace(rig.control, backends=BackendFactory(rig.control.processes, elsewhere))
    assert control.verify(agent.record).verdict.state == "running"
    agent.send("from anywhere", control)
    agent.journal.wait_typed(pasted("from anywhere"))
    shown = pane_shape(agent.record.pane)
    assert shown is not None
    assert shown["socket"] is None


def test_a_suppressed_launch_is_closed_by_the_word_of_its_process(rig: ZellijRig):
    """Zellij ends the program, and lists its pane for as long as another stands in its place."""
    agent, other = rig.start(raw=True), rig.start(raw=True)
    agent.scroll()
    assert rig.control.close(agent.record, PERSON) == ""
    assert agent.gone()
    assert rig.audit()[-1]["outcome"] == "ok"
    assert agent.state() == "exited"
    assert other.state() == "running"


@pytest.mark.case("B3", "B10")
def test_an_old_composer_that_a_dialog_was_scrolled_away_from_takes_nothing(rig: ZellijRig):
    """What is scrolled to is read, and the cursor tells: it stays where the program has it."""
    rule = "─" * 60
    old = f"{rule}\n❯ \n{rule}\n  ? for shortcuts\n"
    dialog = "Do you want to proceed?\n❯ 1. Yes\n  2. No\nEsc to cancel"
    shown = (old + "\n" * 120 + dialog).replace("\n", "\r\n")
    log = rig.log()
    command = (*RAW, "--log", str(log), "--show", shown)
    agent = rig.spawn(rig.profile(command, harness="scripted", attach="never"), log)
    agent.wait_screen("Esc to cancel")
    control = rig.later(60)
    agent.refused("dialog", control=control)
    rig.command("scroll-to-top", "--pane-id", agent.pane)
    wait_for(lambda: "shortcuts" in agent.screen(), what="the old composer")
    agent.refused("unknown", control=control)
    assert agent.journal.typed() == b""


@pytest.mark.requirement("A65")
def test_an_agent_is_inside_also_in_a_zellij_that_it_started_itself(rig: ZellijRig, tmp_path: Path):
    """Its server is nobody's child; what that was started with tells."""
    other = rig.start(raw=True)
    tongs = Path(sys.executable).with_name("tongs-agents")
    direct, nested, script = (tmp_path / name for name in ("direct", "nested", "script"))
    script.write_text(f'{tongs} close {other.id} --json >"$1.out" 2>&1; mv "$1.out" "$1"\n')
    zellij = rig.zellij.program
    agent = rig.shell(
        f"sh {script} {direct}; unset ZELLIJ ZELLIJ_SESSION_NAME; "
        f"{zellij} attach --create-background inner; "
        f"until {zellij} --session inner action new-pane -- sh {script} {nested}; do :; done; "
        "sleep 500"
    )
    for out in (direct, nested):
        wait_for(out.exists, deadline=30, what=f"an answer in {out}")
        assert json.loads(out.read_text(encoding="utf-8"))["reason"] == "inside-agent"
    assert (agent.state(), other.state()) == ("running", "running")


@pytest.mark.requirement("A84", "A88")
def test_a_session_that_was_started_inside_tmux_is_the_inner_one(
    rig: ZellijRig, monkeypatch: pytest.MonkeyPatch
):
    """It leaves the variables of both in its panes; the launcher's parent tells."""
    monkeypatch.setenv("TMUX", "/tmp/tmux-0/default,4242,0")
    monkeypatch.setenv("TMUX_PANE", "%7")
    rig.zellij.run("attach", "--create-background", rig.session)
    wait_for(lambda: rig.zellij.server(rig.session).children(), what="its shell")
    agent = rig.start(raw=True)
    environ = agent.journal.facts("start")[0]["environ"]
    assert (environ["TMUX_PANE"], "terminal_" + environ["ZELLIJ_PANE_ID"]) == ("%7", agent.pane)
    assert agent.record.claim is not None
    assert agent.record.claim.server.pid == rig.server_pid()
    assert agent.state() == "running"
    agent.send("hello")
    agent.journal.wait_typed(pasted("hello"))
