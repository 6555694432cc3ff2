"""The send routine over the fake: every fault between its steps, and what it may say of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.mux.stage import (
    CLAIMED_AT,
    ENTER,
    LAUNCH,
    PAUSES,
    BusyReader,
    ComposerReader,
    CursorReader,
    Stage,
    UnsteadyReader,
    evidence,
    pasted,
)
from tongs_mux.errors import (
    AuditFailed,
    BadText,
    DeliveryRefused,
    DeliveryUncertain,
    MuxError,
    UnsupportedOperation,
    VerificationFailed,
)
from tongs_mux.guards import START_GRACE
from tongs_mux.model import Fact
from tongs_mux.reader import Unreadable
from tongs_mux.send import NEVER_AGAIN
from tongs_mux.testing.fake_server import FakeServer, empty_answer, no_answer
from tongs_mux.text import sha256


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_the_stage_has_a_neighbour_that_nothing_reaches(stage: Stage):
    stage.send()
    (other,) = [pane for pane in stage.server.panes.values() if pane is not stage.pane]
    assert other.received == b""


def quietly(act: Callable[[], object]) -> Callable[[FakeServer], None]:
    """``act`` as a hook."""

    def hook(server: FakeServer) -> None:
        act()

    return hook


def expect_refused(stage: Stage, reason: str, **options: Any) -> MuxError:
    """A send is refused for ``reason``, and nothing was typed."""
    before = stage.received
    with pytest.raises((DeliveryRefused, VerificationFailed)) as caught:
        stage.send(**options)
    assert (caught.value.reason, stage.received) == (reason, before)
    assert getattr(caught.value, "effect", "none") == "none"
    assert stage.audit[-1]["reason"] == reason
    assert stage.audit[-1]["exit_code"] == 5
    return caught.value


def expect_uncertain(stage: Stage, reason: str, effect: str, **options: Any) -> DeliveryUncertain:
    """A send ends uncertain, is audited so, and what it pasted is known as ours."""
    with pytest.raises(DeliveryUncertain) as caught:
        stage.send(**options)
    assert (caught.value.reason, caught.value.effect) == (reason, effect)
    last = stage.audit[-1]
    assert (last["reason"], last["effect"], last["phase"]) == (reason, effect, "outcome")
    assert stage.leftover is not None
    assert stage.leftover.act == last["act"]
    return caught.value


# -- the good way


@pytest.mark.case("A1", "A2", "A6")
def test_a_text_is_pasted_once_and_entered_once_after_a_gap(stage: Stage):
    receipt = stage.send("do it\nwell\n\n")
    assert stage.received == pasted("do it\nwell") + ENTER
    assert stage.program.submitted == ["do it\nwell"]
    (_, paste_at), (_, enter_at) = stage.program.times
    assert enter_at - paste_at >= 0.15
    assert receipt.receipt == "pasted"
    assert (receipt.way, receipt.launch_id, receipt.bytes) == ("paste", LAUNCH, 10)
    assert receipt.sha256 == sha256(b"do it\nwell")
    assert evidence(receipt) == {
        "paste": "10 bytes, in brackets if asked for",
        "enter": "pressed",
        "composer": "let go of the text",
    }
    assert stage.leftover is None


@pytest.mark.requirement("A97")
def test_the_audit_says_it_before_and_after_and_never_the_text(stage: Stage):
    receipt = stage.send("a secret word")
    begin, outcome = stage.audit
    digest = sha256(b"a secret word")
    assert (begin["phase"], outcome["phase"]) == ("begin", "outcome")
    assert begin["act"] == outcome["act"] == receipt.act
    for line in (begin, outcome):
        assert (line["bytes"], line["sha256"], line["target"]) == (13, digest, LAUNCH)
    assert (outcome["outcome"], outcome["exit_code"], outcome["receipt"]) == ("ok", 0, "pasted")
    assert "secret" not in stage.log.read_text(encoding="utf-8")


def test_nothing_is_typed_before_it_is_on_record(stage: Stage):
    phases: list[list[str]] = []
    look = quietly(lambda: phases.append([line["phase"] for line in stage.audit]))
    stage.server.before("paste", look)
    stage.send()
    assert phases == [["begin"]]


def test_the_program_s_own_word_makes_it_submitted(stage: Stage):
    asked: list[tuple[bytes, float]] = []

    def proof(body: bytes, since: float) -> Fact:
        asked.append((body, since))
        return Fact("hook", "prompt taken", stage.clock.now)

    begun = stage.clock.now
    receipt = stage.send("do it", proof=proof)
    assert receipt.receipt == "submitted"
    assert evidence(receipt)["hook"] == "prompt taken"
    assert asked == [(b"do it", begun)]
    assert stage.audit[-1]["receipt"] == "submitted"


@pytest.mark.case("A4")
def test_without_that_word_it_is_only_pasted(stage: Stage):
    assert stage.send("do it", proof=lambda digest, since: None).receipt == "pasted"


# -- refused before anything is looked at


@pytest.mark.case("A11")
@pytest.mark.parametrize(("text", "reason"), [("a\x1b[201~\r", "bad-text"), ("", "bad-text")])
def test_bad_text_asks_nothing_of_anybody(stage: Stage, text: str, reason: str):
    with pytest.raises(BadText) as caught:
        stage.send(text)
    assert caught.value.reason == reason
    assert stage.server.calls == []
    assert [line["phase"] for line in stage.audit] == ["outcome"]


@pytest.mark.requirement("A93")
def test_more_than_one_line_needs_a_program_that_keeps_them_together(stage: Stage):
    with pytest.raises(UnsupportedOperation):
        stage.send("one\ntwo", Unreadable())
    assert stage.server.calls == []
    assert stage.send("one\ntwo", Unreadable(multiline=True)).receipt == "pasted"


# -- refused at the first look, and when it happens between the looks

Trouble = Callable[[Stage], object]


class Guarded(NamedTuple):
    name: str
    arrange: Trouble
    reason: str


def shell_in_front(stage: Stage) -> None:
    stage.processes.set(stage.pane.pid, foreground_group=4000)
    stage.processes.start("/bin/bash", pid=4000, ppid=stage.pane.pid)


def program_in_front(stage: Stage) -> None:
    stage.processes.set(stage.pane.pid, foreground_group=4000)
    stage.processes.start("/usr/bin/less", pid=4000, ppid=stage.pane.pid)


def restart(stage: Stage) -> None:
    stage.server.stop()
    assert stage.server.add_pane("one").pane_id == stage.pane.pane_id


def set_pane(name: str, value: object) -> Trouble:
    return lambda stage: setattr(stage.pane, name, value)


GUARDS = [
    Guarded("B3 dialog", lambda stage: stage.program.ask(), "dialog"),
    Guarded("B3 dialog over it", lambda stage: stage.program.ask(over=True), "dialog"),
    Guarded("B1 draft", lambda stage: stage.program.person_types(), "draft"),
    Guarded("B10 copy mode", set_pane("mode", "copy-mode"), "copy-mode"),
    Guarded("B12 synchronized", set_pane("synchronized", True), "synchronized"),
    Guarded("A92 composer not seen", lambda stage: stage.program.go_blank(), "unknown"),
    Guarded("C12 dead pane", lambda stage: stage.server.kill("%0"), "exited"),
    Guarded("C1 respawned", lambda stage: stage.server.respawn("%0"), "replaced"),
    Guarded("C1 restarted server", restart, "replaced"),
    Guarded("pane gone", lambda stage: stage.server.remove_pane("%0"), "exited"),
]
"""What the multiplexer's server itself can see at the moment of the act."""

FOREGROUND = [
    Guarded("process gone", lambda stage: stage.processes.end(stage.pane.pid), "exited"),
    Guarded("D6 a shell", shell_in_front, "shell"),
    Guarded("another program", program_in_front, "unknown"),
]
SILENT = [
    Guarded("D8 no answer", lambda stage: setattr(stage.server, "frozen", True), "unknown"),
    Guarded("no server", lambda stage: stage.server.stop(), "exited"),
]
EACH = pytest.mark.parametrize("guard", [*GUARDS, *FOREGROUND, *SILENT], ids=lambda it: it.name)


@pytest.mark.case("B1", "B3", "B5", "B10", "B12", "C1", "C12", "D6", "D8")
@EACH
def test_what_is_seen_at_first_is_refused_and_nothing_began(stage: Stage, guard: Guarded):
    guard.arrange(stage)
    expect_refused(stage, guard.reason)
    assert [line["phase"] for line in stage.audit] == ["outcome"]
    assert set(stage.server.calls) <= {"look"}
    assert stage.program.approved == 0
    assert stage.leftover is None


@pytest.mark.case("B11")
@pytest.mark.parametrize("guard", GUARDS, ids=lambda it: it.name)
def test_what_happens_right_before_the_paste_holds_it(stage: Stage, guard: Guarded):
    stage.server.before("paste", quietly(lambda: guard.arrange(stage)))
    expect_refused(stage, guard.reason)
    assert [line["phase"] for line in stage.audit] == ["begin", "outcome"]
    assert stage.program.approved == 0
    assert stage.leftover is None


@pytest.mark.case("B11")
@EACH
@pytest.mark.parametrize("reader", [UnsteadyReader(), ComposerReader()], ids=["blind", "two-calls"])
def test_what_happens_between_two_looks_is_seen(
    tmp_path: Path, guard: Guarded, reader: ComposerReader
):
    """Where the server can't look for itself in the act, a second look is made."""
    stage = Stage(tmp_path, atomic=isinstance(reader, UnsteadyReader))
    stage.clock.after(0.29, partial(guard.arrange, stage))
    expect_refused(stage, guard.reason, reader=reader)
    assert "paste" not in stage.server.calls


@pytest.mark.case("B11")
@pytest.mark.parametrize(
    "guard", [it for it in GUARDS if "not seen" not in it.name], ids=lambda it: it.name
)
def test_a_cursor_that_moved_right_before_the_paste_holds_it(stage: Stage, guard: Guarded):
    """No pattern tells an empty row: the server compares where its cursor stands."""
    stage.server.before("paste", quietly(lambda: guard.arrange(stage)))
    expect_refused(stage, guard.reason, reader=CursorReader())
    assert stage.server.calls.count("look") == 2
    assert stage.program.approved == 0


def test_a_cursor_that_was_elsewhere_while_the_screen_was_drawn_is_looked_for_again(stage: Stage):
    def elsewhere() -> None:
        stage.pane.cursor = (0, 0)

    stage.server.before("paste", quietly(elsewhere))
    stage.server.before("look", quietly(stage.program.draw), nth=2)
    stage.send(reader=CursorReader())
    assert stage.program.submitted == ["do it"]


@pytest.mark.case("B11")
def test_an_empty_answer_is_no_answer(stage: Stage):
    stage.server.before("look", empty_answer)
    error = expect_refused(stage, "unknown")
    assert isinstance(error, VerificationFailed)


def test_a_held_paste_that_nothing_explains_any_more_is_a_draft(stage: Stage):
    stage.server.before("paste", quietly(stage.program.person_types))
    stage.server.before("look", quietly(_emptied(stage)), nth=2)
    expect_refused(stage, "draft")


def _emptied(stage: Stage) -> Callable[[], None]:
    def empty() -> None:
        stage.program.text = ""
        stage.program.draw()

    return empty


@pytest.mark.case("A74", "B7")
def test_a_working_agent_s_receipt_says_so_where_its_word_is_missing(stage: Stage):
    said = stage.send(reader=BusyReader())
    assert (said.receipt, "working" in evidence(said)) == ("pasted", True)
    proof = Fact("prompt-event", "taken", CLAIMED_AT)
    proved = stage.send(reader=BusyReader(), proof=lambda body, since: proof)
    assert (proved.receipt, "working" in evidence(proved)) == ("submitted", False)
    assert "working" not in evidence(stage.send())


def test_the_open_window_of_two_calls_is_named(tmp_path: Path):
    stage = Stage(tmp_path, atomic=False)
    assert evidence(stage.send())["window"] == "open"
    assert "window:open" in stage.audit[-1]["evidence"]


def test_a_dialog_s_words_in_ordinary_output_open_the_window_and_refuse_nothing(stage: Stage):
    stage.program.output = ["Allow it, he said"]
    stage.program.draw()
    assert evidence(stage.send())["window"] == "open"
    assert stage.program.submitted == ["do it"]


@pytest.mark.parametrize("age", [0.0, START_GRACE - 1.0, START_GRACE])
def test_a_young_agent_without_a_composer_is_still_starting(stage: Stage, age: float):
    stage.clock.now = CLAIMED_AT + age
    stage.program.go_blank()
    expect_refused(stage, "busy-start" if age < START_GRACE else "unknown")


# -- the paste itself


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_paste_without_an_answer_may_have_landed(stage: Stage, moment: str):
    getattr(stage.server, moment)("paste", no_answer)
    expect_uncertain(stage, "unknown", "unknown")
    assert stage.received == (pasted("do it") if moment == "after" else b"")
    assert "enter" not in stage.server.calls


@pytest.mark.case("A3")
def test_a_text_that_landed_without_an_answer_is_not_pasted_twice(stage: Stage):
    stage.server.after("paste", no_answer)
    expect_uncertain(stage, "unknown", "unknown")
    receipt = stage.send()
    assert stage.received == pasted("do it") + ENTER
    assert "not pasted again" in evidence(receipt)["leftover"]
    assert stage.program.submitted == ["do it"]
    assert stage.leftover is None


def test_a_text_that_never_landed_is_pasted_at_the_next_try(stage: Stage):
    stage.server.before("paste", no_answer)
    expect_uncertain(stage, "unknown", "unknown")
    stage.send()
    assert stage.received == pasted("do it") + ENTER


# -- between paste and Enter


@pytest.mark.case("B3")
def test_no_enter_into_a_dialog_that_opened_after_the_paste(stage: Stage):
    stage.server.after("paste", quietly(stage.program.ask))
    expect_uncertain(stage, "dialog", "partial")
    assert stage.received == pasted("do it")
    assert stage.program.approved == 0


@pytest.mark.case("B3")
@pytest.mark.parametrize("over", [False, True], ids=["instead of the composer", "over it"])
def test_no_enter_into_a_dialog_that_opened_between_look_and_key(stage: Stage, over: bool):
    stage.server.before("enter", quietly(partial(stage.program.ask, over=over)))
    expect_uncertain(stage, "dialog", "partial")
    assert stage.received == pasted("do it")
    assert stage.program.approved == 0


BETWEEN = [it for it in GUARDS if it.name not in ("B1 draft", "A92 composer not seen")]


@pytest.mark.parametrize("guard", [*BETWEEN, *FOREGROUND, *SILENT], ids=lambda it: it.name)
def test_what_happens_after_the_paste_leaves_it_unentered(stage: Stage, guard: Guarded):
    stage.server.after("paste", quietly(lambda: guard.arrange(stage)))
    error = expect_uncertain(stage, guard.reason, "partial")
    assert stage.received == pasted("do it")
    assert "Enter was not pressed" in error.message
    assert [check for check in error.checks if check.passed is not True]


@pytest.mark.parametrize("guard", BETWEEN, ids=lambda it: it.name)
def test_what_happens_right_before_enter_holds_it(stage: Stage, guard: Guarded):
    stage.server.before("enter", quietly(lambda: guard.arrange(stage)))
    with pytest.raises(DeliveryUncertain) as caught:
        stage.send()
    assert caught.value.effect == "partial"
    assert stage.received == pasted("do it")
    assert stage.program.approved == 0


@pytest.mark.case("B1", "B11")
def test_no_enter_on_what_a_person_added_to_our_text(stage: Stage):
    stage.server.after("paste", quietly(stage.program.person_types))
    expect_uncertain(stage, "draft", "partial")
    assert stage.received == pasted("do it")


@pytest.mark.case("B11")
def test_no_enter_on_what_a_person_added_between_look_and_key(stage: Stage):
    stage.server.before("enter", quietly(stage.program.person_types))
    expect_uncertain(stage, "draft", "partial")
    assert stage.received == pasted("do it")


@pytest.mark.case("A21")
def test_enter_waits_until_the_text_is_seen(stage: Stage):
    stage.server.after("paste", quietly(stage.program.go_blank))
    stage.clock.after(1.5, stage.program.come_back)
    stage.send()
    assert stage.program.submitted == ["do it"]
    (_, paste_at), (_, enter_at) = stage.program.times
    assert 1.0 <= enter_at - paste_at <= PAUSES.echo


@pytest.mark.case("A21")
def test_a_text_that_is_never_seen_is_never_entered(stage: Stage):
    stage.server.after("paste", quietly(stage.program.go_blank))
    begun = stage.clock.now
    expect_uncertain(stage, "unknown", "partial")
    assert stage.received == pasted("do it")
    assert stage.clock.now - begun <= 0.3 + 0.2 + PAUSES.echo + PAUSES.step


@pytest.mark.case("A21")
def test_a_text_that_was_swallowed_is_never_entered(stage: Stage):
    stage.server.after("paste", quietly(_emptied(stage)))
    expect_uncertain(stage, "unknown", "partial")
    assert stage.received == pasted("do it")


def test_an_enter_that_was_held_for_a_moment_is_tried_once_more(stage: Stage):
    stage.server.before("enter", quietly(lambda: setattr(stage.pane, "mode", "copy-mode")))
    stage.server.after("enter", quietly(lambda: setattr(stage.pane, "mode", "")))
    receipt = stage.send()
    assert stage.program.submitted == ["do it"]
    assert stage.server.calls.count("enter") == 2
    assert evidence(receipt)["enter"] == "pressed"


def test_an_enter_that_is_held_twice_is_given_up(stage: Stage):
    for nth in (1, 2):
        stage.server.before("enter", quietly(lambda: setattr(stage.pane, "mode", "m")), nth=nth)
        stage.server.after("enter", quietly(lambda: setattr(stage.pane, "mode", "")), nth=nth)
    expect_uncertain(stage, "unknown", "partial")
    assert stage.received == pasted("do it")


@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_enter_without_an_answer_may_have_been_pressed(stage: Stage, moment: str):
    getattr(stage.server, moment)("enter", no_answer)
    expect_uncertain(stage, "unknown", "partial")
    assert stage.received == pasted("do it") + (ENTER if moment == "after" else b"")


# -- what is left of an earlier send


def _left_in_a_dialog(stage: Stage) -> None:
    stage.server.after("paste", quietly(stage.program.ask))
    expect_uncertain(stage, "dialog", "partial")
    stage.program.answer()


@pytest.mark.case("A3")
def test_the_same_text_again_is_entered_and_not_pasted_again(stage: Stage):
    _left_in_a_dialog(stage)
    receipt = stage.send()
    assert stage.received == pasted("do it") + ENTER
    assert stage.program.submitted == ["do it"]
    assert "leftover" in evidence(receipt)
    assert stage.leftover is None


@pytest.mark.case("A3")
def test_another_text_is_refused_and_told_whose_text_stands_there(stage: Stage):
    _left_in_a_dialog(stage)
    error = expect_refused(stage, "draft", text="something else")
    assert isinstance(error, DeliveryRefused)
    assert "an earlier text of ours" in error.message
    assert [check.seen for check in error.checks if check.name == "leftover"] == [
        f"ours, sha256 {sha256(b'do it')}"
    ]
    assert stage.leftover is not None


@pytest.mark.case("B1")
def test_our_text_with_a_person_s_words_added_is_a_draft(stage: Stage):
    _left_in_a_dialog(stage)
    stage.program.person_types(" later")
    error = expect_refused(stage, "draft")
    assert "ours" not in error.message


@pytest.mark.case("B1")
def test_a_person_s_draft_that_reads_like_the_new_text_is_still_a_draft(stage: Stage):
    stage.program.person_types("do it")
    expect_refused(stage, "draft")


@pytest.mark.case("A3")
def test_a_resumed_text_is_not_entered_into_a_dialog(stage: Stage):
    _left_in_a_dialog(stage)
    stage.server.before("enter", quietly(stage.program.ask))
    expect_uncertain(stage, "dialog", "partial")
    assert stage.program.approved == 0


def test_a_held_paste_leaves_no_note_even_over_an_older_one(stage: Stage):
    _left_in_a_dialog(stage)
    _emptied(stage)()  # a person cleared it
    stage.server.before("paste", quietly(stage.program.person_types))
    expect_refused(stage, "draft", text="new text")
    assert stage.leftover is None


# -- after Enter


@pytest.mark.case("A1", "A4")
def test_a_lost_enter_is_pressed_once_more(stage: Stage):
    stage.program.deaf = 1
    receipt = stage.send()
    assert stage.received == pasted("do it") + ENTER + ENTER
    assert stage.program.submitted == ["do it"]
    assert evidence(receipt)["enter"].startswith("pressed again")
    assert stage.leftover is None


@pytest.mark.case("A3", "A4")
def test_two_lost_enters_leave_it_pasted_and_known_as_ours(stage: Stage):
    stage.program.deaf = 2
    receipt = stage.send()
    assert stage.received == pasted("do it") + ENTER + ENTER
    assert receipt.receipt == "pasted"
    assert "still holds the text" in evidence(receipt)["composer"]
    assert stage.leftover is not None
    stage.send()
    assert stage.program.submitted == ["do it"]
    assert stage.received.count(b"do it") == 1


@pytest.mark.parametrize("first", NEVER_AGAIN)
def test_a_command_gets_one_enter_only(stage: Stage, first: str):
    stage.program.deaf = 1
    stage.send(f"{first}do it")
    assert stage.received == pasted(f"{first}do it") + ENTER


def test_no_second_enter_once_a_dialog_is_open(stage: Stage):
    stage.program.deaf = 1
    stage.clock.after(0.6, stage.program.ask)
    stage.send()
    assert stage.received == pasted("do it") + ENTER
    assert stage.program.approved == 0


def test_no_second_enter_into_a_dialog_between_look_and_key(stage: Stage):
    stage.program.deaf = 1
    stage.server.before("enter", quietly(stage.program.ask), nth=2)
    stage.send()
    assert stage.received == pasted("do it") + ENTER
    assert stage.program.approved == 0


def test_no_second_enter_on_what_a_person_added(stage: Stage):
    stage.program.deaf = 1
    stage.clock.after(0.6, stage.program.person_types)
    stage.send()
    assert stage.received == pasted("do it") + ENTER


def test_a_text_that_left_between_look_and_second_enter_was_submitted(stage: Stage):
    stage.program.deaf = 1
    stage.server.before("enter", quietly(_emptied(stage)), nth=2)
    receipt = stage.send()
    assert stage.received == pasted("do it") + ENTER
    assert evidence(receipt)["composer"] == "let go of the text"


def test_a_silence_after_enter_is_said_and_the_text_stays_known(stage: Stage):
    stage.server.after("enter", quietly(lambda: setattr(stage.server, "frozen", True)))
    receipt = stage.send()
    assert evidence(receipt)["verified"] == "no longer: unknown"
    assert receipt.receipt == "pasted"
    assert stage.leftover is not None


def test_an_agent_that_ends_on_its_prompt_is_said_to_have(stage: Stage):
    stage.server.after("enter", quietly(lambda: stage.server.kill("%0")))
    assert evidence(stage.send("/exit"))["verified"] == "no longer: exited"


# -- programs that can't be read


def test_an_unreadable_program_gets_one_enter_and_the_receipt_says_unguarded(stage: Stage):
    stage.program.person_types("anything")
    receipt = stage.send("do it", Unreadable())
    assert stage.received == pasted("do it") + ENTER
    assert "unguarded" in evidence(receipt)
    assert stage.server.calls.count("enter") == 1
    assert stage.leftover is None


SCREEN_ONLY = ("B1 draft", "B3 dialog", "B3 dialog over it", "A92 composer not seen")
UNSEEN_TOO = [it for it in (*GUARDS, *FOREGROUND, *SILENT) if it.name not in SCREEN_ONLY]
"""What holds whatever the screen says."""


@pytest.mark.case("D6")
@pytest.mark.parametrize("guard", UNSEEN_TOO, ids=lambda it: it.name)
def test_an_unreadable_program_is_guarded_all_the_same(stage: Stage, guard: Guarded):
    guard.arrange(stage)
    expect_refused(stage, guard.reason, reader=Unreadable())


def test_a_screen_that_only_a_person_can_read_is_shown_and_typed_into(stage: Stage):
    stage.program.go_blank()
    stage.pane.lines = ["strange", "screen"]
    shown: list[tuple[str, ...]] = []

    def yes(lines: tuple[str, ...]) -> bool:
        shown.append(lines)
        return True

    receipt = stage.send(asked=yes)
    assert shown == [("strange", "screen")]
    assert stage.received == pasted("do it") + ENTER
    assert "a person looked" in evidence(receipt)["unguarded"]


def test_a_person_who_says_no_is_a_refusal(stage: Stage):
    stage.program.go_blank()
    expect_refused(stage, "not-confirmed", asked=lambda lines: False)


@pytest.mark.parametrize("guard", UNSEEN_TOO, ids=lambda it: it.name)
def test_a_person_is_not_asked_to_overrule_what_was_seen(stage: Stage, guard: Guarded):
    stage.program.go_blank()
    guard.arrange(stage)
    asked: list[tuple[str, ...]] = []

    def yes(lines: tuple[str, ...]) -> bool:
        asked.append(lines)
        return True

    expect_refused(stage, guard.reason, asked=yes)
    assert asked == []


@pytest.mark.parametrize("name", ["B1 draft", "B3 dialog"])
def test_a_person_is_not_asked_about_a_screen_that_was_read(stage: Stage, name: str):
    (guard,) = [it for it in GUARDS if it.name == name]
    guard.arrange(stage)
    expect_refused(stage, guard.reason, asked=lambda lines: pytest.fail("asked"))


@pytest.mark.parametrize("guard", UNSEEN_TOO, ids=lambda it: it.name)
def test_what_happens_while_the_person_looks_is_refused(stage: Stage, guard: Guarded):
    stage.program.go_blank()

    def yes(lines: tuple[str, ...]) -> bool:
        guard.arrange(stage)
        return True

    expect_refused(stage, guard.reason, asked=yes)


def test_a_dialog_that_opens_after_the_person_looked_is_seen(stage: Stage):
    stage.program.go_blank()

    def yes(lines: tuple[str, ...]) -> bool:
        stage.program.come_back()
        stage.program.ask()
        return True

    expect_refused(stage, "dialog", asked=yes)
    assert stage.program.approved == 0


# -- wrappers


@pytest.mark.case("D3")
def test_a_declared_wrapper_s_program_may_read_the_keys(stage: Stage):
    program_in_front(stage)
    stage.processes.set(stage.pane.pid, name="bash")
    assert stage.send(wrapper=True).receipt == "pasted"


@pytest.mark.case("D3", "D6")
def test_a_shell_under_a_wrapper_is_still_a_shell(stage: Stage):
    shell_in_front(stage)
    expect_refused(stage, "shell", wrapper=True)


# -- the audit


@pytest.mark.requirement("A97")
def test_an_audit_that_can_t_be_written_refuses_the_act(stage: Stage):
    stage.log.parent.parent.mkdir(exist_ok=True)
    stage.log.parent.write_text("in the way", encoding="utf-8")
    with pytest.raises(AuditFailed):
        stage.send()
    assert stage.received == b""
    assert stage.leftover is None


@pytest.mark.requirement("A97")
def test_an_outcome_that_can_t_be_written_is_said(stage: Stage):
    def block() -> None:
        stage.log.unlink()
        stage.log.mkdir()

    stage.server.after("enter", quietly(block))
    with pytest.raises(DeliveryUncertain) as caught:
        stage.send()
    assert (caught.value.reason, caught.value.effect) == ("audit", "unknown")
    assert stage.program.submitted == ["do it"]


@pytest.mark.requirement("A97")
def test_a_refusal_that_can_t_be_audited_is_an_audit_failure(stage: Stage):
    stage.program.ask()
    stage.log.parent.write_text("in the way", encoding="utf-8")
    with pytest.raises(AuditFailed):
        stage.send()
