"""What may be typed: the text itself, byte for byte, or nothing."""

from __future__ import annotations

import hashlib
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tongs_mux.errors import BadText
from tongs_mux.text import MAX_BYTES, fingerprint, prepare, sha256

FORBIDDEN = [
    *(chr(code) for code in (*range(0x20), 0x7F, *range(0x80, 0xA0)) if chr(code) not in "\t\n"),
    *("\u2028", "\u2029", "\ud800", "\udfff", "\udc80"),
]
"""C0, DEL and C1 less tab and LF; the separators that are line ends to some; surrogates."""

typeable = st.text(
    st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\u2028\u2029")
    | st.sampled_from("\t\n")
).filter(lambda text: text.strip("\n"))


def refusal(text: str) -> BadText:
    with pytest.raises(BadText) as caught:
        prepare(text)
    return caught.value


@given(typeable)
def test_text_is_unchanged_but_for_its_trailing_newlines(text: str):
    assert prepare(text).decode("utf-8") == text.rstrip("\n")


@given(st.text())
def test_what_goes_through_can_steer_no_terminal(text: str):
    try:
        body = prepare(text).decode("utf-8")
    except BadText:
        return
    assert all(
        unicodedata.category(char) != "Cc" for char in body.replace("\t", "").replace("\n", "")
    )
    assert body
    assert not body.endswith("\n")


@pytest.mark.case("A11")
@pytest.mark.parametrize("char", FORBIDDEN, ids=lambda char: f"U+{ord(char):04X}")
def test_each_forbidden_character_is_refused_wherever_it_stands(char: str):
    for text in (char, f"{char}x", f"x{char}y", f"x{char}", f"line\n{char}x"):
        error = refusal(text)
        assert error.reason == "bad-text"
        assert f"U+{ord(char):04X}" in error.message
        assert char not in error.message + error.hint


@pytest.mark.case("A11")
@pytest.mark.parametrize(
    "text",
    [
        "x\x1b[201~\rtouch /tmp/pwn\r",
        "\x1b[20\x1b[201~1~",
        b"\xc2\x9b201~".decode("utf-8"),
        "\x1b[200~nested\x1b[201~",
        "x\x00y\x03z",
        "go\r",
        "a\r\r\nb",
    ],
    ids=repr,
)
def test_no_end_marker_and_no_key_gets_through(text: str):
    assert refusal(text).reason == "bad-text"


@pytest.mark.case("A6")
@pytest.mark.parametrize("tail", ["\n", "\n\n", "\r\n", "\r\n\r\n", "\n\r\n"], ids=repr)
def test_trailing_newlines_are_dropped(tail: str):
    assert prepare(f"do it{tail}") == b"do it"


def test_a_carriage_return_before_a_newline_is_a_windows_line_end():
    assert prepare("one\r\ntwo\n\n three \r\n") == b"one\ntwo\n\n three "


@pytest.mark.parametrize("text", ["", "\n", "\n\n\n", "\r\n"], ids=repr)
def test_nothing_is_not_a_text(text: str):
    assert refusal(text).reason == "bad-text"


@pytest.mark.parametrize("text", [" ", "\t", ";", "\\", "\u00a0", "\ufeff"], ids=repr)
def test_the_smallest_text_is_one_character(text: str):
    assert prepare(text) == text.encode("utf-8")


@pytest.mark.case("A14")
@pytest.mark.parametrize(("char", "size"), [("x", 1), ("é", 2), ("項", 3), ("🧑", 4)])
def test_32_kib_are_counted_in_bytes(char: str, size: int):
    whole, rest = divmod(MAX_BYTES, size)
    text = char * whole + "x" * rest
    assert len(prepare(text)) == MAX_BYTES == 32 * 1024
    assert len(prepare(f"{text}\n\n")) == MAX_BYTES
    error = refusal(f"{text}x")
    assert error.reason == "too-large"
    assert str(MAX_BYTES + 1) in error.message


@given(typeable)
def test_a_fingerprint_survives_any_wrapping(text: str):
    width = 7
    wrapped = "\n".join(text[at : at + width] for at in range(0, len(text), width))
    assert fingerprint(wrapped) == fingerprint(f"  {text}\n") == fingerprint("".join(text.split()))


def test_a_fingerprint_of_another_text_differs():
    assert len({fingerprint(text) for text in ("a b", "ab c", "", "\ud800")}) == 4


def test_the_hash_is_the_one_that_everybody_can_compute():
    assert sha256(b"do it") == hashlib.sha256(b"do it").hexdigest()
