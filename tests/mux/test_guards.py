"""The guards as pure decisions: what each sees, in which order, and what it is called."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest

from tongs_mux.guards import (
    SHELLS,
    Foreground,
    describe,
    first_refusal,
    foreground_check,
    is_shell,
    is_still,
    pane_checks,
    reading_checks,
    room_check,
    wrapped,
)
from tongs_mux.model import Check, PaneFacts, PaneRef, ProcessFacts
from tongs_mux.process import ancestors
from tongs_mux.reader import Reading
from tongs_mux.testing import FakeProcesses

PANE = PaneFacts("%0", 10, "one", "@0", False, "", False, "agent", "", 80, 24)
AGENT = ProcessFacts(10, 1, "boot:1", "agent", group=10, foreground_group=10)
CHILD = ProcessFacts(11, 10, "boot:2", "node", group=10, foreground_group=10)
EDITOR = ProcessFacts(12, 10, "boot:3", "vi", group=12, foreground_group=12)
BASH = replace(EDITOR, name="bash")


def seen(claimed: ProcessFacts | None, leader: ProcessFacts | None, under: bool = False):
    return Foreground(claimed, leader, under)


# -- mode and synchronization


def test_a_pane_that_is_only_a_pane_passes():
    assert [(check.name, check.passed) for check in pane_checks(PANE)] == [
        ("copy-mode", True),
        ("synchronized", True),
        ("input", True),
    ]


@pytest.mark.case("B10")
@pytest.mark.parametrize("mode", ["copy-mode", "view-mode", "tree-mode", "clock-mode"])
def test_any_mode_is_refused_and_named(mode: str):
    check = pane_checks(replace(PANE, mode=mode))[0]
    assert (check.passed, check.seen) == (False, mode)


@pytest.mark.case("B12")
def test_synchronized_panes_are_refused():
    check = pane_checks(replace(PANE, synchronized=True))[1]
    assert (check.name, check.passed) == ("synchronized", False)


def test_a_pane_that_takes_no_keys_is_refused_and_the_sentence_says_so():
    checks = pane_checks(replace(PANE, input_off=True))
    assert [(check.name, check.passed) for check in checks][-1] == ("input", False)
    assert first_refusal(checks, young=True) == "unknown"
    pane = PaneRef("tmux", "s", "%3", "/a b/s")
    sentence, hint = describe("unknown", pane=pane, checks=checks)
    assert "input is turned off" in sentence
    assert "`tmux -S '/a b/s' select-pane -e -t %3`" in hint
    assert "composer" in describe("unknown", pane=pane, checks=checks[:2])[0]


def test_the_refusal_names_the_check_that_failed_and_not_one_that_passed():
    checks = (Check("composer", True, "seen"), Check("echo", False, "not our text alone"))
    assert first_refusal(checks, young=False) == "unknown"
    sentence, hint = describe("unknown", checks=checks)
    assert "does not show our text" in sentence
    assert "--unseen" not in hint


@pytest.mark.parametrize(
    ("text", "size", "fits"),
    [
        ("short", (25, 3), True),
        ("two lines\nof it", (25, 4), False),
        ("two lines\nof it", (25, 5), True),
        ("x" * 60, (25, 5), False),
        ("項" * 22, (25, 5), False),
        ("x" * 60, (25, 6), True),
        ("x" * 30_000, (80, 24), True),
    ],
)
def test_a_pane_in_which_the_text_could_not_be_seen_has_no_room(
    text: str, size: tuple[int, int], fits: bool
):
    check = room_check(replace(PANE, width=size[0], height=size[1]), text)
    assert (check.name, check.passed) == ("room", fits)
    assert first_refusal((check,), young=True) == ("" if fits else "unknown")
    assert "too small" in describe("unknown", checks=(replace(check, passed=False),))[0]


# -- who reads the keys


class Keys(NamedTuple):
    test_id: str
    foreground: Foreground
    wrapper: bool
    name: str
    passed: bool | None
    command: str = "agent"


KEYS = [
    Keys("the claimed process", seen(AGENT, AGENT), False, "shell", True),
    Keys("another of its group", seen(AGENT, CHILD), False, "shell", True),
    Keys(
        "an editor of its own group", seen(AGENT, replace(EDITOR, group=10)), False, "shell", True
    ),
    Keys("another group's program", seen(AGENT, EDITOR), False, "foreground", False),
    Keys("a shell", seen(AGENT, BASH), False, "shell", False),
    Keys("a shell of its own group", seen(AGENT, replace(BASH, group=10)), False, "shell", False),
    Keys("a login shell", seen(AGENT, replace(BASH, name="-zsh")), False, "shell", False),
    Keys("the claimed process is a shell", seen(BASH, BASH), False, "shell", False),
    Keys("a wrapper's program", seen(BASH, EDITOR, under=True), True, "shell", True),
    Keys("an undeclared wrapper", seen(AGENT, EDITOR, under=True), False, "foreground", False),
    Keys("a wrapper without its program", seen(AGENT, BASH), True, "shell", False),
    Keys("a wrapper with a stranger in front", seen(AGENT, EDITOR), True, "foreground", False),
    Keys("not told", seen(AGENT, None), False, "shell", True),
    Keys("not told, the pane says a shell", seen(AGENT, None), False, "shell", None, "bash"),
    Keys("not told, the pane says a login shell", seen(None, None), True, "shell", None, "-fish"),
]


@pytest.mark.case("D3", "D6")
@pytest.mark.parametrize("keys", KEYS, ids=lambda keys: keys.test_id)
def test_who_reads_the_keys(keys: Keys):
    pane = replace(PANE, command=keys.command)
    check = foreground_check(pane, keys.foreground, wrapper=keys.wrapper)
    assert (check.name, check.passed) == (keys.name, keys.passed)


@pytest.mark.parametrize("name", [*sorted(SHELLS), "-bash", "--zsh"])
def test_shells(name: str):
    assert is_shell(name)


@pytest.mark.parametrize("name", ["", "-", "claude", "node", "bashful", "sh.py", "python3"])
def test_programs_that_are_no_shells(name: str):
    assert not is_shell(name)


def _tree(front: str, *, between: bool = True) -> tuple[ProcessFacts, FakeProcesses]:
    """A wrapper (pid 10) whose terminal's foreground group has a program called ``front``."""
    system = FakeProcesses()
    system.start("wrapper", pid=10, foreground=30)
    system.start("npm", pid=20, ppid=10 if between else 1)
    system.start(front, pid=30, ppid=20, group=30)
    facts = system.facts(10)
    assert facts is not None
    return facts, system


def _wrapped(claimed: ProcessFacts, system: FakeProcesses) -> bool:
    everybody = [facts for pid in system.pids() if (facts := system.facts(pid)) is not None]
    return wrapped(claimed, everybody, lambda pid: ancestors(system, pid))


@pytest.mark.case("D3")
def test_a_program_two_levels_below_the_wrapper_is_under_it():
    assert _wrapped(*_tree("claude"))


@pytest.mark.case("D3", "D6")
def test_a_shell_below_the_wrapper_is_not():
    assert not _wrapped(*_tree("bash"))


@pytest.mark.case("D2")
def test_a_program_beside_the_wrapper_is_not():
    assert not _wrapped(*_tree("claude", between=False))


def test_a_wrapper_alone_in_front_is_not_under_itself():
    system = FakeProcesses()
    pid = system.start("wrapper")
    facts = system.facts(pid)
    assert facts is not None
    assert not _wrapped(facts, system)


@pytest.mark.case("D6")
def test_a_shell_that_waits_for_nobody_reads_the_keys_whatever_else_is_there():
    claimed, system = _tree("sleep")
    system.start("sh", pid=31, ppid=20, group=30)
    assert not _wrapped(claimed, system)
    system.start("claude", pid=32, ppid=31, group=30)
    assert _wrapped(claimed, system)


@pytest.mark.case("D6")
@pytest.mark.parametrize(
    ("argv", "seen", "still"),
    [
        ("bash -c x", "bash -c x", True),
        ("bash -c x", "bash -i", False),
        ("bash -c x", "bash", False),
        ("bash -c x", "bash -c y", False),
        ("bash -c x", "bash --settings f -c x prompt", True),
        ("wrap", "/bin/sh /usr/bin/wrap", True),
        ("/usr/bin/wrap", "/bin/sh /usr/bin/wrap prompt", True),
        ("wrap", "bash -i", False),
        ("wrap a b", "/bin/sh /usr/bin/wrap a b", True),
        ("wrap a b", "/bin/sh", False),
    ],
)
def test_a_process_is_still_what_it_was_started_as(argv: str, seen: str, still: bool):
    assert is_still(argv.split(), seen.split()) is still


def test_a_program_in_the_background_is_not():
    claimed, system = _tree("claude")
    system.set(30, group=31)
    assert not _wrapped(claimed, system)


# -- the screen


class Screens(NamedTuple):
    test_id: str
    reading: Reading
    refusal: str
    young: str


SCREENS = [
    Screens("empty", Reading(None, "empty"), "", ""),
    Screens("empty and busy", Reading(None, "empty", busy=True), "", ""),
    Screens("B1: a draft", Reading(None, "draft", "half"), "draft", "draft"),
    Screens("a stand-in for a paste", Reading(None, "draft", "[..]", True), "draft", "draft"),
    Screens("A92: not seen", Reading(None, "unseen"), "unknown", "busy-start"),
    Screens("B3: a dialog", Reading("permission", "unseen"), "dialog", "dialog"),
    Screens("a dialog over an empty composer", Reading("trust", "empty"), "dialog", "dialog"),
    Screens("a dialog over a draft", Reading("trust", "draft", "x"), "dialog", "dialog"),
]


@pytest.mark.case("B1", "B3", "B5")
@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.test_id)
def test_what_a_screen_allows(screen: Screens):
    checks = reading_checks(screen.reading)
    assert first_refusal(checks, young=False) == screen.refusal
    assert first_refusal(checks, young=True) == screen.young


def test_a_composer_that_is_not_seen_is_not_said_to_hold_anything():
    assert [check.name for check in reading_checks(Reading(None, "unseen"))] == [
        "dialog",
        "composer",
    ]


# -- what comes first


def test_the_first_check_that_did_not_pass_gives_the_reason():
    checks = [Check("a", True, ""), Check("b", None, ""), Check("c", False, "")]
    assert first_refusal(checks, young=False) == "b"
    assert first_refusal(checks[::-1], young=False) == "c"
    assert first_refusal(checks[:1], young=False) == ""
    assert first_refusal([], young=False) == ""


@pytest.mark.parametrize("passed", [False, None])
def test_a_check_that_could_not_be_made_is_never_read_as_passed(passed: bool | None):
    for name in ("copy-mode", "synchronized", "shell", "dialog", "draft", "foreground", "composer"):
        assert first_refusal([Check(name, passed, "")], young=False)


@pytest.mark.parametrize(
    "reason", ["copy-mode", "synchronized", "shell", "dialog", "draft", "busy-start", "unknown"]
)
def test_each_reason_has_a_sentence_and_something_to_do(reason: str):
    sentence, hint = describe(reason)
    assert reason not in ("", sentence)
    assert len(sentence) > 10
    assert len(hint) > 10


def test_our_own_leftover_is_told_apart_from_a_person_s_draft():
    assert describe("draft", ours=True) != describe("draft")
    assert describe("dialog", ours=True) == describe("dialog")


def test_a_command_in_a_hint_names_the_panes_own_server():
    pane = PaneRef("tmux", "agents", "%7", "/a b/s")
    hint = describe("synchronized", pane=pane)[1]
    assert "`tmux -S '/a b/s' set-option -w -t %7 synchronize-panes off`" in hint
    for elsewhere in (None, PaneRef("zellij", "agents", "terminal_1", None)):
        assert "`tmux" not in describe("synchronized", pane=elsewhere)[1]


def test_a_reason_without_a_sentence_is_still_said():
    assert describe("max-live")[0] == "refused: max-live"
