"""What we left in a composer: known again however it is wrapped, and taken for nothing else."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tongs_mux.leftover import Leftover, LeftoverStore, holds, is_ours, left, lingers, sizes
from tongs_mux.reader import Reading
from tongs_mux.squeeze import squeezed
from tongs_mux.text import fingerprint, sha256

ID = "0123456789ab"
NOTE = left("act1", "do it", b"do it", 5.0)


def draft(text: str, *, placeholder: bool = False, clipped: bool = False) -> Reading:
    return Reading(None, "draft", text, placeholder, clipped)


@pytest.fixture
def store(tmp_path: Path) -> LeftoverStore:
    return LeftoverStore(tmp_path / "leftovers")


# -- the file


def test_a_note_holds_hashes_and_numbers_and_no_text():
    assert Leftover("act1", fingerprint("do it"), sha256(b"do it"), 5, (1, 0, 5, 5), 5.0) == NOTE


def test_what_is_remembered_is_recalled_until_it_is_forgotten(store: LeftoverStore):
    assert store.recall(ID) is None
    store.remember(ID, NOTE)
    assert store.recall(ID) == NOTE
    newer = replace(NOTE, act="act2", sizes=(1,))
    store.remember(ID, newer)
    assert store.recall(ID) == newer
    assert store.recall("another-one") is None
    store.forget(ID)
    store.forget(ID)
    assert store.recall(ID) is None


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_the_note_is_private_and_without_the_text(store: LeftoverStore, tmp_path: Path, umask: int):
    before = os.umask(umask)
    try:
        store.remember(ID, left("act1", "a secret", b"a secret", 5.0))
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*")}
    assert modes == {"leftovers": 0o700, f"{ID}.json": 0o600}
    assert "secret" not in (tmp_path / "leftovers" / f"{ID}.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"null", b"{}", b'{"sizes": 3}', b"\xff", b"x" * 5000, b"[" * 4000]
)
def test_a_broken_note_is_none(store: LeftoverStore, tmp_path: Path, data: bytes):
    store.remember(ID, NOTE)
    (tmp_path / "leftovers" / f"{ID}.json").write_bytes(data)
    assert store.recall(ID) is None


def test_a_note_that_others_could_have_written_is_none(store: LeftoverStore, tmp_path: Path):
    store.remember(ID, NOTE)
    (tmp_path / "leftovers" / f"{ID}.json").chmod(0o666)
    assert store.recall(ID) is None


# -- what a composer holds

texts = st.text(st.characters(exclude_categories=["Cc", "Cs"]) | st.just("\n"), min_size=1)
visible = texts.filter(squeezed)


@given(visible, st.integers(1, 30), st.sampled_from(["", " ", "  "]))
def test_a_text_is_known_again_however_it_is_wrapped(text: str, width: int, indent: str):
    rows = [text[at : at + width] for at in range(0, len(text), width)]
    shown = draft("\n".join(indent + row for row in rows))
    assert holds(shown, text)
    assert is_ours(shown, left("a", text, text.encode(), 0.0))


@pytest.mark.case("B1")
@given(visible, visible)
def test_a_text_with_anything_added_is_another(text: str, added: str):
    for shown in (draft(text + added), draft(added + text)):
        if squeezed(shown.text) == squeezed(text):
            continue
        assert not holds(shown, text)
        assert not is_ours(shown, left("a", text, text.encode(), 0.0))


@pytest.mark.case("B1")
@given(visible, st.data())
def test_a_part_of_a_text_is_another(text: str, data: st.DataObject):
    """A cut text can mean the opposite of the whole."""
    seen = squeezed(text)
    start = data.draw(st.integers(0, len(seen)))
    end = data.draw(st.integers(start, len(seen)))
    assume(end - start < len(seen))
    shown = draft(seen[start:end])
    assert not holds(shown, text)
    assert not is_ours(shown, left("a", text, text.encode(), 0.0))


@pytest.mark.case("A3")
@given(visible, visible)
def test_another_text_is_not_ours(text: str, other: str):
    assume(squeezed(text) != squeezed(other))
    assert not holds(draft(other), text)
    assert not is_ours(draft(other), left("a", text, text.encode(), 0.0))


@given(visible, st.data())
def test_a_clipped_view_holds_it_where_it_shows_a_part(text: str, data: st.DataObject):
    seen = squeezed(text)
    start = data.draw(st.integers(0, len(seen) - 1))
    end = data.draw(st.integers(start + 1, len(seen)))
    assert holds(draft(seen[start:end], clipped=True), text)
    assert not holds(draft(seen[start:end] + "\u0001", clipped=True), text)


def test_a_clipped_part_is_not_enough_to_call_it_ours():
    assert not is_ours(draft("do", clipped=True), NOTE)


@pytest.mark.parametrize("composer", ["empty", "unseen"])
@pytest.mark.parametrize("text", ["do it", ""])
def test_a_composer_that_holds_nothing_or_is_not_seen_holds_nothing_of_ours(composer, text):
    reading = Reading(None, composer, text)
    assert not holds(reading, "do it")
    assert not is_ours(reading, NOTE)


def test_a_draft_of_blanks_is_no_text():
    assert not holds(draft(" \n "), "do it")
    assert not holds(draft(" "), " ")


def test_without_a_note_nothing_is_ours():
    assert not is_ours(draft("do it"), None)


# -- a program's stand-in for a large paste


@pytest.mark.case("A7")
@pytest.mark.parametrize(
    ("shown", "text", "held"),
    [
        ("[Pasted text #1 +1 lines]", "line1\nline2", True),
        ("[Pasted text #2 +1 lines]", "line1\nline2", True),
        ("[Pasted text #1 +2 lines]", "line1\nline2", True),
        ("[Pasted text #1 +9 lines]", "line1\nline2", False),
        ("[Pasted text #1]", "one line", False),
        ("[Pasted 11 chars]", "line1\nline2", True),
        ("[Pasted Content 12 chars]", "line1\nline2", False),
        ("[Pasted text #11 +40 lines]", "line1\nline2", False),
        ("[Pasted]", "line1\nline2", False),
        ("[Pasted 1\n1 chars]", "line1\nline2", True),
        ("[Pasted text #1 +\n1 lines]", "line1\nline2", True),
        ("[Pasted text #1\n1 +40 lines]", "line1\nline2", False),
        ("[Pasted 12 chars]", "[Pasted 12 chars]", True),
        ("[Pasted 12 chars]", "[Pasted 13 chars]", False),
    ],
)
def test_a_stand_in_is_ours_by_its_number(shown: str, text: str, held: bool):
    reading = draft(shown, placeholder=True)
    assert holds(reading, text) is held
    assert is_ours(reading, left("a", text, text.encode(), 0.0)) is held


@pytest.mark.parametrize("odd", ["\u0378", "\uffff", "\U0001fffe", "\u200b", "\u3000"])
def test_what_no_terminal_shows_is_missed_by_nobody(odd: str):
    text = f"do{odd} it"
    for shown in (draft("do it"), draft(text)):
        assert holds(shown, text)
        assert lingers(shown, text)
        assert is_ours(shown, left("a", text, text.encode(), 0.0))
    assert not holds(draft("do it not"), text)


@given(texts)
def test_sizes_count_lines_and_characters(text: str):
    assert sizes(text)[:3] == (len(text.split("\n")), len(text.split("\n")) - 1, len(text))


def test_sizes_count_as_a_program_in_javascript_does_that_has_no_tabs():
    assert sizes("a\t\U0001f468x")[3] == len("a") + 4 + 2 + len("x")
    stand_in = draft("[paste #1, 1204 chars]", placeholder=True)
    assert holds(stand_in, "\t" + "x" * 1200)
