"""Retention: what goes, what stays, and what that leaves for others to see."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chat.rig import ME, NOW, agent, grant, maintainer, raw
from tongs_chat import cursors, limits, messages, pruning, reading
from tongs_chat.database import Database
from tongs_chat.errors import LimitReached
from tongs_chat.pruning import Pruned

DAY = 86400.0


@pytest.fixture
def person(store: Path) -> Iterator[Database]:
    grant(store, ME, "me", now=NOW - 40 * DAY)
    with maintainer(store) as database:
        yield database


def _say(database: Database, body: str, days: float, thread: int | None = None) -> int:
    return messages.post(database, "general", body, now=NOW + days * DAY, thread=thread).id


def _bodies(database: Database) -> list[str]:
    return [it.body for it in reading.newest(database)]


@pytest.mark.requirement("1.9")
def test_a_message_goes_after_30_days_and_a_root_when_its_last_reply_goes(
    person: Database,
) -> None:
    _say(person, "old @me", -31)
    live = _say(person, "live root", -31)
    dead = _say(person, "dead root", -31)
    _say(person, "old reply", -31, live)
    _say(person, "new reply", -29, live)
    _say(person, "its only reply", -30.5, dead)
    _say(person, "young", -29.9)
    assert pruning.prune(person, now=NOW) == Pruned(4, 0)
    assert _bodies(person) == ["live root", "new reply", "young"]
    assert pruning.prune(person, now=NOW + 1.05 * DAY) == Pruned(3, 0)
    assert _bodies(person) == []


@pytest.mark.requirement("1.9", "1.16")
def test_what_was_pruned_is_unread_no_more_and_ids_go_on(store: Path, person: Database) -> None:
    root = _say(person, "root", -31)
    _say(person, "@me old", -31)
    last = _say(person, "reply", -1, root)
    with agent(store, ME) as me:
        assert reading.inbox(me).channels[0].unread == 3
        pruning.prune(person, now=NOW)
        inbox = reading.inbox(me)
        assert (inbox.channels[0].unread, inbox.mentions_total) == (2, 0)
        page = reading.page(me, "general", limit=1, mark_read=True)
        assert page.mark is not None
        cursors.advance(me, page.mark)
        assert reading.inbox(me).channels[0].unread == 1
        pruning.prune(person, now=NOW + 40 * DAY)
        assert reading.inbox(me).channels[0].unread == 0
        assert _say(person, "after all that", 40) > last
        assert reading.inbox(me).channels[0].unread == 1


@pytest.mark.requirement("A79", "1.10")
def test_prune_makes_room_and_gives_the_pages_back(store: Path, person: Database) -> None:
    connection = raw(store)
    connection.execute("BEGIN")
    connection.executemany(
        "INSERT INTO messages (channel_id, seq, author_id, handle, ts, body)"
        " VALUES (1, ?, 1, 'maintainer', ?, ?)",
        ((n, NOW - 31 * DAY, "x" * 8000) for n in range(1, 8501)),
    )
    connection.execute("COMMIT")
    connection.close()
    with pytest.raises(LimitReached, match="64 MiB"):
        _say(person, "no room", 0)
    assert pruning.prune(person, now=NOW).messages == 8500
    _say(person, "room", 0)
    person.close()
    assert store.stat().st_size < 1 << 20
    assert limits.STORE_BYTES == 64 << 20
