"""The composer: what it holds and what it shows."""

from __future__ import annotations

from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tongs_agents.scripted_agent.composer import Composer, cleared, erased, pasted, typed

CHARS = st.characters(codec="utf-8")


@given(st.lists(st.tuples(st.sampled_from([typed, pasted]), st.text(CHARS, min_size=1))))
def test_whatever_is_shown_the_whole_text_is_kept(acts):
    composer = reduce(lambda state, act: act[0](state, act[1]), acts, Composer())
    assert composer.text == "".join(text for _, text in acts)
    assert composer.empty == (not acts)


@given(st.text(CHARS, min_size=1, max_size=40))
def test_erasing_takes_back_what_was_typed_one_by_one(text: str):
    composer = typed(Composer(), text)
    for left in range(len(text) - 1, -1, -1):
        composer = erased(composer)
        assert composer.text == text[:left]
    assert erased(composer) == composer == Composer()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\n".join("line" for _ in range(40)), "[Pasted text #1 +39 lines]"),
        ("\n" * 9, "[Pasted text #1 +9 lines]"),
        ("x" * 3410, "[Pasted 3410 chars]"),
        ("x" * 801, "[Pasted 801 chars]"),
        ("x" * 800, "x" * 800),
        ("\n" * 8, "\n" * 8),
    ],
)
def test_a_large_paste_is_shown_by_a_stand_in(text: str, shown: str):
    composer = pasted(Composer(), text)
    assert (composer.shown, composer.text) == (shown, text)


def test_a_paste_joins_what_a_person_had_typed():
    composer = pasted(typed(Composer(), "human draft"), "PASTED")
    assert composer.text == composer.shown == "human draftPASTED"


def test_a_stand_in_is_erased_whole():
    composer = pasted(typed(Composer(), "a"), "\n" * 20)
    assert erased(composer).text == "a"


def test_stand_ins_are_numbered_through_the_session():
    composer = cleared(pasted(Composer(), "\n" * 10))
    assert composer.empty
    assert pasted(composer, "\n" * 10).shown == "[Pasted text #2 +10 lines]"


def test_an_empty_paste_changes_nothing():
    assert pasted(Composer(), "") == Composer()
