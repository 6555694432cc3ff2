"""Keys: what bytes mean, however they were cut up."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tongs_agents.scripted_agent.keys import (
    PASTE_END,
    PASTE_START,
    Char,
    Event,
    Key,
    Parser,
    Paste,
)


def events_of(*chunks: bytes) -> list[Event]:
    parser = Parser()
    return [event for chunk in chunks for event in parser.feed(chunk)]


@st.composite
def cut(draw: st.DrawFn) -> tuple[bytes, list[bytes]]:
    """Bytes rich in what matters, and a way to cut them."""
    parts = st.one_of(
        st.binary(max_size=6),
        st.text(max_size=6).map(lambda text: text.encode("utf-8", "replace")),
        st.sampled_from([PASTE_START, PASTE_END, b"\x1b", b"\x1b[A", b"\x1b[1;5C", b"\r", b"\n"]),
    )
    data = b"".join(draw(st.lists(parts, max_size=12)))
    places = sorted(draw(st.lists(st.integers(0, len(data)), max_size=8)))
    edges = [0, *places, len(data)]
    return data, [data[a:b] for a, b in pairwise(edges)]


@given(cut())
def test_any_cut_of_the_same_bytes_gives_the_same_events(case: tuple[bytes, list[bytes]]):
    data, chunks = case
    whole = events_of(data)
    assert events_of(*chunks) == whole
    assert events_of(*(bytes([byte]) for byte in data)) == whole


@given(st.text().filter(lambda text: "\x1b" not in text))
def test_a_paste_arrives_byte_for_byte(text: str):
    data = text.encode("utf-8", "surrogatepass")
    assert events_of(PASTE_START + data + PASTE_END + b"\r") == [Paste(data), Key("enter")]


@given(st.text(st.characters(exclude_categories=("Cc", "Cs"))))
def test_text_is_typed_character_by_character(text: str):
    assert events_of(text.encode()) == [Char(char) for char in text]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\r", [Key("enter")]),
        (b"\n", [Key("newline")]),
        (b"\x15", [Key("clear")]),
        (b"\x7f\x08", [Key("backspace"), Key("backspace")]),
        (b"\x03\x04", [Key("interrupt"), Key("end")]),
        (b"\x1b[A\x1b[15~\x1bOPx", [Char("x")]),
        (b"\x1b\r", [Key("escape"), Key("enter")]),
        (b"\x1b[3\r", [Key("enter")]),
        (b"\xff\xc3(", [Char("\ufffd"), Char("\ufffd"), Char("(")]),
        (b"\x00\x09", []),
        (PASTE_END + b"a", [Char("a")]),
        (PASTE_START + b"\x1b[200~\x1b[A\x03" + PASTE_END, [Paste(b"\x1b[200~\x1b[A\x03")]),
    ],
)
def test_what_bytes_mean(data: bytes, expected: list[Event]):
    assert events_of(data) == expected


def test_a_lone_escape_is_the_key_once_nothing_followed():
    parser = Parser()
    assert parser.feed(b"\x1b") == []
    assert parser.undecided
    assert parser.flush() == [Key("escape")]
    assert parser.flush() == []


def test_silence_does_not_end_a_paste():
    parser = Parser()
    parser.feed(PASTE_START + b"half\x1b")
    assert parser.flush() == []
    assert parser.feed(b"[201~") == [Paste(b"half")]


def test_every_line_end_in_a_paste_is_one_newline():
    assert Paste(b"a\r\nb\rc\nd").text == "a\nb\nc\nd"
