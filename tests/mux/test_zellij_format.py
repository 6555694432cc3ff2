"""What Zellij says, read: its listings, clients and screens; and no other text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tongs_mux.backends import zellij_format as form
from tongs_mux.errors import BackendOutputError

TEXT = st.text(max_size=40)
PANE_KEYS = ("id", "is_plugin", "tab_id", "exited", "is_held", "is_suppressed", "title")


def pane(number: int = 1, **changes: Any) -> dict[str, Any]:
    """A pane as ``list-panes --all --json`` has it (0.45.1)."""
    return {
        "id": number,
        "is_plugin": False,
        "is_focused": False,
        "is_floating": False,
        "is_suppressed": False,
        "title": "a title",
        "exited": False,
        "exit_status": None,
        "is_held": False,
        "pane_x": 80,
        "pane_y": 1,
        "pane_content_x": 80,
        "pane_content_y": 1,
        "pane_content_rows": 22,
        "pane_content_columns": 80,
        "cursor_coordinates_in_pane": [3, 4],
        "terminal_command": None,
        "tab_id": 0,
        "pane_command": "/usr/bin/claude --flag",
        **changes,
    }


def tab(number: int = 0, **changes: Any) -> dict[str, Any]:
    return {
        "tab_id": number,
        "is_sync_panes_active": False,
        "selectable_tiled_panes_count": 1,
        "selectable_floating_panes_count": 0,
        **changes,
    }


def panes(*rows: dict[str, Any], tabs: tuple[dict[str, Any], ...] = (tab(),)):
    return form.parse_panes(json.dumps(rows), json.dumps(tabs), "one")


def test_a_pane_is_read():
    (found,) = panes(pane(7)).values()
    assert (found.pane_id, found.pid, found.session, found.window) == (
        "terminal_7",
        None,
        "one",
        "0",
    )
    assert (found.dead, found.mode, found.synchronized) == (False, "", False)
    assert (found.command, found.title) == ("claude", "a title")
    assert (found.width, found.height, found.cursor) == (80, 22, (3, 4))


def test_plugins_are_no_panes_though_their_ids_overlap():
    found = panes(pane(1, is_plugin=True, is_suppressed=True), pane(1, title="ours"))
    assert [it.title for it in found.values()] == ["ours"]


@pytest.mark.parametrize("facts", [{"exited": True}, {"is_held": True}])
def test_exited_and_held_panes_are_dead(facts: dict[str, bool]):
    assert panes(pane(**facts))["terminal_1"].dead


def test_a_suppressed_pane_is_in_a_mode():
    assert panes(pane(is_suppressed=True))["terminal_1"].mode == "suppressed"


def test_only_panes_of_a_synchronized_tab_are_synchronized():
    both = (tab(0), tab(1, is_sync_panes_active=True))
    found = panes(pane(1, tab_id=0), pane(2, tab_id=1), tabs=both)
    assert {it: facts.synchronized for it, facts in found.items()} == {
        "terminal_1": False,
        "terminal_2": True,
    }


def test_the_cursor_is_counted_from_the_content_not_from_the_frame():
    framed = pane(pane_content_x=81, pane_content_y=2)
    assert panes(framed)["terminal_1"].cursor == (2, 3)


def test_an_exited_pane_has_no_command_of_its_own():
    """Then Zellij names none, and what it was opened with is shown."""
    gone = pane(terminal_command="/bin/sh -c x")
    del gone["pane_command"]
    assert panes(gone)["terminal_1"].command == "sh"


@given(number=st.integers(0, 10**8), title=TEXT, command=TEXT, cursor=st.none() | st.tuples(
    st.integers(0, 999), st.integers(0, 999)), flags=st.tuples(*[st.booleans()] * 3))  # fmt: skip
def test_what_is_listed_is_what_is_read(number, title, command, cursor, flags):
    exited, held, suppressed = flags
    row = pane(
        number, title=title, pane_command=command, exited=exited, is_held=held,
        is_suppressed=suppressed, cursor_coordinates_in_pane=cursor,
    )  # fmt: skip
    found = panes(row, pane(number, is_plugin=True))
    assert found.keys() == {f"terminal_{number}"}
    facts = found[f"terminal_{number}"]
    assert (facts.title, facts.cursor) == (title, cursor)
    assert (facts.dead, facts.mode) == (exited or held, "suppressed" if suppressed else "")


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(PANE_KEYS), inner),
    max_leaves=12,
)


@given(text=TEXT | JSON.map(json.dumps))
def test_what_is_no_listing_is_an_error_and_nothing_worse(text: str):
    good_panes, good_tabs = json.dumps([pane()]), json.dumps([tab()])
    for read in (
        lambda: form.parse_panes(text, good_tabs, "one"),
        lambda: form.parse_panes(good_panes, text, "one"),
        lambda: form.parse_commands(text),
        lambda: form.is_husk(text),
        lambda: form.parse_clients(text),
        lambda: form.parse_opened(text),
    ):
        try:
            read()
        except BackendOutputError:
            continue


@pytest.mark.parametrize("text", ["", "\n", "[]", "{}", "null", "There is no active session!"])
def test_an_empty_answer_is_no_answer(text: str):
    with pytest.raises(BackendOutputError):
        form.parse_panes(text, json.dumps([tab()]), "one")
    with pytest.raises(BackendOutputError):
        form.parse_panes(json.dumps([pane()]), text, "one")


@pytest.mark.parametrize("key", ["id", "tab_id", "is_plugin", "exited", "is_held", "title"])
def test_a_listing_without_what_is_needed_is_an_error(key: str):
    row = pane()
    del row[key]
    with pytest.raises(BackendOutputError):
        panes(row)


def test_commands_tell_what_was_opened_with_what():
    rows = [pane(1, terminal_command="sleep 3"), pane(2), pane(1, is_plugin=True)]
    assert form.parse_commands(json.dumps(rows)) == {"terminal_1": "sleep 3", "terminal_2": ""}
    assert form.parse_commands("[]") == {}


def test_a_husk_has_only_bars():
    empty = tab(selectable_tiled_panes_count=0)
    assert form.is_husk(json.dumps([empty, {**empty, "tab_id": 1}]))
    assert not form.is_husk(json.dumps([empty, tab(1)]))
    assert not form.is_husk(json.dumps([{**empty, "selectable_floating_panes_count": 1}]))


# -- clients


def test_clients_and_what_they_show():
    text = (
        "CLIENT_ID ZELLIJ_PANE_ID RUNNING_COMMAND\n"
        "1         terminal_3     vim a b        \n"
        "12        plugin_2       N/A            \n"
    )
    assert form.parse_clients(text) == {"1": "terminal_3", "12": "plugin_2"}


def test_no_clients_are_a_header():
    assert form.parse_clients("CLIENT_ID ZELLIJ_PANE_ID RUNNING_COMMAND\n") == {}


@pytest.mark.parametrize("text", ["", "\n", "1 terminal_3 vim\n"])
def test_clients_without_a_header_are_no_answer(text: str):
    with pytest.raises(BackendOutputError):
        form.parse_clients(text)


# -- what was opened, and by which version


@pytest.mark.parametrize("text", ["", "plugin_3\n", "terminal_\n", "terminal_1 terminal_2", "3"])
def test_what_is_no_panes_id_was_not_opened(text: str):
    with pytest.raises(BackendOutputError):
        form.parse_opened(text)


def test_the_id_that_was_opened():
    assert form.parse_opened("terminal_12\n") == "terminal_12"


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("zellij 0.45.1\n", (0, 45, 1)),
        ("zellij 0.44.2-dev", (0, 44, 2)),
        ("", ()),
        ("tmux 3.3a", ()),
    ],
)
def test_versions(text: str, version: tuple[int, ...]):
    assert form.parse_version(text) == version


# -- screens

CELLS = st.text(st.sampled_from("ab c項目❯─x"), max_size=60)


def cells(row: str) -> int:
    return sum(2 if char in "項目" else 1 for char in form.plain(row))


@given(line=CELLS, columns=st.integers(2, 20))
def test_a_wrapped_line_is_rows_again_and_loses_nothing(line: str, columns: int):
    rows = form.wrap(line, columns)
    assert "".join(rows) == line
    assert all(cells(row) <= columns for row in rows)
    # full but for the cell that a wide character did not fit into
    assert all(cells(row) >= columns - 1 for row in rows[:-1])


@given(line=CELLS, columns=st.integers(2, 20))
def test_styles_take_no_room(line: str, columns: int):
    styled = "".join(f"\x1b[38;5;{number}m{char}" for number, char in enumerate(line))
    rows = [form.plain(row) for row in form.wrap(styled, columns)]
    assert rows == form.wrap(line, columns)


@given(
    above=st.lists(CELLS, max_size=30), shown=st.lists(CELLS, min_size=1, max_size=12),
    columns=st.integers(2, 70),
)  # fmt: skip
def test_the_screen_is_the_end_of_the_dump(above: list[str], shown: list[str], columns: int):
    """A line that has begun above it is dumped whole."""
    rows = [row for line in shown for row in form.wrap(line, columns)]
    assume(len(above) + len(shown) <= len(rows))
    dump = "".join(f"{line}\n" for line in (*above, *shown))
    screen = form.parse_screen(dump, columns, len(rows))
    assert screen.lines == tuple(rows)
    assert len(screen.styled) == len(screen.lines)


@given(shown=st.lists(CELLS, min_size=1, max_size=12), below=st.integers(1, 90))
def test_what_a_dump_has_below_the_screen_is_not_on_it(shown: list[str], below: int):
    dump = "".join(f"{line}\n" for line in shown) + "\n" * below
    assert form.parse_screen(dump, 120, len(shown)).lines == tuple(shown)


def test_styles_are_kept_beside_the_plain_text():
    screen = form.parse_screen(
        "\x1b[mplain\n\x1b[1mbold\x1b[m \x1b]8;;http://x\x1b\\link\n", 80, 24
    )
    assert screen.lines == ("plain", "bold link")
    assert screen.styled[1].startswith("\x1b[1mbold")


def test_an_empty_dump_is_no_screen():
    with pytest.raises(BackendOutputError):
        form.parse_screen("", 80, 24)
    assert form.parse_screen("\n", 80, 24).lines == ("",)


def test_history_is_the_end_without_what_is_empty():
    dump = "".join(f"\x1b[1mline {number}\x1b[m   \n" for number in range(9)) + "\n\n"
    assert form.parse_history(dump, 2) == ("line 7", "line 8")
    assert len(form.parse_history(dump, 100)) == 9


def test_patterns_are_searched_line_by_line():
    lines = ("> ", "  Do you want to proceed?  ")
    assert form.holds(lines, (), ("^>$",))
    assert form.holds(lines, ("^nothing$",), ())
    assert not form.holds(lines, ("proceed.$",), ("^>$",))
    assert not form.holds(lines, (), ("^>$", "^missing"))


def test_only_blanks_at_a_lines_end_are_left_out_of_the_search():
    assert form.holds(("❯\xa0  ",), (), ("^❯.$",))  # Claude Code's empty composer
