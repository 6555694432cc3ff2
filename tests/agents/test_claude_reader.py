"""Claude Code's screens, as the real program drew them, and what is read off them.

The fixtures are taken by ``python -m validation.screens``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tongs_agents.harness.claude import ClaudeReader
from tongs_mux.backend import Guard
from tongs_mux.backends.tmux_format import may_type, parse_screen
from tongs_mux.leftover import holds
from tongs_mux.model import PaneFacts, ProcessIdentity, Screen
from tongs_mux.reader import Reader, Reading

SCREENS = Path(__file__).with_name("screens") / "claude"
SIZES = ("200", "80", "25", "classic-80")
READER: Reader = ClaudeReader()

FORTY = "\n".join(f"line {number} of the text" for number in range(1, 41))
LONG = ("word " * 200)[:801]


class State(NamedTuple):
    """One state of the program. ``text`` is what its composer holds, where it is readable."""

    name: str
    composer: str
    dialog: str | None = None
    busy: bool = False
    text: str = ""


STATES = [
    State("idle", "empty"),
    State("suggestion", "empty"),
    State("suggestion-named", "empty"),
    State("words-in-output", "empty"),
    State("status-line", "empty"),
    State("escaped", "empty"),
    State("in-tool-escaped", "empty"),
    State("permission-escaped", "empty"),
    State("vim-insert", "empty"),
    # NORMAL mode shows no mark at all; a paste lands in it and Enter submits all the same
    State("vim-normal", "empty"),
    State("streaming", "empty", busy=True),
    State("in-tool", "empty", busy=True),
    State("queued", "empty", busy=True),
    State("subagent", "empty", busy=True),
    State("draft", "draft", text="merge PR 10 only af"),
    State("draft-cursor-home", "draft", text="merge PR 10 only af"),
    State("draft-three-lines", "draft", text="one\ntwo\nthree"),
    State("draft-wrapped", "draft", text=LONG[:150]),
    State("draft-clipped", "draft", text=LONG[:800]),
    State("draft-clipped-both", "draft", text="\n".join(f"typed {n}" for n in range(30))),
    State("draft-forty-lines", "draft", text=FORTY),
    State("draft-long", "draft", text=LONG),
    State("draft-shell", "draft", text="!ls"),
    State("draft-command", "draft", text="/help"),
    State("streaming-draft", "draft", busy=True, text="and a draft"),
    State("vim-visual", "draft"),
    State("vim-normal-draft", "draft", text="merge PR 10"),
    State("permission-bash", "unseen", "permission"),
    State("permission-write-named", "unseen", "permission"),
    State("permission-edit", "unseen", "permission"),
    State("question", "unseen", "question"),
    State("plan", "unseen", "plan"),
    State("trust", "unseen", "trust"),
    State("api-key", "unseen", "api-key"),
    State("settings-warning", "unseen", "settings"),
    State("bypass-warning", "unseen", "bypass"),
    State("resume", "unseen", "resume"),
    State("rewind", "unseen", "rewind"),
    State("model-picker", "unseen", "dialog"),
    State("transcript", "unseen", "transcript"),
    # the composer of another session, and of a subagent
    State("agents-view", "unseen", "another view"),
    State("subagent-composer", "unseen", "another view"),
    State("subagent-viewed", "unseen"),
    State("subagent-selected", "unseen"),
    State("shell-selected", "unseen"),
    State("history-search", "unseen", "history"),
    State("shortcuts", "unseen"),
    State("exit-hint", "unseen"),
    State("screen-reader", "unseen"),
    State("suspended", "unseen"),
    State("exited", "unseen"),
]
DIFFERS = {
    ("agents-view", "25"): "dialog",  # its hint is broken in two: no composer is recognised
    ("history-search", "classic-80"): None,
}
"""The dialogs' names where they differ by size."""


class Fixture(NamedTuple):
    """A state at one size."""

    test_id: str
    state: State
    dialog: str | None


FIXTURES = [
    Fixture(f"{state.name}-{size}", state, DIFFERS.get((state.name, size), state.dialog))
    for state in STATES
    for size in SIZES
]
each = pytest.mark.parametrize(
    "fixture", [pytest.param(fixture, id=fixture.test_id) for fixture in FIXTURES]
)
fixtures = st.sampled_from(FIXTURES)


def taken(name: str) -> tuple[Screen, PaneFacts]:
    """A fixture as the multiplexer gives it."""
    head, *styled = (SCREENS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    found = re.fullmatch(r"cursor (-?\d+),(-?\d+) size (\d+)x(\d+) title (.*)", head)
    assert found is not None
    column, row, width, height = map(int, found.groups()[:4])
    return parse_screen(styled), pane(width, height, (column, row), found[5])


def pane(width: int, height: int, cursor: tuple[int, int] | None, title: str = "") -> PaneFacts:
    return PaneFacts(
        pane_id="%0",
        pid=1,
        session="s",
        window="@0",
        dead=False,
        mode="",
        synchronized=False,
        command="claude",
        title=title,
        width=width,
        height=height,
        cursor=cursor,
    )


def read(name: str) -> Reading:
    return READER.read(*taken(name))


def matching(patterns: tuple[str, ...], screen: Screen) -> list[str]:
    lines = [line.rstrip(" ") for line in screen.lines]
    return [each for each in patterns if any(re.search(each, line) for line in lines)]


def test_every_screen_that_was_taken_is_read():
    assert {path.stem for path in SCREENS.glob("*.txt")} == {each.test_id for each in FIXTURES}


@each
@pytest.mark.case("B1", "B2", "B3", "B5", "B7", "A18")
def test_a_real_screen_is_read_for_what_it_is(fixture: Fixture):
    reading = read(fixture.test_id)
    state = fixture.state
    assert (reading.dialog, reading.composer) == (fixture.dialog, state.composer)
    assert reading.busy == state.busy
    assert holds(reading, state.text) == (state.text != "")
    assert not holds(reading, "two lines of\nanother text")
    if not (reading.placeholder or reading.clipped):
        assert not holds(reading, f"{state.text} and more")


@each
def test_what_stands_in_the_composers_place_matches_a_pattern_of_the_guard(fixture: Fixture):
    screen, _ = taken(fixture.test_id)
    unguarded = {"agents-view", "subagent-composer"}  # these the steady rows tell apart
    named = fixture.dialog is not None and fixture.state.name not in unguarded
    spoofed = any("Esc to cancel" in line for line in screen.lines)
    assert bool(matching(READER.dialogs, screen)) == (named or spoofed)


@each
def test_the_steady_rows_are_on_their_screen_and_can_be_asked_of_the_server(fixture: Fixture):
    screen, facts = taken(fixture.test_id)
    steady = READER.read(screen, facts).steady
    assert matching(steady, screen) == list(steady)
    server = ProcessIdentity(1, "start")
    assert may_type(Guard(server, "%0", 1, READER.dialogs, steady))
    assert bool(steady) == (fixture.state.composer != "unseen")


BLANK = {
    *("idle", "words-in-output", "status-line", "escaped", "in-tool-escaped"),
    *("permission-escaped", "vim-insert", "vim-normal", "streaming", "in-tool", "subagent"),
    # not said to be empty, though blank: keys go elsewhere, or a person is at it
    *("vim-visual", "shortcuts", "exit-hint", "shell-selected", "subagent-selected"),
}
"""The states whose composer shows nothing but its glyph."""


@each
@pytest.mark.case("B11")
def test_the_row_of_an_empty_composer_is_where_it_shows_nothing_and_nowhere_else(fixture: Fixture):
    screen, _ = taken(fixture.test_id)
    found = matching(read("idle-80").steady, screen)
    name = fixture.state.name
    if name != "suspended":  # the shell's lines follow a composer that nobody reads
        assert bool(found) == (name in BLANK or fixture.test_id == "history-search-classic-80")


@given(fixtures, st.integers(0, 60), st.integers(0, 60), st.integers(8, 220))
def test_a_screen_that_is_cut_never_turns_empty(fixture: Fixture, top: int, rows: int, width: int):
    screen, facts = taken(fixture.test_id)
    lines = tuple(line[:width] for line in screen.lines[top : top + rows])
    cut = Screen(lines, screen.styled[top : top + rows])
    if fixture.state.composer != "empty":
        assert READER.read(cut, facts).composer != "empty"


garbage = st.lists(
    st.one_of(
        st.text(),
        st.text("─ ❯!⏸·…\xa0", max_size=120),
        st.sampled_from([f"{'─' * 80}", "❯ ", "❯\xa0", "  ⏸ manual mode on", "─── ↑ 3 more ──"]),
    ),
    max_size=60,
).map(tuple)


@given(
    garbage,
    garbage,
    st.integers(-1, 300),
    st.integers(-1, 100),
    st.one_of(st.none(), st.tuples(st.integers(-1, 300), st.integers(-1, 100))),
    st.text(),
)
def test_whatever_is_on_the_screen_something_is_said(
    lines: tuple[str, ...],
    styled: tuple[str, ...],
    width: int,
    height: int,
    cursor: tuple[int, int] | None,
    title: str,
):
    reading = READER.read(Screen(lines, styled), pane(width, height, cursor, title))
    assert reading.composer in {"empty", "draft", "unseen"}
    assert reading.composer == "unseen" or reading.dialog is None


@given(fixtures, garbage)
def test_garbage_above_never_makes_a_composer_empty_that_is_not(
    fixture: Fixture, lines: tuple[str, ...]
):
    screen, facts = taken(fixture.test_id)
    more = Screen(lines + screen.lines, lines + screen.styled)
    column, row = facts.cursor or (0, 0)
    moved = replace(facts, height=facts.height + len(lines), cursor=(column, row + len(lines)))
    composer = READER.read(more, moved).composer
    assert composer != "empty" or fixture.state.composer == "empty"


SPOOFS = (
    ("  Do you want to proceed?", "  ❯ 1. Yes", "    2. No", "  Esc to cancel"),
    ("● Do you want to proceed?", "❯ 1. Yes", "  2. No", "  Enter to confirm"),
    ("❯ Do you want to create x?", "  Enter to select · Esc to cancel", "  Chat about this"),
    ("  " + "─" * 76, "  ❯ merge PR 10 only af", "  " + "─" * 76, "    ? for shortcuts"),
    ("● Exit plan mode? Resume session, Yes, I trust this folder", "  describe a task"),
)


@pytest.mark.parametrize("spoof", SPOOFS, ids=lambda spoof: spoof[0].strip()[:20])
@pytest.mark.parametrize("size", SIZES)
def test_words_of_a_dialog_in_ordinary_output_are_none(spoof: tuple[str, ...], size: str):
    screen, facts = taken(f"idle-{size}")
    more = Screen(spoof + screen.lines, spoof + screen.styled)
    column, row = facts.cursor or (0, 0)
    moved = replace(facts, height=facts.height + len(spoof), cursor=(column, row + len(spoof)))
    reading = READER.read(more, moved)
    assert (reading.dialog, reading.composer, reading.busy) == (None, "empty", False)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("words", ["Do you want to proceed?", "Esc to cancel", "❯ 1. Yes"])
def test_words_of_a_dialog_in_a_draft_are_a_draft(words: str, size: str):
    screen, facts = taken(f"draft-{size}")
    lines = tuple(line.replace("merge PR 10 only af", words) for line in screen.lines)
    reading = READER.read(Screen(lines, screen.styled), facts)
    assert (reading.dialog, reading.composer, reading.text) == (None, "draft", words)


def test_a_suggestion_is_known_by_its_style_alone():
    screen, facts = taken("suggestion-80")
    plain = Screen(screen.lines, screen.lines)
    assert READER.read(plain, facts).composer == "draft"


def test_a_cursor_elsewhere_means_that_keys_go_elsewhere():
    screen, facts = taken("idle-80")
    assert READER.read(screen, replace(facts, cursor=(0, 0))).composer == "unseen"
    assert READER.read(screen, replace(facts, cursor=None)).composer == "empty"


def test_a_pane_without_room_for_the_line_below_still_shows_an_empty_composer():
    screen, facts = taken("idle-25")
    last = max(number for number, line in enumerate(screen.lines) if line.startswith("─"))
    lines, styled = screen.lines[: last + 1], screen.styled[: last + 1]
    fits = replace(facts, height=last + 1)
    assert READER.read(Screen(lines, styled), fits).composer == "empty"
    assert READER.read(Screen(lines, styled), facts).composer == "unseen"
