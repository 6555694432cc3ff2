"""Reading: pages, cursors, counts and the inbox."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chat.rig import ME, NOW, OTHER, agent, grant, maintainer, raw
from tongs_chat import channels, cursors, messages, reading
from tongs_chat.database import Database
from tongs_chat.errors import ChatError
from tongs_chat.model import Channel, Mention, Page


@pytest.fixture
def me(store: Path) -> Iterator[Database]:
    grant(store, ME, "me")
    with agent(store, ME) as database:
        yield database


@pytest.fixture
def person(store: Path, me: Database) -> Iterator[Database]:
    with maintainer(store) as database:
        yield database


def _say(database: Database, *bodies: str, channel: str = "general", thread: int | None = None):
    return [
        messages.post(database, channel, it, now=NOW + n * 10, thread=thread).id
        for n, it in enumerate(bodies)
    ]


def _bodies(page: Page) -> list[str]:
    return [it.body for it in page.messages]


def _mark(database: Database, page: Page) -> int:
    assert page.mark is not None
    return cursors.advance(database, page.mark)


@pytest.mark.requirement("3.2", "A23")
def test_a_page_is_the_oldest_after_the_cursor_and_says_that_there_is_more(
    me: Database, person: Database
) -> None:
    ids = _say(person, "one", "two", "three")
    page = reading.page(me, "general", limit=2, mark_read=True)
    assert (_bodies(page), page.more, page.cursor) == (["one", "two"], True, ids[1])
    assert _mark(me, page) == ids[1]
    rest = reading.page(me, "general", mark_read=True)
    assert (_bodies(rest), rest.more) == (["three"], False)
    _mark(me, rest)
    assert reading.page(me, "general").messages == ()
    assert _bodies(reading.page(me, "general", after_id=0)) == ["one", "two", "three"]


@pytest.mark.case("G4")
@pytest.mark.requirement("1.16")
def test_nothing_is_read_before_it_was_handed_over(me: Database, person: Database) -> None:
    _say(person, "hello @me")
    page = reading.page(me, "general", mark_read=True)
    assert reading.inbox(me).mentions_total == 1
    assert _bodies(reading.page(me, "general")) == ["hello @me"]
    _mark(me, page)
    assert reading.inbox(me).mentions_total == 0


@pytest.mark.requirement("A77")
def test_the_cursor_never_moves_back(me: Database, person: Database) -> None:
    ids = _say(person, "one", "two")
    early = reading.page(me, "general", limit=1, mark_read=True)
    _mark(me, reading.page(me, "general", mark_read=True))
    assert _mark(me, early) == ids[1]
    again = reading.page(me, "general", after_id=0, limit=1, mark_read=True)
    assert (again.mark, again.cursor) == (None, ids[1])


@pytest.mark.requirement("A22", "A77", "3.22")
@pytest.mark.parametrize(
    "asked",
    [
        {"thread": 1, "mark_read": True},
        {"after_id": 2, "mark_read": True},
        {"limit": 0},
        {"limit": 51},
    ],
    ids=str,
)
def test_what_would_skip_messages_unseen_is_refused(
    me: Database, person: Database, asked: dict[str, int]
) -> None:
    _say(person, "one", "two")
    with pytest.raises(ChatError) as caught:
        reading.page(me, "general", **asked)  # type: ignore[arg-type]  # as parametrised
    assert caught.value.reason == "usage"


def test_a_page_from_before_the_cursor_may_be_marked(me: Database, person: Database) -> None:
    ids = _say(person, "one", "two")
    page = reading.page(me, "general", after_id=0, mark_read=True)
    assert _mark(me, page) == ids[1]


@pytest.mark.requirement("A24")
def test_a_new_grant_begins_at_the_newest_message(store: Path, person: Database) -> None:
    _say(person, "before")
    grant(store, OTHER, "other")
    _say(person, "after @other")
    with agent(store, OTHER) as other:
        assert _bodies(reading.page(other, "general")) == ["after @other"]
        assert _bodies(reading.page(other, "general", after_id=0)) == ["before", "after @other"]
        assert reading.inbox(other).channels == (Channel("general", False, 1, 1),)


@pytest.mark.requirement("A24")
def test_ones_own_posts_and_mentions_never_count_as_unread(me: Database, person: Database) -> None:
    _say(me, "mine @me")
    _say(person, "yours")
    _say(me, "mine again")
    inbox = reading.inbox(me)
    assert (inbox.channels[0].unread, inbox.mentions_total) == (1, 0)


@pytest.mark.requirement("1.16", "3.24")
def test_cursors_are_kept_per_channel(me: Database, person: Database) -> None:
    channels.create(person, "second", now=NOW)
    _say(person, "one")
    _say(person, "two", "three @me", channel="second")
    _mark(me, reading.page(me, "general", mark_read=True))
    assert reading.inbox(me).channels == (
        Channel("general", False, 0),
        Channel("second", False, 2, 1),
    )


@pytest.mark.requirement("3.24", "A31", "4.16")
def test_an_inbox_shows_the_newest_ten_mentions_by_their_first_160_bytes(
    me: Database, person: Database
) -> None:
    root = _say(person, "root")[0]
    long = "@me " + "é" * 200 + "\n| forged"
    ids = _say(person, *["@me"] * 10) + _say(person, long, thread=root)
    inbox = reading.inbox(me)
    assert [it.id for it in inbox.mentions] == ids[:0:-1]
    assert (inbox.handle, inbox.mentions_total) == ("me", 11)
    newest = inbox.mentions[0]
    assert newest == Mention(ids[-1], "general", root, "maintainer", NOW, newest.preview)
    assert len(newest.preview.encode()) <= 160
    assert newest.preview.endswith("é…")


@pytest.mark.requirement("A29")
def test_an_archived_channel_is_in_no_inbox_and_read_by_its_name(
    me: Database, person: Database
) -> None:
    _say(person, "hello @me")
    channels.archive(person, "general", now=NOW)
    assert reading.inbox(me).channels == ()
    assert reading.inbox(me).mentions == ()
    assert _bodies(reading.page(me, "general")) == ["hello @me"]
    assert reading.listing(person) == (Channel("general", True, 0),)


@pytest.mark.requirement("1.11", "3.2")
def test_a_thread_is_its_root_and_its_replies(me: Database, person: Database) -> None:
    root, other = _say(person, "root", "other")
    _say(person, "reply", thread=root)
    _say(person, "elsewhere", thread=other)
    assert _bodies(reading.page(me, "general", thread=root)) == ["root", "reply"]
    assert _bodies(reading.page(me, "general", thread=root, after_id=root)) == ["reply"]
    assert [it.body for it in reading.newest(person, thread=root)] == ["root", "reply"]
    assert [it.body for it in reading.newest(person, "general", thread=other)] == [
        "other",
        "elsewhere",
    ]
    with pytest.raises(ChatError) as caught:
        reading.page(me, "general", thread=999)
    assert caught.value.reason == "bad-thread"


@pytest.mark.requirement("A38")
def test_the_maintainer_reads_the_newest_of_all_channels(me: Database, person: Database) -> None:
    channels.create(person, "second", now=NOW)
    _say(person, "one")
    _say(person, "two", channel="second")
    _say(me, *[f"{n}" for n in range(20)])
    assert [it.body for it in reading.newest(person)] == [f"{n}" for n in range(20)]
    assert [it.body for it in reading.newest(person, "second")] == ["two"]


def test_what_is_unread_is_not_counted_one_by_one(store: Path, me: Database) -> None:
    connection = raw(store)
    connection.execute("BEGIN")
    connection.executemany(
        "INSERT INTO messages (channel_id, seq, author_id, handle, ts, body)"
        " VALUES (1, ?, 1, 'maintainer', 1, 'x')",
        ((n,) for n in range(1, 20001)),
    )
    connection.execute("COMMIT")
    connection.close()
    steps = [0]

    def step() -> int:
        steps[0] += 1
        return 0

    me.sql.set_progress_handler(step, 100)  # every 100 instructions of SQLite's machine
    assert reading.inbox(me).channels[0].unread == 20000
    assert steps[0] < 50
