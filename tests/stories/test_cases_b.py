"""Cases B of the field: drafts, dialogs, panes that a person reads or types in."""

# ruff: noqa: N802 - a test is named after its case

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.stories.rig import END, ENTER, QUICK, START, Agent, Rig, failed, pasted
from tongs_agents.launches import reader_of

TOOL = '[[tool:Bash {"command": "rm -rf build"}]]'
MODES = {"copy-mode": "copy-mode", "tree": "choose-tree", "clock": "clock-mode"}


def partial(agent: Agent, reason: str, gap: object, text: str = "held") -> None:
    """A send in whose last pause ``gap`` happens: pasted, Enter not pressed, and said so."""
    assert callable(gap)
    control = agent.rig.during(gap=gap)
    found = failed(agent.send, text, replace(control, pauses=replace(QUICK, echo=0.2)))
    assert (found.exit_code, found.reason) == (1, reason)
    assert (found.uncertain, found.effect) == (True, "partial")
    line = agent.rig.audit()[-1]
    assert (line["outcome"], line["reason"], line["effect"]) == ("error", reason, "partial")
    assert line["act"] == agent.rig.audit()[-2]["act"]


@pytest.mark.case("B3")
def test_B3_no_key_is_pressed_while_a_dialog_is_open(rig: Rig):
    agent = rig.start(prompt=TOOL)
    agent.wait_dialog()
    with agent.untouched():
        agent.refused("dialog")
        agent.refused("dialog", TOOL)
        agent.refused("dialog", control=rig.later(3600))
    assert agent.journal.facts("approved") == agent.journal.facts("declined") == []
    agent.press("Escape")
    agent.journal.wait("declined")
    agent.wait_composer("empty")
    agent.send("go on")
    agent.journal.wait("submit", 2)


@pytest.mark.case("B3", "B5")
@pytest.mark.parametrize("harness", ["claude", "codex", "pi"])
def test_B3_a_screen_that_is_not_its_harness_own_is_never_typed_into(rig: Rig, harness: str):
    agent = rig.start("--", TOOL, harness=harness, wait=False)
    agent.wait_dialog()
    known = rig.control.sight(agent.record, reader_of(agent.record)).reading.dialog
    with agent.untouched():
        agent.refused("dialog" if known else "busy-start")
        agent.refused("dialog" if known else "unknown", control=rig.later(3600))
    assert agent.journal.facts("approved") == []


@pytest.mark.case("B3")
def test_B3_a_dialog_that_opens_between_the_looks_gets_no_paste(rig: Rig):
    agent = rig.start()

    def person() -> None:
        agent.type(TOOL)
        agent.press("Enter")
        agent.wait_dialog()

    agent.refused("dialog", control=rig.during(looks=person))
    agent.type("~")
    agent.journal.wait_typed(TOOL.encode() + ENTER + b"~")
    assert agent.journal.facts("approved") == []


@pytest.mark.case("B3")
def test_B3_a_dialog_that_opens_after_the_paste_gets_no_enter(rig: Rig):
    agent = rig.surprising()
    partial(agent, "dialog", agent.wait_dialog)
    agent.type("~")
    agent.journal.wait_typed(START + b"held" + END + b"~")
    assert agent.journal.facts("approved") == []


@pytest.mark.case("B10")
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES.keys())
@pytest.mark.parametrize("raw", [True, False], ids=["raw", "scripted"])
def test_B10_a_pane_in_which_a_person_reads_gets_nothing(rig: Rig, mode: str, raw: bool):
    agent = rig.start(raw=raw)
    with agent.untouched():
        rig.tmux(mode, "-t", agent.pane)
        agent.refused("copy-mode", "a\nb")
        rig.leave_mode(agent.pane)
    typed = agent.journal.typed()
    if not raw:
        agent.press("BSpace")
        agent.wait_composer("empty")
        typed += b"\x7f"
    agent.send("a\nb")
    agent.journal.wait_typed(typed + pasted("a\nb"))


@pytest.mark.case("B10")
@pytest.mark.parametrize("raw", [True, False], ids=["raw", "scripted"])
def test_B10_a_mode_entered_at_any_moment_holds_what_is_left(rig: Rig, raw: bool):
    agent = rig.start(raw=raw)

    def read() -> None:
        rig.tmux("copy-mode", "-t", agent.pane)

    with agent.untouched():
        agent.refused("copy-mode", control=rig.during(looks=read))
        rig.leave_mode(agent.pane)
    before = agent.journal.typed()
    if not raw:
        agent.press("BSpace")
        agent.wait_composer("empty")
        before += b"\x7f"
    partial(agent, "copy-mode", read)
    rig.leave_mode(agent.pane)
    agent.journal.wait_typed(before + START + b"held" + END)
    assert agent.journal.submitted() == []


@pytest.mark.case("B1", "B11")
@pytest.mark.parametrize("keys", ["merge PR 10 only af", " ", "x"])
def test_B11_a_draft_is_left_alone(rig: Rig, keys: str):
    agent = rig.start()
    agent.type(keys)
    agent.wait_composer("draft")
    with agent.untouched():
        agent.refused("draft")
        agent.refused("draft", keys.strip() or "x")
    assert agent.journal.typed() == f"{keys}~".encode()


@pytest.mark.case("B11")
@pytest.mark.parametrize("busy", [False, True])
def test_B11_a_key_typed_between_the_looks_holds_the_paste(rig: Rig, busy: bool):
    agent = rig.start(*(["--", "[[slow:600:x]]"] if busy else []))
    agent.wait_composer("empty")

    def person() -> None:
        agent.type("x")
        agent.wait_screen("❯ x")

    agent.refused("draft", control=rig.during(looks=person))
    agent.type("~")
    agent.journal.wait_typed(b"x~")


@pytest.mark.case("B11")
def test_B11_a_key_typed_after_the_paste_holds_enter(rig: Rig):
    agent = rig.start()

    def person() -> None:
        agent.type("y")
        agent.wait_screen("heldy")

    partial(agent, "draft", person)
    agent.type("~")
    agent.journal.wait_typed(START + b"held" + END + b"y~")
    assert agent.journal.submitted() == []


@pytest.mark.case("B12")
@pytest.mark.parametrize("raw", [True, False], ids=["raw", "scripted"])
def test_B12_nothing_is_typed_into_synchronized_panes(rig: Rig, raw: bool):
    agent = rig.start(raw=raw)
    _, other = rig.stranger("split-window", "-d", "-t", agent.pane)
    agent.set("synchronize-panes", "on")
    with agent.untouched():
        agent.refused("synchronized")
        agent.set("synchronize-panes", "off")
        agent.refused(
            "synchronized",
            control=rig.during(looks=lambda: agent.set("synchronize-panes", "on")),
        )
        agent.set("synchronize-panes", "off")
    before = agent.journal.typed()
    if not raw:
        agent.press("BSpace")
        agent.wait_composer("empty")
        before += b"\x7f"
    partial(agent, "synchronized", lambda: agent.set("synchronize-panes", "on"))
    agent.journal.wait_typed(before + START + b"held" + END)
    assert other.typed() == b""


@pytest.mark.case("B2", "B11")
def test_B2_a_hint_that_changes_by_itself_is_nobodys_draft(rig: Rig):
    agent = rig.start("--", "[[slow:600:x]]")
    agent.wait_composer("empty")
    agent.send("queued")
    agent.wait_screen("edit queued messages")

    def person() -> None:
        agent.press("Escape")
        agent.wait_screen("Ask the scripted agent")

    agent.send("sent", rig.at("paste", person))
    agent.journal.wait_typed(pasted("queued") + b"\x1b" + pasted("sent"))
