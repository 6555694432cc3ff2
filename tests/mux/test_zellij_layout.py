"""What a session that we start is told, as text; that Zellij reads it so, the kit shows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tongs_mux.backends.zellij_layout import CONFIG, kdl, layout


@given(text=st.text())
def test_a_word_stays_one_string_on_one_line(text: str):
    written = kdl(text)
    assert written.isprintable()
    assert written[0] == written[-1] == '"'
    # within, each quote is escaped, and no escape is left open
    inside = written[1:-1].replace("\\\\", "")
    assert '"' not in inside.replace('\\"', "")
    assert not inside.endswith("\\")


def test_a_layout_runs_the_command_once_and_ends_with_it():
    text = layout(("/bin/x", 'a "b"', ""), "/a b", "name")
    assert 'command="/bin/x" cwd="/a b" name="name" close_on_exit=true' in text
    assert 'args "a \\"b\\"" "";' in text
    template, _, tab = text.partition("    tab {")
    assert "/bin/x" not in template
    assert tab.count("/bin/x") == 1


def test_a_command_without_words_has_no_arguments():
    assert "args" not in layout(("x",), "/", "n")


def test_no_session_of_ours_can_be_brought_back_to_life():
    assert "session_serialization false\n" in CONFIG
