"""Between the looks of a wait: progress, and two strikes for a caller who is not who it was."""

from __future__ import annotations

from threading import Event

import pytest

from tongs_agents.errors import Refused
from tongs_agents.mcp_server.tool import Call
from tongs_agents.mcp_server.vigil import STAND_SECONDS, TELL_SECONDS, Vigil


class Skipping(Event):
    """An event that is never set, and whose waiting is a clock's."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 100.0

    def wait(self, timeout: float | None = None) -> bool:
        self.now += timeout or 0.0
        return False


class Told:
    """What one wait asked and told, second by second."""

    def __init__(self, failing: set[int]) -> None:
        self.time = Skipping()
        self.failing = failing
        self.asked: list[float] = []
        self.progress: list[tuple[float, str]] = []
        call = Call(
            cancelled=self.time, progress=lambda at, words: self.progress.append((at, words))
        )
        self.vigil = Vigil(call, self._verify, "waiting", lambda: self.time.now)

    def _verify(self) -> None:
        self.asked.append(self.time.now - 100)
        if len(self.asked) in self.failing:
            raise Refused("not who it was", reason="no-identity")

    def run(self, seconds: float) -> float:
        """Rounds of half a second; when it was ended, or the whole time."""
        while self.time.now < 100 + seconds:
            try:
                self.vigil.stand()
            except Refused:
                return self.time.now - 100
            self.vigil.pause(0.5)
        return seconds


@pytest.mark.requirement("6.26")
def test_the_caller_is_verified_every_five_seconds():
    told = Told(set())
    assert told.run(21) == 21
    assert told.asked == [5, 10, 15, 20]
    assert STAND_SECONDS == 5


@pytest.mark.requirement("6.24", "6.26", "6.27")
@pytest.mark.parametrize(
    ("failing", "ended"), [({1}, 60), ({1, 3, 5}, 60), ({1, 2}, 10), ({2, 4, 5}, 25)]
)
def test_two_failures_in_a_row_end_a_wait_and_one_alone_never(failing: set[int], ended: float):
    assert Told(failing).run(60) == ended


@pytest.mark.requirement("A8")
def test_progress_comes_every_ten_seconds_and_no_oftener():
    told = Told(set())
    told.run(35)
    assert told.progress == [(10, "waiting"), (20, "waiting"), (30, "waiting")]
    assert TELL_SECONDS == 10
