"""Rate slots and caps: who gets in, what is given back, and what a restart remembers."""

from __future__ import annotations

import json
import secrets
import stat
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tongs_agents.config import Control
from tongs_agents.errors import Refused
from tongs_agents.mcp_server.slots import (
    BEGUN_SECONDS,
    WINDOW_SECONDS,
    Below,
    Slot,
    Slots,
    Taken,
    Tree,
    settled,
    still,
)
from tongs_mux.errors import PlaceRefused
from tongs_mux.files import private_dir

CONTROL = Control(mcp_enabled=True, mcp_rate_per_minute=6, mcp_max_live=3, mcp_max_spawns=5)
LEAD, OTHER = "aaaaaaaa", "bbbbbbbb"
NOBODY = Below(frozenset(), frozenset())


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return private_dir(tmp_path / "run") / "mcp-rate"


@pytest.fixture
def slots(directory: Path, clock: Clock) -> Slots:
    return Slots(directory, clock=clock, random_hex=secrets.token_hex)


def _spawn(
    slots: Slots,
    mark: str,
    *,
    caller: str = LEAD,
    below: Below = NOBODY,
    control: Control = CONTROL,
) -> Slot:
    return slots.spawn(caller, control, root=LEAD, mark=mark, below=lambda: below)


def _reason(take: Callable[[], object]) -> str:
    with pytest.raises(Refused) as raised:
        take()
    return raised.value.reason


def _fill(slots: Slots, count: int) -> list[Slot]:
    return [slots.send(LEAD, CONTROL) for _ in range(count)]


@pytest.mark.requirement("6.13", "6.18")
def test_a_window_takes_as_many_as_the_config_says_and_no_more(slots: Slots):
    _fill(slots, 6)
    assert _reason(lambda: slots.send(LEAD, CONTROL)) == "rate"
    slots.send(OTHER, CONTROL)


@pytest.mark.requirement("6.20")
def test_sends_and_spawns_are_counted_apart(slots: Slots):
    _fill(slots, 6)
    slots.keep(_spawn(slots, "cccccccc"))
    assert _reason(lambda: slots.send(LEAD, CONTROL)) == "rate"


@pytest.mark.requirement("6.13", "A9")
def test_a_slot_ages_out_by_itself(slots: Slots, clock: Clock):
    _fill(slots, 1)
    clock.now += 1
    _fill(slots, 5)
    clock.now += WINDOW_SECONDS - 1.001
    assert _reason(lambda: slots.send(LEAD, CONTROL)) == "rate"
    clock.now += 0.001
    slots.send(LEAD, CONTROL)
    assert _reason(lambda: slots.send(LEAD, CONTROL)) == "rate"


@pytest.mark.requirement("6.19")
def test_what_is_given_back_can_be_taken_again(slots: Slots):
    taken = _fill(slots, 6)
    slots.give_back(taken[2])
    slots.give_back(taken[2])
    slots.send(LEAD, CONTROL)
    assert _reason(lambda: slots.send(LEAD, CONTROL)) == "rate"


@pytest.mark.requirement("6.17")
def test_a_restarted_server_remembers_the_window(slots: Slots, directory: Path, clock: Clock):
    _fill(slots, 6)
    restarted = Slots(directory, clock=clock, random_hex=secrets.token_hex)
    assert _reason(lambda: restarted.send(LEAD, CONTROL)) == "rate"


@pytest.mark.requirement("6.17")
def test_what_is_written_is_private_and_holds_no_word_of_anybody(slots: Slots, directory: Path):
    _fill(slots, 1)
    _spawn(slots, "cccccccc")
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()} == {0o600}
    values = json.loads((directory / f"{LEAD}.json").read_text("utf-8"))
    assert [at for at, _ in values["send"]] == [1_000_000.0]


def test_a_clock_that_was_set_back_locks_nobody_out_for_longer_than_a_window(
    slots: Slots, clock: Clock
):
    _fill(slots, 6)
    clock.now -= 86_400
    assert _reason(lambda: slots.send(LEAD, CONTROL)) == "rate"
    clock.now += WINDOW_SECONDS
    slots.send(LEAD, CONTROL)


@pytest.mark.parametrize(
    "text", ["", "no json", "[]", '{"send": 3}', '{"send": [[1]]}', '{"spawn": [["x", "y"]]}']
)
def test_a_window_that_makes_no_sense_opens_nothing(slots: Slots, directory: Path, text: str):
    _fill(slots, 1)
    (directory / f"{LEAD}.json").write_text(text, "utf-8")
    with pytest.raises(PlaceRefused) as raised:
        slots.send(LEAD, CONTROL)
    assert raised.value.reason == "unknown-place"
    assert f"{LEAD}.json" in raised.value.hint


@pytest.mark.requirement("A100")
@pytest.mark.case("I6")
def test_agents_alive_and_agents_on_their_way_count_together(slots: Slots):
    alive = Below(frozenset({"dddddddd"}), frozenset({"dddddddd"}))
    slots.keep(_spawn(slots, "dddddddd"))
    _spawn(slots, "eeeeeeee", below=alive)
    _spawn(slots, "ffffffff", below=alive)
    assert _reason(lambda: _spawn(slots, "99999999", below=alive)) == "max-live"


@pytest.mark.requirement("A100", "6.19")
def test_a_spawn_that_failed_gives_its_place_back_too(slots: Slots):
    begun = [_spawn(slots, f"{name}{name}{name}{name}") for name in ("11", "22", "33")]
    assert _reason(lambda: _spawn(slots, "44444444")) == "max-live"
    slots.give_back(begun[1])
    _spawn(slots, "55555555")


@pytest.mark.requirement("A100")
@pytest.mark.case("I6")
def test_what_was_ever_started_counts_for_good(slots: Slots, clock: Clock, directory: Path):
    for at in range(5):
        slots.keep(_spawn(slots, f"{at}{at}{at}{at}{at}{at}{at}{at}"))
        clock.now += 30
    clock.now += 86_400
    again = Slots(directory, clock=clock, random_hex=secrets.token_hex)
    assert _reason(lambda: _spawn(again, "66666666")) == "max-spawns"
    again.spawn(OTHER, CONTROL, root=OTHER, mark="77777777", below=lambda: NOBODY)


@pytest.mark.requirement("A100")
def test_a_cap_that_is_full_takes_no_rate_slot(slots: Slots, directory: Path):
    tight = replace(CONTROL, mcp_max_live=1, mcp_rate_per_minute=2)
    first = _spawn(slots, "cccccccc", control=tight)
    for _ in range(3):
        assert _reason(lambda: _spawn(slots, "dddddddd", control=tight)) == "max-live"
    slots.give_back(first)
    _spawn(slots, "eeeeeeee", control=tight)


@pytest.mark.requirement("A100")
def test_records_count_where_the_runtime_dir_was_emptied(slots: Slots):
    known = frozenset(f"{at:08d}" for at in range(5))
    assert _reason(lambda: _spawn(slots, "cccccccc", below=Below(known, frozenset()))) == (
        "max-spawns"
    )


@pytest.mark.requirement("A9", "A100")
def test_a_crash_between_taking_and_keeping_is_settled_by_what_is_on_record():
    begun = (Taken(0.0, "aaaaaaaa"), Taken(1.0, "bbbbbbbb"))
    below = Below(frozenset({"aaaaaaaa"}), frozenset())
    assert settled(Tree(2, begun), below, BEGUN_SECONDS + 0.5) == Tree(3, (begun[1],))
    assert settled(Tree(2, begun), below, BEGUN_SECONDS + 9) == Tree(3)
    assert settled(Tree(2, begun), below, 2.0) == Tree(2, begun)


@given(st.lists(st.floats(0, 500)), st.floats(0, 500))
def test_what_still_counts_was_taken_within_the_window(times: list[float], now: float):
    entries = tuple(Taken(at, str(index)) for index, at in enumerate(times))
    kept = still(entries, now, WINDOW_SECONDS)
    assert [it.mark for it in kept] == [
        it.mark for it in entries if it.at > now or now - it.at < WINDOW_SECONDS
    ]
    assert all(now - WINDOW_SECONDS < it.at <= now for it in kept)


@pytest.mark.requirement("6.18", "A13")
def test_of_20_threads_exactly_the_allowed_number_gets_in(directory: Path, clock: Clock):
    def take(_: int) -> bool:
        mine = Slots(directory, clock=clock, random_hex=secrets.token_hex)
        try:
            mine.send(LEAD, CONTROL)
        except Refused:
            return False
        return True

    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(take, range(20))) == 6


def _race(arguments: tuple[str, int]) -> str:
    directory, at = arguments
    mine = Slots(Path(directory), clock=lambda: 1_000_000.0, random_hex=secrets.token_hex)
    control = replace(CONTROL, mcp_rate_per_minute=60, mcp_max_live=3, mcp_max_spawns=3)
    caller = f"{at:08d}"  # each a caller of its own, below one root
    try:
        mine.spawn(caller, control, root=LEAD, mark=f"{at:08x}", below=lambda: NOBODY)
    except Refused as error:
        return error.reason
    return ""


@pytest.mark.requirement("A13", "A100")
@pytest.mark.case("I6")
def test_callers_below_one_root_race_for_the_last_places_and_no_more_get_in(directory: Path):
    with ProcessPoolExecutor(4) as pool:
        answers = list(pool.map(_race, [(str(directory), at) for at in range(12)]))
    assert sorted(answers) == [""] * 3 + ["max-live"] * 9
