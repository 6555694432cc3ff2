"""Pi's screens, as the real program drew them, and what is read off them.

The fixtures are taken by ``python -m validation.screens pi``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tongs_agents.harness.pi import PiReader
from tongs_mux.backend import Guard
from tongs_mux.backends.tmux_format import may_type, parse_screen
from tongs_mux.leftover import holds
from tongs_mux.model import PaneFacts, ProcessIdentity, Screen
from tongs_mux.reader import Reader, Reading

SCREENS = Path(__file__).with_name("screens") / "pi"
SIZES = ("200", "80", "25", "regular-80")
WIDTHS = {"200": 200, "80": 80, "25": 25, "regular-80": 80}
READER: Reader = PiReader()

FORTY = "\n".join(f"line {number} of the text" for number in range(1, 41))
NINE = "\n".join(f"line {number} of the text" for number in range(1, 10))
LONG = ("word " * 300)[:1250]
SAYS = "Allow it?\n→ Yes\n> No\nenter select  escape/ctrl+c cancel"


class State(NamedTuple):
    """One state of the program. ``text`` is what its composer holds, where it is readable."""

    name: str
    composer: str
    dialog: str | None = None
    busy: bool = False
    text: str = ""


STATES = [
    State("idle", "empty"),
    State("idle-named", "empty"),
    State("words-in-output", "empty"),
    State("escaped", "empty"),
    State("failed", "empty"),
    State("in-tool-escaped", "empty"),
    State("permission-escaped", "empty"),
    State("own-command", "empty"),
    State("own-command-ended", "empty"),
    State("padded", "empty"),
    State("streaming", "empty", busy=True),
    State("steered", "empty", busy=True),
    State("in-tool", "empty", busy=True),
    State("draft", "draft", text="merge PR 10 only af"),
    State("draft-cursor-home", "draft", text="merge PR 10 only af"),
    State("draft-three-lines", "draft", text="one\ntwo\nthree"),
    State("draft-blank-first", "draft", text="\n\ntwo"),
    State("draft-dialog-words", "draft", text=SAYS),
    State("draft-rules", "draft", text="one\nRULE\nthree"),
    State("draft-wrapped", "draft", text=LONG[:150]),
    State("draft-clipped", "draft", text=LONG[:990]),
    State("draft-clipped-both", "draft", text="\n".join(f"typed {n}" for n in range(30))),
    State("draft-nine-lines", "draft", text=NINE),
    State("draft-forty-lines", "draft", text=FORTY),
    State("draft-pasted", "draft", text=LONG),
    State("draft-shell", "draft", text="!ls"),
    State("draft-menu", "draft", text="/mod"),
    State("draft-wide", "draft", text="漢字 e\u0301 \U0001f468\u200d\U0001f469 x"),
    State("padded-draft", "draft", text="merge PR 10 only af"),
    State("streaming-draft", "draft", busy=True, text="and a draft"),
    State("streaming-clipped", "draft", busy=True, text="\n".join(f"draft {n}" for n in range(30))),
    State("permission", "unseen", "dialog"),
    State("question-choose", "unseen", "dialog"),
    State("question-field", "unseen", "dialog"),
    State("question-edit", "unseen", "dialog"),
    State("question-revise", "unseen", "dialog"),
    State("trust", "unseen", "trust"),
    State("resume", "unseen", "resume"),
    State("open-model", "unseen", "model"),
    State("open-settings", "unseen", "settings"),
    State("padded-settings", "unseen", "settings"),
    State("open-tree", "unseen", "tree"),
    State("open-resume", "unseen", "resume"),
    State("open-trust", "unseen", "trust"),
    State("open-mcp", "unseen", "dialog"),
    State("open-login", "unseen", "login"),
    State("open-thinking", "unseen", "dialog"),
    State("open-fork", "unseen", "fork"),
    State("open-search", "unseen", "search"),
    State("editor", "unseen"),
    State("suspended", "unseen"),
    State("exited", "unseen"),
]
ABSENT = {"open-search-regular-80"}
"""The main screen's own scrollback is searched by the terminal."""

DIFFERS = {"resume-25": "dialog", "open-resume-25": "dialog"}
"""The dialogs' names where they differ by size: their title is cut off there."""


class Fixture(NamedTuple):
    """A state at one size."""

    test_id: str
    state: State
    dialog: str | None
    width: int

    @property
    def text(self) -> str:
        return self.state.text.replace("RULE", "─" * (self.width + 5))


FIXTURES = [
    Fixture(name, state, DIFFERS.get(name, state.dialog), WIDTHS[size])
    for state in STATES
    for size in SIZES
    if (name := f"{state.name}-{size}") not in ABSENT
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
    return parse_screen(styled), pane(width, height, (column, row))


def pane(width: int, height: int, cursor: tuple[int, int] | None) -> PaneFacts:
    return PaneFacts(
        pane_id="%0",
        pid=1,
        session="s",
        window="@0",
        dead=False,
        mode="",
        synchronized=False,
        command="pi",
        title="",
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
    assert holds(reading, fixture.text) == (state.text != "")
    assert not holds(reading, "two lines of\nanother text")
    if not (reading.placeholder or reading.clipped):
        assert not holds(reading, f"{state.text} and more")


def as_zellij_has_it(name: str) -> tuple[Screen, PaneFacts]:
    """A fixture without its cursor: hidden, it is not told, and a cell at a line's end is lost."""
    screen, facts = taken(name)
    styled = [
        re.sub(r"\x1b\[(?:0;)?7m(?:\x1b\[[0-9;]*m)* ?(\x1b.*)?$", r"\1", line)
        for line in screen.styled
    ]
    return parse_screen(styled), replace(facts, cursor=None)


SHOWN = {"suspended", "exited", "editor", "padded", "padded-draft", "padded-settings"}
"""Where the terminal's own cursor is shown, and so told on Zellij too."""
LOST = {"draft-blank-first", "draft-dialog-words"}
"""Without a cursor these read as a dialog: nothing is sent."""


@each
@pytest.mark.case("B1", "B2", "B3")
@pytest.mark.requirement("A84")
def test_without_a_cursor_a_screen_is_read_for_what_it_is(fixture: Fixture):
    name = fixture.state.name
    if name in SHOWN:
        assert taken(fixture.test_id)[1].cursor is not None
        return
    reading = READER.read(*as_zellij_has_it(fixture.test_id))
    if name in LOST:
        assert reading.composer == "unseen"
        return
    assert (reading.composer, reading.cursor) == (fixture.state.composer, None)
    assert holds(reading, fixture.text) == (fixture.state.text != "")
    assert (reading.dialog is None) == (fixture.dialog is None)


@each
def test_what_stands_in_the_composers_place_matches_a_pattern_of_the_guard(fixture: Fixture):
    screen, _ = taken(fixture.test_id)
    if fixture.dialog is not None:
        assert matching(READER.dialogs, screen)
    elif fixture.state.name in {"idle", "streaming", "draft", "in-tool", "padded"}:
        assert not matching(READER.dialogs, screen)


@each
def test_what_has_to_be_so_is_so_and_can_be_asked_of_the_server(fixture: Fixture):
    screen, facts = taken(fixture.test_id)
    reading = READER.read(screen, facts)
    assert matching(reading.steady, screen) == list(reading.steady)
    server = ProcessIdentity(1, "start")
    assert may_type(Guard(server, "%0", 1, READER.dialogs, reading.steady, reading.cursor))
    assert bool(reading.steady) == (reading.composer == "draft")
    assert (reading.cursor is not None) == (reading.composer == "empty")


@pytest.mark.case("B11")
@pytest.mark.parametrize("size", SIZES)
def test_an_empty_composer_is_one_at_whose_start_the_cursor_stands(size: str):
    screen, facts = taken(f"idle-{size}")
    assert READER.read(screen, facts).cursor == facts.cursor
    assert facts.cursor is not None
    column, row = facts.cursor
    for other in ((column + 1, row), (column, row - 2), (column, row + 2)):
        assert READER.read(screen, replace(facts, cursor=other)).composer == "unseen"


@given(fixtures, st.integers(0, 60), st.integers(0, 60), st.integers(8, 220))
def test_a_screen_that_is_cut_never_turns_empty(fixture: Fixture, top: int, rows: int, width: int):
    screen, facts = taken(fixture.test_id)
    lines = tuple(line[:width] for line in screen.lines[top : top + rows])
    cut = Screen(lines, screen.styled[top : top + rows])
    column, row = facts.cursor or (0, 0)
    moved = replace(facts, cursor=(column, row - top))
    if fixture.state.composer != "empty" and not fixture.state.name.startswith("question"):
        assert READER.read(cut, moved).composer != "empty"


garbage = st.lists(
    st.one_of(
        st.text(),
        st.text("─ →›>↑↓\x1b[7m⠋·…", max_size=120),
        st.sampled_from(["─" * 80, "\x1b[7m \x1b[0m", " → Yes", "── ⠸ Working " + "─" * 67]),
    ),
    max_size=60,
).map(tuple)


@given(
    garbage,
    garbage,
    st.integers(-1, 300),
    st.integers(-1, 100),
    st.one_of(st.none(), st.tuples(st.integers(-1, 300), st.integers(-1, 100))),
)
def test_whatever_is_on_the_screen_something_is_said(
    lines: tuple[str, ...],
    styled: tuple[str, ...],
    width: int,
    height: int,
    cursor: tuple[int, int] | None,
):
    reading = READER.read(Screen(lines, styled), pane(width, height, cursor))
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


@pytest.mark.parametrize("size", SIZES)
def test_the_editor_of_an_extension_is_not_the_composer(size: str):
    """Between its own two rules stands an empty row with the cursor, as in the composer."""
    reading = read(f"question-edit-{size}")
    assert (reading.composer, reading.dialog) == ("unseen", "dialog")


@pytest.mark.parametrize("size", SIZES)
def test_a_menu_below_an_empty_composer_would_take_the_enter(size: str):
    screen, facts = taken(f"idle-{size}")
    rule = max(number for number, line in enumerate(screen.lines) if line.startswith("─"))
    menu = ("→ settings  Open settings menu", "  model")
    lines = (*screen.lines[: rule + 1], *menu, *screen.lines[rule + 1 :])
    styled = (*screen.styled[: rule + 1], *menu, *screen.styled[rule + 1 :])
    assert READER.read(Screen(lines, styled), facts).composer == "draft"


@pytest.mark.parametrize(
    "upper",
    [
        "── ⠸ Working " + "─" * 67,
        "── ⠸ Compacting context... (escape to cancel) " + "─" * 34,
        "───⠸" + "─" * 76,
        "── ⠸ Retrying (1/3) in 2s... (escape to cancel) " + "─" * 32,
    ],
)
def test_what_the_upper_rule_says_is_what_it_is_doing(upper: str):
    screen, facts = taken("idle-80")
    above, _ = (n for n, line in enumerate(screen.lines) if line.startswith("─"))
    lines = (*screen.lines[:above], upper, *screen.lines[above + 1 :])
    reading = READER.read(Screen(lines, screen.styled), facts)
    assert (reading.composer, reading.busy) == ("empty", True)
