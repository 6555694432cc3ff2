"""Waking: decisions in their order, one reservation for many posters, each try written down."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.chat.rig import ME, NOW, OTHER, agent, grant, hook, maintainer, raw
from tongs_chat import channels, cursors, delivery, grants, messages, reading, roles
from tongs_chat.audit import ChatEvent
from tongs_chat.database import Database
from tongs_chat.literals import WAKE_LINE
from tongs_chat.model import Grant
from tongs_chat.wake import policy, reservation
from tongs_chat.wake.attempt import Waker, Woken
from tongs_chat.wake.policy import Past, Seen

IDLE = Seen(current=True, refusal=None, status="done", since=NOW - 20, focused=False)
NEVER = Past("chat+wake", (), None)


@pytest.mark.requirement("5.1", "5.3", "A41", "A42", "A44")
@pytest.mark.parametrize(
    ("past", "seen", "posts", "decision"),
    [
        (NEVER, IDLE, 5, "ok"),
        (replace(NEVER, level="chat"), IDLE, 1, "stale"),
        (NEVER, replace(IDLE, current=False), 9, "stale"),
        (NEVER, IDLE, 6, "loop"),
        (replace(NEVER, wakes=(NOW - 119,)), IDLE, 6, "loop"),
        (replace(NEVER, wakes=(NOW - 119,)), IDLE, 1, "rate"),
        (replace(NEVER, wakes=(NOW - 120,)), IDLE, 1, "ok"),
        (replace(NEVER, wakes=tuple(NOW - 200 - n for n in range(9))), IDLE, 1, "ok"),
        (replace(NEVER, wakes=tuple(NOW - 200 - n for n in range(10))), IDLE, 1, "rate"),
        (replace(NEVER, wakes=tuple(NOW - 3600 - n for n in range(10))), IDLE, 1, "ok"),
        (replace(NEVER, line_at=NOW - 119), IDLE, 1, "rate"),
        (replace(NEVER, line_at=NOW - 120), IDLE, 1, "ok"),
        (replace(NEVER, line_at=NOW), replace(IDLE, refusal="dialog"), 1, "rate"),
        (NEVER, replace(IDLE, refusal="replaced", status="working"), 1, "replaced"),
        (NEVER, replace(IDLE, status="working", focused=True), 1, "not-idle"),
        (NEVER, replace(IDLE, status="started"), 1, "not-idle"),
        (NEVER, replace(IDLE, status="waiting"), 1, "not-idle"),
        (NEVER, replace(IDLE, status=None), 1, "not-idle"),
        (NEVER, replace(IDLE, since=NOW - 19), 1, "not-idle"),
        (NEVER, replace(IDLE, focused=True), 1, "focused"),
        (NEVER, replace(IDLE, focused=None), 1, "unknown"),
    ],
)
def test_the_first_condition_that_fails_is_the_decision(
    past: Past, seen: Seen, posts: int, decision: str
) -> None:
    assert policy.mention(past, seen, agent_posts=posts, now=NOW) == decision


@pytest.mark.requirement("9.4", "9.5", "9.7", "9.61", "9.62", "9.63", "A56", "A76")
@pytest.mark.parametrize(
    ("past", "seen", "taken", "result"),
    [
        (NEVER, IDLE, 0, ("delivered", "")),
        (NEVER, replace(IDLE, since=NOW), 0, ("delivered", "")),
        (replace(NEVER, wakes=(NOW - 1,)), IDLE, 0, ("delivered", "")),
        (NEVER, replace(IDLE, status="started"), 0, ("delivered", "")),
        (NEVER, replace(IDLE, status="error"), 0, ("delivered", "")),
        (replace(NEVER, level="chat"), IDLE, 0, ("queued", "not-wakable")),
        (replace(NEVER, line_at=NOW - 1), IDLE, 0, ("queued", "outstanding")),
        (NEVER, replace(IDLE, focused=True), 0, ("queued", "focused")),
        (NEVER, replace(IDLE, focused=None), 0, ("queued", "unknown")),
        (NEVER, replace(IDLE, status="working"), 4, ("injected", "")),
        (NEVER, replace(IDLE, status="working"), 5, ("queued", "turn-full")),
        (replace(NEVER, level="chat"), replace(IDLE, status="working"), 0, ("injected", "")),
        (NEVER, replace(IDLE, status="waiting"), 0, ("queued", "waiting_for_user")),
        (NEVER, replace(IDLE, status=None), 0, ("queued", "unknown")),
        (NEVER, replace(IDLE, refusal="not-listed"), 0, ("queued", "not-listed")),
    ],
)
def test_a_peer_message_is_delivered_injected_or_queued_and_says_why(
    past: Past, seen: Seen, taken: int, result: tuple[str, str]
) -> None:
    assert policy.peer(past, seen, is_loop=False, turn_taken=taken, now=NOW) == result
    assert policy.peer(past, seen, is_loop=True, turn_taken=taken, now=NOW) == ("queued", "loop")


@pytest.mark.requirement("9.60", "A56")
def test_a_status_in_the_words_of_peers() -> None:
    seen = {it: policy.peer_status(it) for it in ("started", "working", "done", "waiting", "error")}
    assert seen == {
        "started": "idle",
        "working": "working",
        "done": "idle",
        "waiting": "waiting_for_user",
        "error": "idle",
    }


@given(times=st.lists(st.floats(min_value=-4000, max_value=4000), max_size=15))
def test_however_the_clock_jumps_the_rate_rule_holds_within_its_window(times: list[float]) -> None:
    past = Past("chat+wake", [NOW + it for it in times], None)
    if policy.may_wake(past, NOW):
        assert not any(abs(it) < 119.99 for it in times)
        assert sum(abs(it) < 3599.99 for it in times) < 10


@dataclass
class Panes:
    """Panes that are as a test says; what was said to them is kept."""

    seen: Seen = IDLE
    refusal: str | None = None
    said: list[tuple[str, str, str]] = field(default_factory=list)

    def look(self, grant: Grant) -> Seen:
        return self.seen

    def say(self, grant: Grant, line: str, *, actor: str) -> str | None:
        self.said.append((grant.launch_id, line, actor))
        return self.refusal


class Lines(list[tuple[str, str | None, str, str]]):
    """An audit in memory."""

    def begin(self, event: ChatEvent) -> str:
        self.append(("begin", event.target, event.outcome, event.reason))
        return "act"

    def outcome(self, act: str | None, event: ChatEvent) -> None:
        self.append(("outcome" if act else "refusal", event.target, event.outcome, event.reason))


@pytest.fixture
def me(store: Path) -> Iterator[Database]:
    grant(store, ME, "me", level="chat+wake")
    grant(store, OTHER, "other", level="chat+wake")
    grant(store, "launch-plain", "plain", level="chat")
    with agent(store, ME) as database:
        yield database


@pytest.fixture
def waker(store: Path, me: Database) -> Iterator[Waker]:
    with Database(str(store), roles.WAKER, ME) as waking:
        yield Waker(me, waking, Panes(), Lines(), f"chat:{ME}", lambda: NOW)


def _post(me: Database, body: str = "@other", thread: int | None = None):
    return messages.post(me, "general", body, now=NOW, thread=thread)


@pytest.mark.requirement("5.1", "5.2", "5.6", "5.9", "A41", "A46")
def test_a_post_wakes_whom_it_mentions_where_the_grant_allows_it(
    me: Database, waker: Waker
) -> None:
    assert waker.after(_post(me, "@other @plain @me @maintainer @nobody")) == (
        Woken("other", "ok"),
    )
    assert waker.panes.said == [(OTHER, WAKE_LINE, f"chat:{ME}")]  # type: ignore[attr-defined]  # of the test's panes
    assert isinstance(waker.audit, Lines)
    assert list(waker.audit) == [("begin", OTHER, "", ""), ("outcome", OTHER, "ok", "")]


@pytest.mark.requirement("5.13", "1.20")
def test_a_second_post_within_two_minutes_wakes_nobody_whoever_posts_it(
    store: Path, me: Database, waker: Waker
) -> None:
    waker.after(_post(me))
    grant(store, "launch-third", "third")
    with (
        agent(store, "launch-third") as third,
        Database(str(store), roles.WAKER, "launch-third") as waking,
    ):
        other = replace(waker, reading=third, waking=waking)
        assert other.after(_post(third)) == (Woken("other", "rate"),)
        later = replace(other, clock=lambda: NOW + 120)
        assert later.after(_post(third)) == (Woken("other", "ok"),)


@pytest.mark.requirement("5.13")
def test_of_many_posters_at_once_one_gets_the_reservation(store: Path, me: Database) -> None:
    _post(me)
    barrier, found = threading.Barrier(6), []

    def run() -> None:
        with Database(str(store), roles.WAKER, ME) as waking:
            barrier.wait(10)
            found.append(reservation.reserve(waking, 3, is_wake=True, now=NOW))

    threads = [threading.Thread(target=run) for _ in range(6)]
    for it in threads:
        it.start()
    for it in threads:
        it.join(30)
    assert sorted(map(str, found))[1:] == ["rate"] * 5


@pytest.mark.requirement("5.13", "5.10", "A67")
def test_a_line_that_was_refused_gives_its_reservation_back_and_is_put_off(
    me: Database, waker: Waker
) -> None:
    panes = Panes(refusal="draft")
    refused = replace(waker, panes=panes)
    posted = _post(me)
    assert refused.after(posted) == (Woken("other", "draft"),)
    assert waker.audit[-1] == ("outcome", OTHER, "refused", "draft")  # type: ignore[index]  # of the test's lines
    with me.read() as connection:
        assert reservation.past(connection, 3) == NEVER
        later = reservation.waiting_wake(connection, 3)
    assert later == reservation.PutOff(posted.id, NOW, "draft")
    panes.refusal = None
    assert refused.after(_post(me)) == (Woken("other", "ok"),)
    with me.read() as connection:
        assert reservation.waiting_wake(connection, 3) is None


def test_giving_back_twice_takes_nothing_of_another(store: Path, me: Database) -> None:
    _post(me)
    with Database(str(store), roles.WAKER, ME) as waking:
        held = reservation.reserve(waking, 3, is_wake=True, now=NOW)
        assert isinstance(held, reservation.Reservation)
        assert reservation.give_back(waking, held)
        assert not reservation.give_back(waking, held)
        later = reservation.reserve(waking, 3, is_wake=True, now=NOW + 1)
        assert not reservation.give_back(waking, held)
        with me.read() as connection:
            assert reservation.past(connection, 3) == Past("chat+wake", (NOW + 1,), NOW + 1)
        assert isinstance(later, reservation.Reservation)


@pytest.mark.requirement("9.61", "A76")
def test_a_peers_line_needs_no_waiting_time_but_that_no_line_is_outstanding(
    store: Path, me: Database
) -> None:
    _post(me)
    with Database(str(store), roles.WAKER, ME) as waking, hook(store, OTHER) as hooked:
        assert not isinstance(reservation.reserve(waking, 3, is_wake=True, now=NOW), str)
        assert reservation.reserve(waking, 3, is_wake=False, now=NOW + 1) == "outstanding"
        delivery.turn_began(hooked, now=NOW + 2, by_person=False)
        assert not isinstance(reservation.reserve(waking, 3, is_wake=False, now=NOW + 3), str)
        assert reservation.reserve(waking, 3, is_wake=True, now=NOW + 4) == "rate"
        delivery.composer_empty(hooked)
        assert not isinstance(reservation.reserve(waking, 3, is_wake=False, now=NOW + 4), str)


@pytest.mark.requirement("5.3", "5.15", "A42")
@pytest.mark.case("I1", "I3")
def test_six_posts_of_agents_in_a_row_wake_nobody_and_a_person_begins_anew(
    store: Path, me: Database
) -> None:
    def posts(message_id: int) -> int:
        with me.read() as connection:
            return reservation.agent_posts(connection, message_id)

    root = _post(me).id
    in_thread = [posts(_post(me, thread=root).id) for _ in range(6)]
    assert in_thread == [2, 3, 4, 5, 6, 6]
    with maintainer(store) as person:
        messages.post(person, "general", "enough", now=NOW, thread=root)
    assert posts(_post(me, thread=root).id) == 1
    roots = [posts(_post(me).id) for _ in range(3)]
    assert roots == [2, 3, 4]  # the thread's last reply stands before them in the channel
    with maintainer(store) as person:
        channels.create(person, "fresh", now=NOW)
        of_person = messages.post(person, "fresh", "@other", now=NOW)
    assert posts(of_person.id) == 0


@pytest.mark.requirement("A67")
def test_the_targets_own_server_tries_again_until_the_mention_was_read_or_an_hour_has_passed(
    store: Path, me: Database, waker: Waker
) -> None:
    busy = Panes(replace(IDLE, status="working"))
    replace(waker, panes=busy).after(_post(me))
    own = grants.of_handle(me, "other")
    assert own is not None
    with (
        agent(store, OTHER) as other,
        Database(str(store), roles.WAKER, OTHER) as waking,
    ):
        lines = Lines()
        server = Waker(other, waking, busy, lines, f"chat:{OTHER}", lambda: NOW + 60)
        assert server.again(own) == Woken("other", "not-idle")
        assert lines == []  # what it met before is no news
        late = replace(server, clock=lambda: NOW + 3600)
        assert late.again(own) is None
        assert server.again(own) is None
        replace(waker, panes=busy).after(_post(me))
        busy.seen = IDLE
        assert server.again(own) == Woken("other", "ok")
        assert server.again(own) is None
        busy.seen = replace(IDLE, focused=True)
        replace(waker, panes=busy, clock=lambda: NOW + 300).after(_post(me))
        page = reading.page(other, "general", mark_read=True)
        assert page.mark is not None
        cursors.advance(other, page.mark)
        assert server.again(own) is None


@pytest.mark.requirement("A97")
def test_a_wake_that_cannot_be_written_down_is_not_done_and_holds_nothing(
    store: Path, me: Database, waker: Waker
) -> None:
    class Broken(Lines):
        def begin(self, event: ChatEvent) -> str:
            raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        replace(waker, audit=Broken()).after(_post(me))
    assert waker.panes.said == []  # type: ignore[attr-defined]  # of the test's panes
    with me.read() as connection:
        assert reservation.past(connection, 3) == NEVER


@pytest.mark.requirement("5.10")
def test_a_target_whose_grant_ended_after_the_post_is_stale(
    store: Path, me: Database, waker: Waker
) -> None:
    posted = _post(me)
    with maintainer(store) as person:
        grants.take_back(person, OTHER, now=NOW)
    assert waker.after(posted) == (Woken("other", "stale"),)
    connection = raw(store)
    assert connection.execute("SELECT wake_times FROM delivery").fetchall() == [("",)] * 3
    connection.close()
