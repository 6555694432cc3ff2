"""Whether a program that was just started has had the time to end at once."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest

from tongs_agents.beginning import AT_ONCE, STARVED_SECONDS, has_begun
from tongs_mux.model import ProcessFacts

WAITING = ProcessFacts(10, 1, "boot:1", "agent", 10, 10, used=0.4)
"""It has run before: what it used as the launcher doesn't count."""


class Look(NamedTuple):
    test_id: str
    now: ProcessFacts | None
    waited: float
    begun: bool


LOOKS = (
    Look("it waits for something, too early", WAITING, 0.0, False),
    Look("it waits for something", WAITING, AT_ONCE, True),
    Look("no turn yet", replace(WAITING, ready=True), AT_ONCE, False),
    Look("too few turns", replace(WAITING, ready=True, used=0.45), AT_ONCE * 5, False),
    Look("turns enough", replace(WAITING, ready=True, used=0.55), AT_ONCE * 5, True),
    Look("no turn for long", replace(WAITING, ready=True), STARVED_SECONDS, True),
    Look("it has just ended", None, AT_ONCE, False),
    Look("it has just ended, and nobody took note", replace(WAITING, zombie=True), AT_ONCE, False),
)


@pytest.mark.requirement("A91")
@pytest.mark.parametrize("look", LOOKS, ids=lambda look: look.test_id)
def test_the_time_to_end_at_once_is_the_programs_own(look: Look):
    assert has_begun(WAITING, look.now, look.waited) is look.begun


def test_a_program_that_was_gone_at_the_first_look_is_not_waited_for():
    assert has_begun(None, None, 0.0)
