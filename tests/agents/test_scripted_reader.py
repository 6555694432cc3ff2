"""The scripted agent's screen, drawn and read back, at every width that is promised."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tongs_agents.harness.lines import StyledLine, ere_of, is_rule, parse_styled
from tongs_agents.harness.scripted import ScriptedReader
from tongs_agents.scripted_agent import composer
from tongs_agents.scripted_agent.screen import QUESTION, Frame, View, render
from tongs_agents.scripted_agent.width import columns, printable
from tongs_mux.model import PaneFacts, Screen
from tongs_mux.reader import Reader, Reading

READER: Reader = ScriptedReader()
EMPTY = composer.Composer()
SPOOFS = (
    f"{QUESTION}\n❯ 1. Yes\n  2. No\nEsc to cancel",
    f"{'─' * 80}\n❯ \n{'─' * 80}\n  ? for shortcuts",
    "\n".join(f"❯ {n}" for n in range(40)),
)

texts = st.text(st.characters(codec="utf-8"))
drafts = st.one_of(
    texts.filter(bool),
    st.text("ab ─❯\n", min_size=1, max_size=400),
    st.sampled_from(SPOOFS),
)
composers = drafts.map(lambda text: composer.typed(EMPTY, text))
transcripts = st.lists(
    st.tuples(st.sampled_from([">", "●", "⎿"]), st.one_of(texts, st.sampled_from(SPOOFS)))
).map(tuple)
views = st.builds(
    View,
    transcript=transcripts,
    composer=st.one_of(st.just(EMPTY), composers),
    hint=st.one_of(st.just(""), texts, st.just("Ask the scripted agent")),
    busy_for=st.one_of(st.none(), st.integers(0, 9999)),
    queued=st.lists(texts, max_size=4).map(tuple),
)
widths = st.integers(25, 200)
heights = st.integers(20, 60)


def seen(frame: Frame, width: int) -> tuple[Screen, PaneFacts]:
    """``frame`` as a multiplexer captures it."""
    pane = PaneFacts(
        pane_id="%0",
        pid=1,
        session="s",
        window="@0",
        dead=False,
        mode="",
        synchronized=False,
        command="python",
        title="",
        width=width,
        height=len(frame.rows),
        cursor=frame.cursor,
    )
    lines = tuple(row.text.rstrip(" ") for row in frame.rows)
    return Screen(lines=lines, styled=tuple(row.styled() for row in frame.rows)), pane


def read(view: View, width: int = 80, height: int = 24) -> Reading:
    return READER.read(*seen(render(view, width, height), width))


def squeezed(text: str) -> str:
    return "".join(text.split())


def lines_matching(pattern: str, lines: Sequence[str]) -> list[str]:
    return [line for line in lines if re.search(pattern, line)]


@given(views, st.integers(1, 200), st.integers(1, 60))
def test_a_frame_fills_the_screen_and_never_leaves_it(view: View, width: int, height: int):
    frame = render(view, width, height)
    assert len(frame.rows) == height
    if width >= 25:
        assert max(columns(row.text) for row in frame.rows) <= width
    assert not any(char in "\n\r\x1b" for row in frame.rows for char in row.text)


@given(views, widths, heights)
def test_what_is_drawn_is_read_back(view: View, width: int, height: int):
    reading = read(view, width, height)
    assert view.composer is not None
    drawn = squeezed(printable(view.composer.shown))
    assert reading.dialog is None
    assert reading.busy == (view.busy_for is not None)
    if view.composer.empty:
        assert (reading.composer, reading.text) == ("empty", "")
    else:
        assert reading.composer == "draft"
        assert drawn.endswith(squeezed(reading.text))
        assert reading.clipped or squeezed(reading.text) == drawn


@given(views, widths, heights)
def test_the_patterns_match_the_screen_they_were_made_from(view: View, width: int, height: int):
    screen, pane = seen(render(view, width, height), width)
    for pattern in READER.read(screen, pane).steady:
        assert lines_matching(pattern, screen.lines)
        assert not re.search(r"[\x00-\x1f,{}#:;'\"\\`()*+?|\[\]]", pattern)


@given(views, st.characters(categories=("L", "N", "P", "S")), widths)
def test_a_character_typed_into_the_empty_composer_is_noticed(view: View, char: str, width: int):
    empty = replace(view, composer=EMPTY)
    patterns = read(empty, width).steady
    typed = render(replace(view, composer=composer.typed(EMPTY, char)), width, 24)
    lines = [row.text.rstrip(" ") for row in typed.rows]
    if len(squeezed(view.hint)) != 1:
        assert patterns
        assert not all(lines_matching(pattern, lines) for pattern in patterns)


@given(transcripts, widths, texts)
def test_an_open_dialog_is_a_dialog_whatever_else_is_shown(transcript, width: int, asked: str):
    view = View(transcript=transcript, composer=EMPTY, dialog=asked, busy_for=3)
    screen, pane = seen(render(view, width, 24), width)
    assert READER.read(screen, pane) == Reading(dialog="permission", composer="unseen")
    for pattern in READER.dialogs:
        assert lines_matching(pattern, screen.lines)


@given(transcripts, widths)
def test_words_of_a_dialog_in_output_are_none(transcript, width: int):
    shown = (*transcript, ("●", SPOOFS[0]))
    assert read(View(transcript=shown, composer=EMPTY), width).dialog is None
    assert read(View(transcript=shown), width) == Reading(dialog=None, composer="unseen")


@given(transcripts, widths)
def test_a_composer_in_output_is_none(transcript, width: int):
    view = View(transcript=(*transcript, ("●", SPOOFS[1])))
    assert read(view, width).composer == "unseen"
    assert read(replace(view, starting=True), width).composer == "unseen"


@given(st.lists(texts), st.lists(texts), widths)
def test_any_screen_is_read_without_an_error(lines, styled, width: int):
    _, pane = seen(render(View(), width, 24), width)
    READER.read(Screen(tuple(lines), tuple(styled)), pane)


@pytest.mark.parametrize("width", [25, 80])
@pytest.mark.parametrize(
    ("text", "stand_in"),
    [("x\n" * 39 + "x", True), ("x" * 3410, True), ("[Pasted] 3410 chars", False)],
)
def test_a_stand_in_is_told_from_text(text: str, stand_in: bool, width: int):
    reading = read(View(composer=composer.pasted(EMPTY, text)), width)
    assert (reading.composer, reading.placeholder) == ("draft", stand_in)
    joined = composer.pasted(composer.typed(EMPTY, "mine "), text)
    assert not read(View(composer=joined), width).placeholder


@pytest.mark.case("B2")
@pytest.mark.parametrize("width", [25, 80])
def test_dim_text_is_a_suggestion_and_other_text_is_not(width: int):
    assert read(View(composer=EMPTY, hint='Try "fix lint"'), width).composer == "empty"
    typed = composer.typed(EMPTY, 'Try "fix lint"')
    assert read(View(composer=typed), width).composer == "draft"


def test_without_styles_a_suggestion_is_taken_for_a_draft():
    screen, pane = seen(render(View(composer=EMPTY, hint="Try it"), 80, 24), 80)
    assert READER.read(replace(screen, styled=()), pane).composer == "draft"
    assert READER.read(replace(screen, styled=screen.lines), pane).composer == "draft"


@pytest.mark.parametrize("blank", [" ", "\n", "   "])
def test_blanks_that_were_typed_are_a_draft(blank: str):
    assert read(View(composer=composer.typed(EMPTY, blank))).composer == "draft"


@pytest.mark.case("A18")
@pytest.mark.parametrize("width", [25, 80])
@pytest.mark.parametrize("busy", [None, 3])
def test_normal_mode_is_a_draft_even_when_nothing_was_typed(width: int, busy: int | None):
    view = View(composer=EMPTY, hint="Ask", vim_normal=True, busy_for=busy)
    reading = read(view, width)
    assert (reading.composer, reading.busy) == ("draft", busy is not None)


@pytest.mark.case("B7")
@pytest.mark.parametrize("width", [25, 26, 32, 80])
def test_busy_is_seen_though_the_footer_is_cut(width: int):
    rows = render(View(composer=EMPTY, busy_for=3), width, 24).rows
    cut = "esc to i…" if width == 25 else "esc to"
    assert cut in rows[-1].text
    assert read(View(composer=EMPTY, busy_for=3), width).busy
    assert not read(View(composer=EMPTY), width).busy


def test_what_is_scrolled_out_of_the_composer_is_told_above_it():
    view = View(composer=composer.typed(EMPTY, "\n".join(f"line {n}" for n in range(30))))
    frame = render(view, 80, 24)
    assert any(row.text.startswith("── ↑ 14 more ───") for row in frame.rows)
    assert read(view).clipped
    assert not read(view, height=60).clipped
    assert read(view).text == "\n".join(f"line {n}" for n in range(14, 30))


def test_a_screen_too_low_for_the_composer_is_unseen():
    assert read(View(composer=EMPTY), height=3).composer == "unseen"
    assert read(View(composer=EMPTY), height=4).composer == "empty"


def test_the_reader_says_what_it_is():
    assert (READER.name, READER.guarded, READER.multiline) == ("scripted", True, True)
    assert all(re.fullmatch("[A-Za-z ]+", pattern) for pattern in READER.dialogs)


@pytest.mark.parametrize(
    ("lines", "dims"),
    [
        (["a\x1b[2mb\x1b[22mc"], [".x."]),
        (["\x1b[2ma", "b\x1b[0mc"], ["x", "x."]),
        (["\x1b[1;2;31ma\x1b[mb"], ["x."]),
        (["\x1b[38;5;2ma\x1b[48;2;2;2;2mb\x1b[38:2::1:2:3mc"], ["..."]),
        (["\x1b[2m\x1b[38;5;246ma\x1b[39mb"], ["xx"]),
        (["\x1b]8;;http://x\x1b\\a\x1b]8;;\x1b\\\x0eq\x0f\x1b[K"], [".."]),
        (["\x1b[38"], [".."]),
    ],
)
def test_dim_is_followed_through_a_screen(lines: list[str], dims: list[str]):
    parsed = parse_styled(lines)
    assert ["".join("x" if dim else "." for dim in line.dim) for line in parsed] == dims


@pytest.mark.parametrize(
    ("lines", "reversed_"),
    [
        (["a\x1b[7mb\x1b[27mc"], [".x."]),
        (["\x1b[0;7m\x1b[39m\x1b[49m \x1b[0m", "c"], ["x", "."]),
        (["\x1b[2;7ma\x1b[0;2mb"], ["x."]),
        (["\x1b[38;5;7ma"], ["."]),
    ],
)
def test_reverse_is_followed_too(lines: list[str], reversed_: list[str]):
    parsed = parse_styled(lines)
    assert ["".join("x" if on else "." for on in line.reverse) for line in parsed] == reversed_


@given(st.lists(texts))
def test_a_screen_without_codes_is_itself(lines: list[str]):
    plain = [re.sub("[\x0e\x0f\x1b]", "", line) for line in lines]
    no = [(False,) * len(x) for x in plain]
    assert parse_styled(plain) == tuple(map(StyledLine, plain, no, no))


@given(st.text(st.characters(codec="utf-8", exclude_characters="\n")))
def test_a_pattern_matches_its_line_and_carries_nothing_special(line: str):
    pattern = ere_of(line)
    assert re.search(pattern, line.rstrip(" "))
    assert not set(pattern) & set(",{}#:;'\"\\`()*+?|[]")


@pytest.mark.parametrize(
    ("line", "rule"), [("─" * 8, True), ("─" * 80 + "  ", True), ("─" * 7, False), ("── x", False)]
)
def test_a_rule_is_nothing_but_a_rule(line: str, rule: bool):
    assert is_rule(line) is rule
