"""What is refused, for which reason, without one byte typed; and what is left of a half send."""

from __future__ import annotations

import os
import signal
import stat
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import pytest

from tests.stories.both import ON_BOTH, on_both
from tests.stories.rig import (
    END,
    ENTER,
    PERSON,
    QUICK,
    RAW,
    START,
    UNTYPED,
    Agent,
    Journal,
    Rig,
    failed,
    pasted,
)
from tests.waiting import wait_for
from tongs_agents import launcher
from tongs_agents.launches import may_forget, reader_of
from tongs_agents.parcel import Parcel, leave, parcel_path
from tongs_mux.text import sha256

# -- the screen


@ON_BOTH
def test_a_composer_that_is_not_seen_is_not_known_to_be_empty(rig: Rig):
    agent = rig.start("--hidden-composer", wait=False)
    agent.journal.wait("ready")
    with agent.untouched():
        agent.refused("busy-start")
        agent.refused("unknown", control=rig.later(20))


@pytest.mark.case("A18")
@ON_BOTH
def test_an_editor_in_normal_mode_is_somebodys_draft(rig: Rig):
    agent = rig.start("--vim-normal", wait=False)
    agent.wait_composer("draft")
    with agent.untouched():
        agent.refused("draft")


def test_a_busy_agent_with_an_empty_composer_takes_a_send(rig: Rig):
    agent = rig.start("--", "[[slow:600:x]]")
    agent.wait_screen("esc to interrupt")
    agent.send("next")
    agent.journal.wait("submit", 2)
    agent.send("and next")
    agent.journal.wait_typed(pasted("next") + pasted("and next"))


# -- the pane and what runs in it


def _end(agent: Agent) -> None:
    agent.press("C-d")
    wait_for(agent.gone, what="the end of the agent")


def _dead(agent: Agent) -> None:
    agent.set("remain-on-exit", "on")
    agent.press("C-d")
    agent.wait_dead()


def _respawned(agent: Agent) -> None:
    agent.rig.tmux("respawn-pane", "-k", "-t", agent.pane, *RAW, "--log", "/dev/null")
    agent.wait_screen("RAW")


def _killed(agent: Agent) -> None:
    agent.kill_pane()
    wait_for(agent.gone, what="the end of the agent")


class Ending(NamedTuple):
    test_id: str
    act: Callable[[Agent], None]
    reason: str


ENDINGS = (
    Ending("it has ended", _end, "exited"),
    Ending("its pane is dead", _dead, "exited"),
    Ending("its pane was respawned", _respawned, "replaced"),
    Ending("its pane was closed", _killed, "exited"),
)


@on_both(
    "ending", {it.test_id: it for it in ENDINGS}, zellij=("it has ended", "its pane was closed")
)
def test_a_launch_that_is_no_more_gets_nothing_and_neither_does_its_heir(rig: Rig, ending: Ending):
    other, agent = rig.start(raw=True), rig.start()
    ending.act(agent)
    typed = agent.journal.typed()
    found = agent.refused(ending.reason)
    assert any(check.passed is False for check in found.checks)
    assert agent.state() == ending.reason
    with other.untouched():
        assert other.state() == "running"
    assert agent.journal.typed() == typed


@pytest.mark.case("C1")
@ON_BOTH
def test_the_pane_with_the_same_id_of_a_restarted_server_gets_nothing(rig: Rig):
    agent = rig.start()
    rig.kill_server()
    wait_for(agent.gone, what="the end of the agent")
    heir = rig.start(raw=True)
    assert heir.pane == agent.pane
    with heir.untouched():
        agent.refused("replaced")


def _labelled(rig: Rig, agent: Agent) -> tuple[str, Journal]:
    """A stranger's pane that says of itself, in every way, that it is the agent's."""
    name = rig.tmux("display-message", "-p", "-t", agent.pane, "#{window_name}").strip()
    env = ["-e", f"TONGS_AGENTS_LAUNCH_ID={agent.id}", "-e", f"TONGS_AGENTS_LAUNCH_PID={agent.pid}"]
    pane, journal = rig.stranger(
        "new-window", "-d", "-t", f"={rig.session}:", "-n", name, *env,
        options=("--show", "\x1b]2;✳ scripted\x07❯ "),
    )  # fmt: skip
    for option in ("@tongs_claim", "@tongs_agents_launch_id", "@launch"):
        rig.tmux("set-option", "-p", "-t", pane, option, agent.id)
    return pane, journal


def test_a_stranger_that_carries_our_labels_gets_nothing(rig: Rig):
    agent = rig.start()
    pane, stranger = _labelled(rig, agent)
    agent.send("hello")
    agent.journal.wait_typed(pasted("hello"))
    _end(agent)
    agent.refused("exited")
    assert agent.record.pane is not None
    forged = replace(agent.record, pane=replace(agent.record.pane, pane_id=pane))
    Agent(rig, forged, stranger).refused("replaced")
    rig.tmux("send-keys", "-t", pane, "~")
    stranger.wait_typed(b"~")


def by_hand(rig: Rig, launch_id: str, *where: str) -> tuple[int, Journal]:
    """The launcher, run by hand in a stranger's pane; its exit code, and RAW's after it."""
    code, journal = rig.log(), Journal(rig.log())
    words = f"{sys.executable} -I -m {launcher.MODULE} {rig.places.state_dir} {launch_id}"
    raw = " ".join([*RAW, "--log", str(journal.path)])
    script = f"{words}; echo $? >{code}.part; mv {code}.part {code}; exec {raw}"
    rig.tmux(*where, "-e", f"TONGS_AGENTS_LAUNCH_ID={launch_id}", "--", "sh", "-c", script)
    wait_for(code.exists, what="the launcher's end")
    journal.wait("ready")
    return int(code.read_text(encoding="utf-8")), journal


def audited_claim(rig: Rig, launch_id: str) -> None:
    line = rig.audit()[-1]
    assert line["actor"].startswith("launcher:")
    expected = {"phase": "outcome", "action": "claim", "target": launch_id}
    expected |= {"outcome": "refused", "reason": "replaced"}
    assert {name: line.get(name) for name in expected} == expected
    assert line["exit_code"] == 5


def test_a_claim_by_hand_of_a_running_launch_is_refused_and_audited(rig: Rig):
    agent = rig.start()
    code, stranger = by_hand(rig, agent.id, "new-window", "-d", "-t", f"={rig.session}:")
    assert code == 5
    audited_claim(rig, agent.id)
    assert rig.control.store.read(agent.id) == agent.record
    agent.send("hello")
    agent.journal.wait_typed(pasted("hello"))
    assert stranger.typed() == b""


def test_a_claim_by_hand_of_a_launch_that_waits_for_its_own_is_refused_and_audited(rig: Rig):
    waiting = rig.pending()
    record = waiting.record
    leave(parcel_path(rig.places.runtime_dir, waiting.id), Parcel(("true",), {}, {}))
    for where in (("new-window", "-d", "-t", f"={rig.session}:"), ("split-window", "-d")):
        code, stranger = by_hand(rig, waiting.id, *where)
        assert code == 5
        audited_claim(rig, waiting.id)
        waiting.refused("pending")
        assert stranger.typed() == b""
    rig.tmux("respawn-pane", "-k", "-t", waiting.pane, "sleep", "1000")
    code, _ = by_hand(rig, waiting.id, "respawn-pane", "-k", "-t", waiting.pane)
    assert code == 5
    audited_claim(rig, waiting.id)
    assert rig.control.store.read(waiting.id) == record


@ON_BOTH
def test_a_launch_that_nobody_claimed_yet_is_pending_and_later_was_never_claimed(rig: Rig):
    waiting = rig.pending()
    waiting.refused("pending")
    waiting.refused("not-claimed", control=rig.later(61))
    assert not may_forget(rig.control.verify(waiting.record), rig.control)
    assert may_forget(rig.control.verify(waiting.record), rig.later(61))
    for act in ("focus", "close"):
        found = failed(getattr(rig.control, act), waiting.record, PERSON)
        assert (found.exit_code, found.reason) == (5, "pending")
    assert waiting.pane in rig.panes()


# -- a server that does not answer


@pytest.mark.case("C1")
@ON_BOTH
def test_a_record_whose_pane_was_changed_leads_into_no_other_pane(rig: Rig):
    """The claim says which pane it is; a record that says another one is believed in neither."""
    agent, other = rig.start(raw=True), rig.start(raw=True)
    assert agent.record.pane is not None
    record = replace(agent.record, pane=replace(agent.record.pane, pane_id=other.pane))
    with agent.untouched(), other.untouched():
        found = failed(lambda: rig.control.send(record, "astray", reader_of(record), PERSON))
        assert (found.exit_code, found.reason) == (5, "replaced")
        assert failed(lambda: rig.control.close(record, PERSON)).exit_code == 5
    assert other.state() == "running"


@pytest.mark.case("D8")
@ON_BOTH
def test_a_silent_server_is_unknown_within_its_deadline_and_nothing_more(rig: Rig):
    agent = rig.start()
    control = rig.hasty(rig.hangs)
    with agent.untouched(), rig.silent():
        start = time.monotonic()
        found = agent.refused("unknown", control=control)
        assert time.monotonic() - start < 10 * rig.hangs
        assert (rig.socket or "zellij") in found.error
        for act in ("focus", "close"):
            assert failed(getattr(control, act), agent.record, PERSON).exit_code == 5
        [seen] = control.list([agent.record])
        assert (seen.verdict.state, may_forget(seen, control)) == ("unknown", False)
    agent.wait_composer("draft")
    assert agent.state() == "running"


@pytest.mark.case("D8")
@pytest.mark.parametrize("act", ["focus", "close"])
def test_an_act_whose_answer_never_comes_is_uncertain_and_not_refused(rig: Rig, act: str):
    agent = rig.start()
    stop = rig.stops()
    control = rig.at(act, stop.now, rig.hangs)
    try:
        found = failed(getattr(control, act), agent.record, PERSON)
    finally:
        stop.over()
    assert (found.exit_code, found.outcome, found.effect) == (1, "error", "unknown")
    begin, outcome = rig.audit()[-2:]
    assert (begin["phase"], begin["act"]) == ("begin", outcome["act"])
    assert (outcome["outcome"], outcome["effect"]) == ("error", "unknown")


@pytest.mark.case("D8")
@on_both("moment", {"paste": "paste", "enter": "enter"}, zellij=("enter",))
def test_a_send_whose_answer_never_comes_is_uncertain(rig: Rig, moment: str):
    agent = rig.start()
    stop = rig.stops()
    try:
        found = failed(agent.send, "lost", rig.at(moment, stop.now, rig.hangs))
    finally:
        stop.over()
    expected = "unknown" if moment == "paste" else "partial"
    assert (found.exit_code, found.reason, found.effect) == (1, "unknown", expected)


# -- the last moment: what the server itself sees in the act


class Moment(NamedTuple):
    test_id: str
    act: Callable[[Agent], object]
    reason: str
    keys: bytes = b""
    """What the person typed, if the agent is still there."""


def _types(agent: Agent) -> None:
    agent.type("x")
    wait_for(lambda: agent.journal.typed().endswith(b"x"), what="the key")
    wait_for(lambda: agent.screen().count("x") > 0, what="the key on the screen")


def _asks(agent: Agent) -> None:
    agent.type("[[tool:Bash]]")
    agent.press("Enter")
    agent.wait_dialog()


MOMENTS = (
    Moment("copy mode", lambda agent: agent.scroll(), "copy-mode"),
    Moment("synchronized", lambda agent: agent.synchronize(), "synchronized"),
    Moment("a key", _types, "draft", b"x"),
    Moment("a dialog", _asks, "dialog", b"[[tool:Bash]]\r"),
    Moment("dead", _dead, "exited"),
    Moment("respawned", _respawned, "replaced"),
    Moment("closed", _killed, "exited"),
)
NAMED = {it.test_id: it for it in MOMENTS}


@pytest.mark.case("B3", "B10", "B11", "B12", "C12")
@on_both("moment", NAMED, zellij=("copy mode", "synchronized", "a dialog", "closed"))
def test_what_happens_between_look_and_paste_holds_the_paste(rig: Rig, moment: Moment):
    other, agent = rig.start(raw=True), rig.start()
    late = rig.at("paste", lambda: moment.act(agent))
    agent.refused(moment.reason, control=late)
    with other.untouched():
        assert agent.journal.facts("approved") == agent.journal.facts("paste") == []
    assert agent.journal.typed().removesuffix(b"\x04") == moment.keys


@pytest.mark.case("B3", "B10", "B11", "B12", "C12")
@on_both("moment", NAMED, zellij=("a key", "a dialog", "closed"))
def test_what_happens_between_look_and_enter_holds_enter(rig: Rig, moment: Moment):
    other, agent = rig.start(raw=True), rig.start()
    if moment.act is _dead:
        moment = moment._replace(act=_terminated)
    late = rig.at("enter", lambda: moment.act(agent))
    found = failed(agent.send, "held", late)
    assert (found.exit_code, found.reason) == (1, moment.reason)
    assert (found.uncertain, found.effect) == (True, "partial")
    with other.untouched():
        assert agent.journal.facts("approved") == []
    assert agent.journal.typed() == START + b"held" + END + moment.keys


def _terminated(agent: Agent) -> None:
    agent.set("remain-on-exit", "on")
    os.kill(agent.pid, signal.SIGTERM)
    agent.wait_dead()


@pytest.mark.parametrize("act", ["focus", "close"])
def test_a_pane_that_is_replaced_at_the_last_moment_is_left_alone(rig: Rig, act: str):
    other, agent = rig.start(raw=True), rig.start()
    late = rig.at(act, lambda: _respawned(agent))
    found = failed(getattr(late, act), agent.record, PERSON)
    assert (found.exit_code, found.reason) == (5, "replaced")
    assert agent.pane in rig.panes()
    assert other.state() == "running"


# -- what is left of a send that came half way


def _half_sent(rig: Rig, text: str) -> Agent:
    """A dialog opened between paste and Enter; the person has said no, the text is still there."""
    agent = rig.surprising()
    found = failed(agent.send, text, rig.during(gap=agent.wait_dialog))
    assert (found.exit_code, found.reason) == (1, "dialog")
    assert (found.outcome, found.uncertain, found.effect) == ("error", True, "partial")
    assert agent.journal.facts("approved") == []
    agent.press("2")
    agent.journal.wait("turn-end", 2)
    agent.wait_composer("draft")
    return agent


LONG = "\n".join(["0123456789"] * 30)


@pytest.mark.case("A3", "B3")
@on_both("text", {"short": "short", "two": "two\nlines", "stand-in": LONG}, zellij=("two",))
def test_a_leftover_is_known_as_ours_and_the_same_text_submits_it(rig: Rig, text: str):
    agent = _half_sent(rig, text)
    found = agent.refused("draft", "another text")
    assert [check.name for check in found.checks][-1] == "leftover"
    assert sha256(text.encode()) in found.checks[-1].seen
    assert "ours" in found.error
    receipt = agent.send(text)
    agent.journal.wait("submit", 2)
    assert agent.journal.submitted() == [text.encode()]
    assert agent.journal.typed() == START + text.encode() + END + b"2" + ENTER
    assert "leftover" in [fact.check for fact in receipt.evidence]
    agent.wait_composer("empty")


@pytest.mark.case("A3")
@ON_BOTH
def test_a_leftover_that_a_person_went_on_with_is_theirs(rig: Rig):
    agent = _half_sent(rig, "short")
    agent.type(" and more")
    agent.wait_screen("short and more")
    with agent.untouched():
        found = agent.refused("draft", "short")
        assert "leftover" not in [check.name for check in found.checks]


@pytest.mark.case("A3", "A7")
def test_a_stand_in_of_another_size_is_not_our_leftover(rig: Rig):
    agent = _half_sent(rig, LONG)
    agent.press("BSpace")
    agent.wait_composer("empty")
    rig.tmux("set-buffer", "-b", "person", "\n".join(["theirs"] * 15))
    rig.tmux("paste-buffer", "-p", "-r", "-b", "person", "-t", agent.pane)
    agent.wait_dialog()
    agent.press("2")
    agent.wait_screen("[Pasted text #2 +14 lines]")
    with agent.untouched():
        found = agent.refused("draft", LONG)
        assert "leftover" not in [check.name for check in found.checks]


@pytest.mark.case("A3")
def test_a_leftover_that_a_person_took_away_is_pasted_anew(rig: Rig):
    agent = _half_sent(rig, "short")
    agent.press(*["BSpace"] * 5)
    agent.wait_composer("empty")
    found = failed(agent.send, "short", rig.during(gap=agent.wait_dialog))
    assert (found.reason, found.effect) == ("dialog", "partial")
    assert len(agent.journal.facts("paste")) == 2


def test_a_refused_send_leaves_no_leftover(rig: Rig):
    agent = rig.start()
    agent.refused("draft", "mine", rig.during(looks=lambda: _person(agent, "mine")))
    found = agent.refused("draft", "mine")
    assert "leftover" not in [check.name for check in found.checks]


def _person(agent: Agent, text: str) -> None:
    agent.type(text)
    agent.wait_screen(text)


# -- what is not refused


@pytest.mark.case("C6")
@ON_BOTH
def test_a_pane_that_was_moved_swapped_broken_out_or_renamed_is_still_the_agents(rig: Rig):
    agent, other = rig.start(), rig.start()
    expected = b""
    for number, words in enumerate(rig.moves(agent, other)):
        rig.command(*words)
        agent.wait_composer("empty")
        agent.send(f"after {number}")
        expected += pasted(f"after {number}")
        agent.journal.wait_typed(expected)
        agent.journal.wait("turn-end", number + 1)
    assert other.journal.typed() == b""


@ON_BOTH
def test_sends_at_once_go_one_after_the_other(rig: Rig):
    raw = rig.start(raw=True)
    slow = replace(QUICK, before_enter=0.05)
    texts = [f"text {number}" for number in range(4)]
    threads = [
        threading.Thread(target=raw.send, args=(text, replace(rig.controller(), pauses=slow)))
        for text in texts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    raw.journal.wait("submit", len(texts))
    order = [text.decode() for text in raw.journal.submitted()]
    assert sorted(order) == texts
    assert raw.journal.typed() == b"".join(map(pasted, order))


@pytest.mark.parametrize("text", ["a\nb", "a\n\nb"])
def test_lines_to_a_program_that_takes_one_are_unsupported(rig: Rig, text: str):
    log = rig.log()
    raw = rig.spawn(rig.profile((*RAW, "--log", str(log))), log)
    raw.journal.wait("ready")
    with raw.untouched():
        found = failed(raw.send, text)
    assert (found.exit_code, found.reason) == (6, "unsupported")
    raw.send("one line\n")
    raw.journal.wait_typed(b"~" + pasted("one line"))


# -- the audit


@pytest.mark.requirement("A97")
@pytest.mark.parametrize("mask", [0o000, 0o077])
def test_each_send_and_each_refusal_has_its_line_without_the_text(rig: Rig, mask: int):
    before = os.umask(mask)
    try:
        agent = rig.start()
        agent.send(UNTYPED + "\n")
        agent.journal.wait("turn-end")
        agent.type("draft")
        agent.wait_composer("draft")
        agent.refused("draft")
        failed(agent.send, UNTYPED + "\x1b")
    finally:
        os.umask(before)
    begin, sent, refused, bad = rig.audit()[2:]
    digest = sha256(UNTYPED.encode())
    about = {"action": "send", "actor": "cli", "target": agent.id, "sha256": digest}
    for line in (begin, sent, refused):
        assert {name: line[name] for name in about} == about
        assert (line["bytes"], line["pane"]["pane_id"]) == (len(UNTYPED), agent.pane)
    assert (begin["phase"], sent["phase"], refused["phase"]) == ("begin", "outcome", "outcome")
    assert begin["act"] == sent["act"]
    assert (sent["outcome"], sent["exit_code"], sent["receipt"]) == ("ok", 0, "pasted")
    assert sent["evidence"] == ["paste", "enter:pressed", "composer"]
    assert (bad["reason"], bad["bytes"]) == ("bad-text", len(UNTYPED) + 1)
    assert UNTYPED not in rig.audit_text()
    for place in (rig.places.state_dir, rig.places.runtime_dir):
        for path in place.rglob("*"):
            assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
            assert path.is_dir() or UNTYPED.encode() not in path.read_bytes()


def _no_audit(rig: Rig) -> None:
    """As root writes everywhere, a file stands where the directory has to be."""
    audit = rig.places.control_audit.parent
    audit.rename(audit.with_name("audit-before"))
    audit.write_text("in the way", encoding="utf-8")


@pytest.mark.requirement("A97")
@ON_BOTH
def test_what_cannot_be_audited_is_not_done(rig: Rig):
    agent = rig.start()
    panes, ids = rig.panes(), rig.control.store.ids()
    _no_audit(rig)
    acts: dict[str, Callable[[], object]] = {
        "send": lambda: agent.send(UNTYPED),
        "refusal": lambda: agent.send("\x1b"),
        "close": lambda: rig.control.close(agent.record, PERSON),
        "focus": lambda: rig.control.focus(agent.record, PERSON),
        "spawn": rig.start,
    }
    with agent.untouched():
        for name, act in acts.items():
            found = failed(act)
            assert (name, found.exit_code, found.reason) == (name, 1, "audit")
            assert not found.uncertain
    assert (rig.panes(), rig.control.store.ids(), agent.state()) == (panes, ids, "running")
    assert list((rig.places.runtime_dir / "parcels").iterdir()) == []


@pytest.mark.requirement("A97")
def test_an_outcome_that_cannot_be_audited_is_uncertain(rig: Rig):
    agent = rig.start()
    found = failed(agent.send, "hello", rig.during(gap=lambda: _no_audit(rig)))
    assert (found.exit_code, found.reason) == (1, "audit")
    assert (found.uncertain, found.effect) == (True, "unknown")
    agent.journal.wait_typed(pasted("hello"))


@pytest.mark.requirement("A97")
def test_the_begin_line_is_there_before_the_first_byte(rig: Rig):
    agent = rig.start()
    seen: list[tuple[str, bytes]] = []

    def look() -> None:
        seen.append((rig.audit()[-1]["phase"], agent.journal.typed()))

    agent.send("hello", rig.at("paste", look))
    assert seen == [("begin", b"")]
