"""Leases: one holder at a time, whole or in parts, and nothing is lost when one dies."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chat.rig import ME, NOW, OTHER, agent, grant, hook, raw
from tongs_chat import delivery, digest, limits, peers, queue
from tongs_chat.database import Database
from tongs_chat.errors import StoreBusy
from tongs_chat.letter import Letter
from tongs_chat.peers import Outgoing
from tongs_chat.queue import Holder, Wanted


class Known(Holder):
    """A holder that knows who lives."""

    def __init__(self, pid: int, living: set[int] | None = None) -> None:
        super().__init__(pid, f"b:{pid}")
        self.living = living

    def alive(self, pid: int, token: str) -> bool | None:
        """As the test says; the token must be that of the pid."""
        assert token == f"b:{pid}"
        return None if self.living is None else pid in self.living


@pytest.fixture
def me(store: Path) -> Iterator[Database]:
    grant(store, ME, "me")
    grant(store, OTHER, "other")
    with agent(store, ME) as database:
        yield database


def _write(path: Path, *texts: str, run_id: str | None = None) -> list[int]:
    with agent(path, OTHER) as other:
        return [
            peers.send(other, Outgoing(ME, it, run_id=run_id), now=NOW, accept=True).id
            for it in texts
        ]


def _take(database: Database, holder: Holder, at: float = 0.0, **wanted):
    return queue.take(database, holder, Wanted(**wanted), now=NOW + at)


@pytest.mark.requirement("A53", "A66")
def test_one_holder_at_a_time_and_the_oldest_first(store: Path, me: Database) -> None:
    _write(store, "one", "two")
    waiter, hooked = Known(1, {1, 2}), Known(2, {1, 2})
    first, _ = _take(me, waiter)
    with hook(store, ME) as other:
        second, _ = _take(other, hooked, room=2048)
        assert first is not None
        assert second is not None
        assert (first.text, second.text) == ("one", "two")
        assert _take(other, hooked, room=2048) == (None, "")
        assert queue.mark(other, second, hooked, now=NOW)
        assert not queue.mark(other, first, hooked, now=NOW)
    assert queue.mark(me, first, waiter, now=NOW)
    assert not queue.mark(me, first, waiter, now=NOW)


@pytest.mark.requirement("A66")
@pytest.mark.case("H9", "G4")
def test_a_holder_that_dies_gives_back_and_the_next_is_told(store: Path, me: Database) -> None:
    _write(store, "one")
    assert _take(me, Known(1))[0] is not None
    assert _take(me, Known(2, {1, 2})) == (None, "")
    letter, _ = _take(me, Known(2, {2}), at=1)
    assert letter is not None
    assert (letter.text, letter.again) == ("one", True)
    assert queue.mark(me, letter, Known(2), now=NOW)
    assert _take(me, Known(3, {3})) == (None, "")


@pytest.mark.requirement("A66")
def test_a_holder_that_cannot_be_looked_up_has_30_seconds(store: Path, me: Database) -> None:
    _write(store, "one")
    _take(me, Known(1))
    assert _take(me, Known(2), at=29.9) == (None, "")
    letter, _ = _take(me, Known(2), at=30)
    assert letter is not None
    assert letter.again


@pytest.mark.requirement("A66", "A64")
def test_what_was_surely_not_handed_over_waits_as_if_never_taken(store: Path, me: Database) -> None:
    _write(store, "one")
    holder = Known(1, {1})
    letter, _ = _take(me, holder)
    assert letter is not None
    assert queue.give_back(me, letter, holder)
    assert not queue.give_back(me, letter, holder)
    again, _ = _take(me, holder)
    assert again is not None
    assert not again.again
    assert _taken(store) == 1


def _taken(path: Path) -> int:
    connection = raw(path)
    (taken,) = connection.execute(
        "SELECT turn_taken FROM delivery WHERE participant_id = 2"
    ).fetchone()
    connection.close()
    return int(taken)


@pytest.mark.requirement("A98")
def test_a_long_message_comes_in_parts_to_one_holder(store: Path, me: Database) -> None:
    text = "".join(chr(0x61 + n % 26) for n in range(45_000))
    _write(store, text)
    holder, parts = Known(1, {1, 2}), []
    while True:
        letter, _ = _take(me, holder)
        if letter is None:
            break
        assert _take(me, holder) == (None, "")  # while a part is on its way
        assert _take(me, Known(2, {1, 2})) == (None, "")
        parts.append((len(letter.text), letter.more, letter.again))
        assert letter.text == text[letter.handed : letter.handed + 20_000]
        assert queue.mark(me, letter, holder, now=NOW)
    assert parts == [(20_000, True, False), (20_000, True, False), (5_000, False, False)]
    assert _taken(store) == 1


@pytest.mark.requirement("A98")
def test_after_a_crash_between_parts_it_begins_again_and_says_so(store: Path, me: Database) -> None:
    _write(store, "x" * 30_000)
    dead = Known(1)
    first, _ = _take(me, dead)
    assert first is not None
    queue.mark(me, first, dead, now=NOW)
    heir = Known(2, {2})
    for more in (True, False):
        letter, _ = _take(me, heir)
        assert letter is not None
        assert (letter.handed == 0, letter.more, letter.again) == (more, more, True)
        queue.mark(me, letter, heir, now=NOW)


@pytest.mark.requirement("A98")
def test_a_later_part_that_was_not_handed_over_is_taken_again_by_the_same(
    store: Path, me: Database
) -> None:
    _write(store, "x" * 30_000)
    holder = Known(1, {1})
    first, _ = _take(me, holder)
    assert first is not None
    queue.mark(me, first, holder, now=NOW)
    second, _ = _take(me, holder)
    assert second is not None
    assert queue.give_back(me, second, holder)
    again, _ = _take(me, holder)
    assert again is not None
    assert (again.handed, again.again) == (20_000, False)


@pytest.mark.requirement("9.61", "9.62")
def test_an_injection_takes_only_what_its_room_holds_whole(store: Path, me: Database) -> None:
    _write(store, "é" * 1000, "short")
    with hook(store, ME) as hooked:
        assert _take(hooked, Known(2), room=2048) == (None, "too-large")
        letter, _ = _take(hooked, Known(2), room=8000)
    assert letter is not None
    assert digest.size(digest.letter(letter, ready=True)) <= 8000


@pytest.mark.requirement("9.22", "A51", "A53")
def test_a_turn_takes_five_and_then_says_that_it_is_full(store: Path, me: Database) -> None:
    _write(store, *"123456")
    connection = raw(store)
    connection.execute("UPDATE peer_messages SET ts = 1")
    connection.close()
    _write(store, "7")
    holder = Known(1, {1})
    started, _ = _take(me, holder, counts=False)
    assert started is not None
    for _ in range(5):
        letter, _ = _take(me, holder)
        assert letter is not None
        queue.mark(me, letter, holder, now=NOW)
    assert _take(me, holder) == (None, "turn-full")
    with hook(store, ME) as hooked:
        delivery.turn_ended(hooked)
    assert _take(me, holder)[0] is not None


@pytest.mark.requirement("9.22")
def test_two_that_race_for_the_fifth_place_of_a_turn_get_one(store: Path, me: Database) -> None:
    _write(store, "one", "two")
    connection = raw(store)
    connection.execute("UPDATE delivery SET turn_taken = 4")
    connection.close()
    found = _race(store, [Known(1, {1, 2}), Known(2, {1, 2})])
    assert sorted((letter is not None, why) for letter, why in found) == [
        (False, "turn-full"),
        (True, ""),
    ]


def _race(path: Path, holders: list[Known]) -> list[tuple[Letter | None, str]]:
    """Each holder takes in a thread and connection of its own, at once."""
    barrier, found = threading.Barrier(len(holders)), []

    def run(holder: Known) -> None:
        with agent(path, ME) as database:
            barrier.wait(10)
            found.append(queue.take(database, holder, Wanted(), now=NOW))

    threads = [threading.Thread(target=run, args=(it,)) for it in holders]
    for it in threads:
        it.start()
    for it in threads:
        it.join(30)
    return found


@pytest.mark.requirement("A66")
@pytest.mark.case("F8", "G5")
def test_a_waiter_a_hook_and_a_stop_race_500_times_and_each_message_has_one_reader(
    store: Path, me: Database
) -> None:
    connection = raw(store)
    connection.execute("BEGIN")
    for number in range(500):
        connection.execute(
            "INSERT INTO peer_messages (kind, sender_id, target_id, handle, title, body, length,"
            " ts) VALUES ('message', 3, 2, 'other', '', ?, 3, 1)",
            (f"{number:03}",),
        )
    connection.execute("COMMIT")
    connection.close()
    living, got = {1, 2, 3}, []
    barrier = threading.Barrier(3)

    def run(number: int, open_as, wanted: Wanted) -> None:
        holder = Known(number, living)
        with open_as(store, ME) as database:
            barrier.wait(10)
            while True:
                try:
                    letter, _ = queue.take(database, holder, wanted, now=NOW)
                except StoreBusy:
                    continue  # the hook has 200 ms; it tries at its next event
                if letter is None:
                    break
                assert queue.mark(database, letter, holder, now=NOW)
                got.append((letter.id, letter.text, letter.again))

    sides = [
        (1, agent, Wanted(counts=False)),
        (2, hook, Wanted(counts=False, room=2048)),
        (3, hook, Wanted(counts=False, room=8000)),
    ]
    threads = [threading.Thread(target=run, args=it) for it in sides]
    for it in threads:
        it.start()
    for it in threads:
        it.join(120)
    assert sorted(got) == [(n + 1, f"{n:03}", False) for n in range(500)]


@pytest.mark.requirement("9.27", "9.28", "A61")
def test_an_answer_to_a_run_is_its_own_while_it_runs_and_its_chats_afterwards(
    store: Path, me: Database
) -> None:
    _write(store, "for the run", run_id="r1")
    holder = Known(1, {1})
    assert _take(me, holder, live_runs=("r1",)) == (None, "")
    assert _take(me, holder, run_id="r2") == (None, "")
    letter, _ = _take(me, holder, run_id="r1")
    assert letter is not None
    queue.give_back(me, letter, holder)
    letter, _ = _take(me, holder)
    assert letter is not None
    assert letter.run_id == "r1"


@pytest.mark.requirement("9.1")
def test_a_reader_may_wait_for_one_sender_only(store: Path, me: Database) -> None:
    grant(store, "launch-third", "third")
    _write(store, "of other")
    with agent(store, "launch-third") as third:
        peers.send(third, Outgoing(ME, "of third"), now=NOW, accept=True)
    holder = Known(1, {1})
    letter, _ = _take(me, holder, sender="launch-third")
    assert letter is not None
    assert letter.text == "of third"
    assert _take(me, holder, sender="launch-third") == (None, "")


@pytest.mark.requirement("A76")
def test_the_end_of_a_turn_is_put_off_five_times(store: Path, me: Database) -> None:
    with hook(store, ME) as hooked:
        assert [delivery.prolong(hooked) for _ in range(6)] == [True] * 5 + [False]
        delivery.turn_began(hooked, now=NOW, by_person=False)
        assert delivery.prolong(hooked)
    assert delivery.may_prolong("peer", "chat")
    assert delivery.may_prolong("mention", "chat+wake")
    assert not delivery.may_prolong("mention", "chat")
    assert limits.PROLONGED == 5
