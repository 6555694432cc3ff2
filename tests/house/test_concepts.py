"""docs/concepts.md names every state, status and line of evidence that can be seen."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from tests.pages import page
from tongs_agents.status import Word
from tongs_mux.model import State

_NOTES = re.findall(r"note\(\s*\"([a-z-]+)\"", page("tongs_mux/send.py"))
_FACTS = re.findall(r"Fact\(\"([a-z-]+)\"", page("tongs_agents/receipts.py"))


def test_the_evidence_of_a_receipt_was_found():
    assert {"paste", "enter", "composer", "prompt-event", "unguarded"} <= {*_NOTES, *_FACTS}


@pytest.mark.parametrize("word", sorted({*get_args(State), *get_args(Word), *_NOTES, *_FACTS}))
def test_every_word_that_is_shown_is_explained(word: str):
    assert f"\n| `{word}` | " in page("docs/concepts.md")
