"""What tmux says, taken apart: no text of others shifts a number or hides a pane."""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tongs_mux.backend import Guard
from tongs_mux.backends import tmux_format as form
from tongs_mux.errors import BackendOutputError
from tongs_mux.model import PaneFacts, ProcessIdentity

GUARD = Guard(ProcessIdentity(100, "boot:1"), "%3", 200)

numbers = st.integers(min_value=0, max_value=2**31)
words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20)
free = words | st.lists(words | st.just(form.SEPARATOR)).map("".join)
"""Text of others: it may hold anything, the separator too."""
flags = st.booleans()


def row(server: int, facts: PaneFacts) -> str:
    """What tmux prints for a pane in ``PANE_FORMAT``."""
    column, line = facts.cursor or ("", "")
    values = (
        *(server, facts.pane_id, facts.pid, int(facts.dead), int(bool(facts.mode))),
        *(int(facts.synchronized), int(facts.input_off), facts.width, facts.height),
        *(column, line, facts.window),
        *(facts.mode, facts.command, facts.title, facts.session),
    )
    return form.SEPARATOR.join(map(str, values))


def panes(*, command=words, session=free, title=words) -> st.SearchStrategy[PaneFacts]:
    return st.builds(
        PaneFacts,
        pane_id=st.integers(0, 10**6).map("%{}".format),
        pid=numbers,
        session=session,
        window=numbers.map("@{}".format),
        dead=flags,
        mode=st.sampled_from(["", "copy-mode", "view-mode", "tree-mode"]),
        synchronized=flags,
        command=command,
        title=title,
        width=numbers,
        height=numbers,
        cursor=st.none() | st.tuples(numbers, numbers),
        input_off=flags,
    )


def test_the_format_asks_for_as_many_fields_as_a_row_has():
    fields = re.findall(r"#\{[^}]*\}", form.PANE_FORMAT)
    facts = PaneFacts("%1", 1, "s", "@1", False, "", False, "c", "t", 1, 1)
    assert len(fields) == len(row(1, facts).split(form.SEPARATOR)) == 16


@pytest.mark.case("A22")
@given(numbers, panes())
def test_a_row_is_read_as_it_was_written_whatever_the_session(server: int, facts: PaneFacts):
    assert form.parse_pane(row(server, facts)) == (server, facts)


@pytest.mark.case("A22")
@given(numbers, panes(command=free, title=free))
def test_no_name_shifts_a_number(server: int, facts: PaneFacts):
    found = form.parse_pane(row(server, facts))
    assert found is not None
    numbers_of = [
        (it.pane_id, it.pid, it.window, it.dead, it.mode, it.synchronized, it.width, it.height)
        for it in (found[1], facts)
    ]
    assert numbers_of[0] == numbers_of[1]
    assert (found[0], found[1].cursor) == (server, facts.cursor)


@given(st.text() | st.lists(free, min_size=15, max_size=18).map(form.SEPARATOR.join))
def test_junk_is_an_output_error_or_no_pane(line: str):
    try:
        found = form.parse_pane(line)
    except BackendOutputError:
        return
    assert found is None or re.fullmatch("%[0-9]{1,9}", found[1].pane_id)


@pytest.mark.parametrize("field", range(16))
@pytest.mark.parametrize("junk", ["", "x", "-", "1.5", "9" * 5000, "\u0661", "1 2"], ids=repr)
def test_a_field_of_junk_is_an_output_error_or_only_a_text(field: int, junk: str):
    facts = PaneFacts("%1", 1, "s", "@1", False, "", False, "c", "t", 80, 24, (0, 0))
    parts = row(1, facts).split(form.SEPARATOR)
    parts[field] = junk
    with contextlib.suppress(BackendOutputError):
        form.parse_pane(form.SEPARATOR.join(parts))


@pytest.mark.case("C2")
def test_the_empty_fields_of_a_missing_target_are_no_pane():
    assert form.parse_pane("123" + form.SEPARATOR * 15) is None


@pytest.mark.case("C12")
def test_a_dead_pane_is_dead_and_a_living_one_says_nothing_or_zero():
    facts = PaneFacts("%1", 1, "s", "@1", False, "", False, "c", "t", 80, 24, (0, 0))
    parts = row(1, facts).split(form.SEPARATOR)
    for said, dead in (("", False), ("0", False), ("1", True)):
        parts[3] = said
        found = form.parse_pane(form.SEPARATOR.join(parts))
        assert found is not None
        assert found[1].dead is dead


# -- screens

sgr = st.lists(st.integers(0, 255).map(str), max_size=5).map(lambda it: f"\x1b[{';'.join(it)}m")
links = words.flatmap(
    lambda url: st.sampled_from([f"\x1b]8;;{url}\x1b\\", f"\x1b]8;id=1;{url}\x07"])
)
shifts = st.sampled_from(["\x0e", "\x0f"])


@given(st.lists(st.tuples(words, sgr | links | shifts)))
def test_plain_takes_every_style_and_link_and_no_text(parts: list[tuple[str, str]]):
    styled = "".join(text + code for text, code in parts)
    assert form.plain(styled) == "".join(text for text, _ in parts)


@given(st.lists(words))
def test_a_screen_keeps_its_lines(lines: list[str]):
    screen = form.parse_screen([f"\x1b[1m{line}\x1b[0m" for line in lines])
    assert screen.lines == tuple(lines)
    assert len(screen.styled) == len(lines)


# -- what is said to tmux

PATTERNS = ["^> $", "^. [0-9]+ x*$", "(yes|no)", "^────$", "Do you want to proceed", "a=b|c!", "!"]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_is_carried_as_it_is(pattern: str):
    absent = Guard(GUARD.server, GUARD.pane_id, GUARD.pane_pid, absent=(pattern,))
    steady = Guard(GUARD.server, GUARD.pane_id, GUARD.pane_pid, steady=(pattern,))
    assert form.may_type(absent)[-1] == f"#{{?#{{C/r:{pattern}}},0,1}}"
    assert form.may_type(steady)[-1] == f"#{{?#{{C/r:{pattern}}},1,0}}"


def test_the_cursor_is_asked_for_where_the_guard_names_its_cell():
    asked = form.may_type(Guard(GUARD.server, GUARD.pane_id, GUARD.pane_pid, cursor=(0, 20)))
    assert asked[-2:] == ["#{==:#{cursor_x},0}", "#{==:#{cursor_y},20}"]
    assert not any("cursor" in condition for condition in form.may_type(GUARD))


@pytest.mark.parametrize(
    "char", [*",{}#:;'\"\\`", "\n", "\t", "\x1b", "\x7f", "\x9b", "\0"], ids=repr
)
@pytest.mark.parametrize("side", ["absent", "steady"])
def test_a_pattern_that_tmux_would_read_otherwise_is_refused(char: str, side: str):
    for pattern in (char, f"a{char}b", f"ab{char}"):
        patterns = {"absent": (), "steady": (), side: (pattern,)}
        guard = replace(GUARD, absent=patterns["absent"], steady=patterns["steady"])
        with pytest.raises(ValueError, match="pattern"):
            form.may_type(guard)


@pytest.mark.parametrize("pattern", ["", "a\n"])
def test_an_empty_pattern_and_a_trailing_newline_are_refused(pattern: str):
    with pytest.raises(ValueError, match="pattern"):
        form.may_type(Guard(GUARD.server, GUARD.pane_id, GUARD.pane_pid, steady=(pattern,)))


def test_the_pane_itself_is_always_asked_for():
    assert len(form.same_pane(GUARD)) == 3
    assert form.may_type(GUARD)[:3] == form.same_pane(GUARD)
    assert len(form.same_pane(Guard(GUARD.server, "%3", None))) == 2


@given(st.lists(st.booleans(), min_size=1, max_size=8))
def test_all_of_is_true_only_where_each_is(values: list[bool]):
    text = form.all_of([str(int(value)) for value in values])
    assert _evaluate(text) is all(values)


def _evaluate(text: str) -> bool:
    """tmux's ``#{==:a,b}`` over 0 and 1."""
    match = re.fullmatch(r"#\{==:([01]+),(1+)\}", text)
    assert match is not None
    return match[1] == match[2]


@given(st.text(st.sampled_from('a ;#{}$~\\"%\n')))
def test_what_is_said_is_one_line_of_quoted_words_or_nothing(text: str):
    if "\n" in text:
        with pytest.raises(ValueError, match="command"):
            form.script("if-shell", text)
    else:
        assert form.script("if-shell", text) == f"'if-shell' '{text}'\n".encode()


def test_a_quote_is_never_let_in():
    with pytest.raises(ValueError, match="command"):
        form.script("a'; kill-server; '")


@pytest.mark.case("A12")
@given(st.text(st.sampled_from("a;\\ ")))
def test_an_argument_ends_no_command(text: str):
    said = form.argument(text)
    # what tmux does to each word that it is given
    ends = said.endswith(";")
    if ends and said.endswith("\\;"):
        said, ends = f"{said[:-2]};", False
    assert (said, ends) == (text, False)


@given(st.text(st.sampled_from("a#{}S")))
def test_a_literal_holds_no_format(text: str):
    said = form.literal(text)
    assert said.replace("##", "") == said.replace("##", "").replace("#", "")
    assert said.replace("##", "#") == text


@pytest.mark.parametrize("argv", [("two words",), ("a", "b"), ("",)])
def test_no_argv_is_left_to_a_shell_to_read(argv: tuple[str, ...]):
    said = form.command(argv)
    assert len(said) > 1
    assert said[-len(argv) :] == argv
