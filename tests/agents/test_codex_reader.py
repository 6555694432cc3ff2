"""Codex's screens, as the real program drew them, and what is read off them."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agents.screen_rig import below, matching, names, pane, taken
from tongs_agents.harness.codex import CodexReader
from tongs_mux.backend import Guard
from tongs_mux.backends.tmux_format import may_type
from tongs_mux.leftover import holds
from tongs_mux.model import ProcessIdentity, Screen
from tongs_mux.reader import Reader, Reading

SIZES = ("200", "80", "25", "inline-80")
READER: Reader = CodexReader()

FORTY = "\n".join(f"line {number} of the text" for number in range(1, 41))
PARAGRAPHS = "one\n\ntwo\n\n  three\n\nfour"
LONG = ("word " * 300)[:1250]
WORDS = "1. Yes\n2. No\n\nPress enter to confirm or esc to cancel"


class State(NamedTuple):
    """One state of the program. ``text`` is what its composer holds, where it is readable."""

    name: str
    composer: str
    dialog: str | None = None
    busy: bool = False
    text: str = ""


STATES = [
    State("idle", "empty"),
    State("words-in-output", "empty"),
    State("shortcuts", "empty"),
    State("escape-once", "empty"),
    State("escaped", "empty"),
    State("failed", "empty"),
    State("approval-escaped", "empty"),
    State("in-tool-escaped", "empty"),
    State("plan-mode", "empty"),
    State("vim-insert", "empty"),
    State("transcript", "empty"),
    State("streaming", "empty", busy=True),
    State("queued", "empty", busy=True),
    State("in-tool", "empty", busy=True),
    State("steering", "empty"),
    State("draft", "draft", text="merge PR 10 only af"),
    State("draft-cursor-home", "draft", text="merge PR 10 only af"),
    State("draft-three-lines", "draft", text="one\ntwo\nthree"),
    State("draft-paragraphs", "draft", text=PARAGRAPHS),
    State("draft-cursor-middle", "draft", text=PARAGRAPHS),
    State("draft-wrapped", "draft", text=LONG[:150]),
    State("draft-long", "draft", text=LONG[:800]),
    State("draft-forty-lines", "draft", text=FORTY),
    State("draft-clipped-both", "draft", text=FORTY),
    State("draft-pasted", "draft", text=LONG),
    State("draft-pasted-twice", "draft"),
    State("draft-dialog-words", "draft", text=WORDS),
    State("draft-shell", "draft", text="!ls"),
    State("draft-command", "draft", text="/mod"),
    State("streaming-draft", "draft", busy=True, text="and a draft"),
    State("shell-mode", "draft", text="!"),
    # letters are commands there
    State("vim-normal", "draft"),
    State("vim-normal-draft", "draft", text="imerge PR 10"),
    State("approval", "unseen", "approval"),
    State("mcp", "unseen", "mcp"),
    State("question", "unseen", "question"),
    State("trust", "unseen", "trust"),
    State("model", "unseen", "model"),
    State("hooks", "unseen", "hooks"),
    State("hooks-list", "unseen", "dialog"),
    State("login", "unseen", "login"),
    State("resume", "unseen", "resume"),
    State("model-picker", "unseen", "dialog"),
    State("browsing", "unseen", "browsing"),
    State("history-search", "unseen", "history"),
    State("agents", "unseen", "dialog"),
    State("warnings", "unseen", "dialog"),
    State("suspended", "unseen"),
    State("exited", "unseen"),
]
DIFFERS = {
    ("transcript", "inline-80"): State("transcript", "unseen", "transcript"),
    # there nothing is left of the line that says what closes them
    ("warnings", "25"): State("warnings", "unseen"),
    ("browsing", "200"): State("browsing", "unseen", "browsing"),
    ("agents", "200"): State("agents", "unseen", "approval"),
    ("agents", "80"): State("agents", "unseen", "approval"),
    ("agents", "inline-80"): State("agents", "unseen", "approval"),
    ("steering", "200"): State("steering", "empty", busy=True),
}
"""States that differ by size."""


class Fixture(NamedTuple):
    """A state at one size."""

    test_id: str
    state: State


FIXTURES = [
    Fixture(f"{state.name}-{size}", DIFFERS.get((state.name, size), state))
    for state in STATES
    for size in SIZES
]
each = pytest.mark.parametrize(
    "fixture", [pytest.param(fixture, id=fixture.test_id) for fixture in FIXTURES]
)
fixtures = st.sampled_from(FIXTURES)


def read(name: str) -> Reading:
    return READER.read(*taken("codex", name))


def test_every_screen_that_was_taken_is_read():
    assert names("codex") == {each.test_id for each in FIXTURES}


@each
@pytest.mark.case("B1", "B2", "B3", "B5", "B7", "A18")
def test_a_real_screen_is_read_for_what_it_is(fixture: Fixture):
    reading = read(fixture.test_id)
    state = fixture.state
    assert (reading.dialog, reading.composer) == (state.dialog, state.composer)
    assert reading.busy == state.busy
    assert holds(reading, state.text) == (state.text != "")
    assert not holds(reading, "two lines of\nanother text")
    if not (reading.placeholder or reading.clipped):
        assert not holds(reading, f"{state.text} and more")


@each
def test_what_stands_in_the_composers_place_matches_a_pattern_of_the_guard(fixture: Fixture):
    screen, _ = taken("codex", fixture.test_id)
    found = matching(READER.dialogs, screen)
    if fixture.state.dialog is not None:
        assert found
    elif fixture.state.name not in {"words-in-output", "draft-dialog-words", "shortcuts"}:
        assert not found


@each
def test_the_steady_rows_are_on_their_screen_and_can_be_asked_of_the_server(fixture: Fixture):
    screen, facts = taken("codex", fixture.test_id)
    steady = READER.read(screen, facts).steady
    assert matching(steady, screen) == list(steady)
    server = ProcessIdentity(1, "start")
    assert may_type(Guard(server, "%0", 1, READER.dialogs, steady))
    assert bool(steady) == (fixture.state.composer != "unseen")


BLANK = {state.name for state in STATES if state.composer == "empty"} | {"vim-normal"}
"""The states whose composer shows nothing but its hint, and takes keys."""

ELSEWHERE = {"browsing", "history-search"}
"""There it shows the same hint, and other patterns tell that keys go elsewhere."""


@each
@pytest.mark.case("B11")
def test_the_row_of_an_empty_composer_is_where_it_shows_nothing_and_nowhere_else(fixture: Fixture):
    size = fixture.test_id.removeprefix(f"{fixture.state.name}-")
    screen, _ = taken("codex", fixture.test_id)
    found = matching(read(f"idle-{size}").steady, screen)
    name = fixture.state.name
    if name in ELSEWHERE:
        assert matching(READER.dialogs, screen)
    elif fixture.state.dialog != "transcript" and name != "suspended":
        assert bool(found) == (name in BLANK)


@given(fixtures, st.integers(0, 60), st.integers(0, 60), st.integers(8, 220))
def test_a_screen_that_is_cut_never_turns_empty(fixture: Fixture, top: int, rows: int, width: int):
    screen, facts = taken("codex", fixture.test_id)
    lines = tuple(line[:width] for line in screen.lines[top : top + rows])
    cut = Screen(lines, screen.styled[top : top + rows])
    if fixture.state.composer != "empty":
        assert READER.read(cut, facts).composer != "empty"


garbage = st.lists(
    st.one_of(
        st.text(),
        st.text("› !•↑…\xa0", max_size=120),
        st.sampled_from(["› ", "›", "› 1. Yes", "  ← for agents · ? for shortcuts", "\x1b[2m"]),
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
    composer = READER.read(*below(*taken("codex", fixture.test_id), lines)).composer
    assert composer != "empty" or fixture.state.composer == "empty"


SPOOFS = (
    ("  Would you like to run the following command?", "  › 1. Yes, proceed (y)", "    2. No"),
    ("• Hooks need review", "  › 1. Review hooks", "  enter confirm · esc skip"),
    ("  › merge PR 10 only af", "", "    ? for shortcuts"),
    ("  Trust this folder? Sign in with, Resume a previous session", "  Browsing · esc back"),
)


@pytest.mark.parametrize("spoof", SPOOFS, ids=lambda spoof: spoof[0].strip()[:20])
@pytest.mark.parametrize("size", SIZES)
def test_words_of_a_dialog_in_ordinary_output_are_none(spoof: tuple[str, ...], size: str):
    reading = READER.read(*below(*taken("codex", f"idle-{size}"), spoof))
    assert (reading.dialog, reading.composer, reading.busy) == (None, "empty", False)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.case("B2")
def test_a_hint_is_known_by_its_style_alone(size: str):
    screen, facts = taken("codex", f"idle-{size}")
    plain = tuple(line.replace("\x1b[2mAsk", "Ask") for line in screen.styled)
    assert READER.read(Screen(screen.lines, plain), facts).composer != "empty"
    assert READER.read(Screen(screen.lines, screen.lines), facts).composer != "empty"


@pytest.mark.parametrize("size", SIZES)
def test_a_cursor_elsewhere_or_none_means_that_keys_go_elsewhere(size: str):
    screen, facts = taken("codex", f"idle-{size}")
    _, row = facts.cursor or (0, 0)
    for cursor in (None, (0, 0), (3, row), (2, row + 2)):
        assert READER.read(screen, replace(facts, cursor=cursor)).composer != "empty"


@pytest.mark.parametrize("mark", ["\x1b[2m›", "\x1b[7m›"], ids=["past prompt", "selection"])
def test_a_glyph_that_is_dim_or_reversed_is_no_composers(mark: str):
    screen, facts = taken("codex", "draft-80")
    styled = tuple(line.replace("›", mark) for line in screen.styled)
    assert READER.read(Screen(screen.lines, styled), facts).composer == "unseen"
