"""Posting: what is stored, whose it is, and each limit at its edge."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chat.rig import ME, NOW, OTHER, agent, grant, maintainer, raw
from tests.house.tree import ROOT
from tongs_chat import channels, grants, limits, messages, reading
from tongs_chat.database import Database
from tongs_chat.errors import ChatError, GrantError, InvalidMessage, LimitReached, NotFound


@pytest.fixture
def me(store: Path) -> Iterator[Database]:
    grant(store, ME, "me")
    grant(store, OTHER, "other")
    with agent(store, ME) as database:
        yield database


def _post(database: Database, body: str = "hello", *, at: float = 0.0, channel: str = "general"):
    return messages.post(database, channel, body, now=NOW + at)


def _refusal(work) -> str:
    with pytest.raises(ChatError) as caught:
        work()
    return caught.value.reason


@pytest.mark.requirement("1.12", "1.15", "3.26")
def test_a_post_has_the_next_id_and_its_author_is_whose_connection_it_is(
    store: Path, me: Database
) -> None:
    first, second = _post(me, "to @other and @maintainer, not to @nobody"), _post(me)
    assert second.id > first.id
    assert [it.handle for it in first.mentioned] == ["other", "maintainer"]
    with maintainer(store) as person:
        messages.post(person, "general", "hi", now=NOW)
        found = reading.newest(person)
    assert [it.author for it in found] == ["me", "me", "maintainer"]
    assert found[0].mentions == ("maintainer", "other")


@pytest.mark.requirement("1.6")
@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("", "bad-text"),
        ("a" * 8192, ""),
        ("a" * 8193, "too-large"),
        ("é" * 4096, ""),
        ("é" * 4096 + "a", "too-large"),
        ("👋" * 2048, ""),
        ("👋" * 2048 + "a", "too-large"),
        ("tab\tand\nnewline", ""),
        ("x\x1b[201~", "bad-text"),
        ("bell\x07", "bad-text"),
        ("delete\x7f", "bad-text"),
        ("c1\x9b", "bad-text"),
        ("half\ud83d", "bad-text"),
        ("nul\0", "bad-text"),
        ("return\r", "bad-text"),
        ("line\r\nline", ""),
        (" ", ""),
    ],
)
def test_a_body_is_1_to_8192_bytes_of_plain_text(me: Database, body: str, reason: str) -> None:
    if reason:
        assert _refusal(lambda: _post(me, body)) == reason
        assert reading.newest(me) == ()
    else:
        _post(me, body)
        assert reading.newest(me)[0].body == body.replace("\r\n", "\n")


@pytest.mark.requirement("1.7", "3.18")
def test_the_20th_mention_is_taken_and_the_21st_refused(store: Path, me: Database) -> None:
    for number in range(19):
        grant(store, f"launch-{number:04}", f"h{number}")
    names = [f"@h{number}" for number in range(19)] + ["@other"]
    unknown = " @nobody" * 30
    assert len(_post(me, " ".join(names) + " @other again" + unknown).mentioned) == 20
    over = " ".join([*names, "@maintainer"])
    assert _refusal(lambda: _post(me, over)) == "too-many-mentions"
    assert len(reading.newest(me)) == 1


@pytest.mark.requirement("1.8", "A35")
def test_the_30th_post_in_a_minute_is_taken_and_the_31st_refused(store: Path, me: Database) -> None:
    for number in range(30):
        _post(me, at=number)
    assert _refusal(lambda: _post(me, at=59.9)) == "rate"
    with agent(store, OTHER) as other:
        _post(other, at=59.9)
    _post(me, at=60.1)
    assert _refusal(lambda: _post(me, at=60.2)) == "rate"


@pytest.mark.requirement("A35")
def test_the_maintainer_is_bound_too(store: Path) -> None:
    with maintainer(store) as person:
        for _ in range(30):
            _post(person)
        assert _refusal(lambda: _post(person)) == "rate"


def test_a_clock_that_jumps_back_neither_opens_nor_locks_the_gate(me: Database) -> None:
    for _ in range(30):
        _post(me, at=0)
    assert _refusal(lambda: _post(me, at=-30)) == "rate"
    _post(me, at=-3600)


@pytest.mark.requirement("1.8")
def test_two_processes_that_race_for_the_30th_post_get_one_between_them(
    store: Path, me: Database
) -> None:
    for _ in range(29):
        _post(me)
    code = (
        "import sys\nfrom tongs_chat import messages\nfrom tongs_chat.database import Database\n"
        "from tongs_chat.errors import LimitReached\n"
        f"db = Database(sys.argv[1], 'agent', {ME!r})\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        f"try: messages.post(db, 'general', 'mine', now={NOW})\n"
        "except LimitReached as error: print(error.reason)\n"
        "else: print('posted')\n"
    )
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(store)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for it in racers:
        assert it.stdout is not None
        assert it.stdout.readline() == "ready\n"
    for it in racers:
        assert it.stdin is not None
        it.stdin.write("\n")
        it.stdin.flush()
    said = sorted(it.communicate(timeout=30)[0].strip() for it in racers)
    assert said == ["posted", "rate"]


@pytest.mark.requirement("1.10", "A79")
def test_past_64_mib_posts_are_refused_and_what_was_freed_counts_as_room(
    store: Path, me: Database
) -> None:
    _fill(store, limits.STORE_BYTES - (1 << 20))
    _post(me)
    _fill(store, limits.STORE_BYTES + (1 << 16))
    assert _refusal(lambda: _post(me)) == "store-full"
    connection = raw(store)
    connection.execute("DELETE FROM mentions")
    connection.execute("DELETE FROM messages WHERE author_id = 1")
    connection.close()
    assert store.stat().st_size > limits.STORE_BYTES / 2  # its pages are free, not gone
    _post(me)


def _fill(path: Path, size: int) -> None:
    """Store old messages of the maintainer's until the file is about ``size`` bytes."""
    connection = raw(path)
    connection.execute("BEGIN")
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (seq,) = connection.execute("SELECT coalesce(max(seq), 0) FROM messages").fetchone()
    each = 3 * 4096
    connection.executemany(
        "INSERT INTO messages (channel_id, seq, author_id, handle, ts, body)"
        " VALUES (1, ?, 1, 'maintainer', 1, ?)",
        ((seq + n, "x" * (each - 200)) for n in range(1, (size - pages * 4096) // each + 1)),
    )
    connection.execute("COMMIT")
    connection.close()


@pytest.mark.requirement("1.11", "3.21", "3.22")
def test_threads_are_one_level_deep_and_within_their_channel(store: Path, me: Database) -> None:
    with maintainer(store) as person:
        channels.create(person, "second", now=NOW)
    root = _post(me)
    reply = messages.post(me, "general", "a reply", now=NOW, thread=root.id)
    assert reply.thread == root.id
    for channel, thread in (("general", reply.id), ("second", root.id), ("general", 999)):
        assert (
            _refusal(lambda c=channel, t=thread: messages.post(me, c, "x", now=NOW, thread=t))
            == "bad-thread"
        )


@pytest.mark.requirement("3.22", "A29")
def test_an_unknown_or_archived_channel_takes_no_post(store: Path, me: Database) -> None:
    assert _refusal(lambda: _post(me, channel="nowhere")) == "no-such-channel"
    with maintainer(store) as person:
        channels.archive(person, "general", now=NOW)
    assert _refusal(lambda: _post(me)) == "archived"
    with maintainer(store) as person:
        channels.archive(person, "general", now=NOW, undo=True)
    _post(me)


@pytest.mark.requirement("2.11", "3.15", "F2")
@pytest.mark.case("F2")
def test_after_a_revoke_the_next_call_of_an_open_connection_is_refused(
    store: Path, me: Database
) -> None:
    with maintainer(store) as person:
        grants.take_back(person, ME, now=NOW)
    for work in (
        lambda: _post(me),
        lambda: reading.page(me, "general"),
        lambda: reading.inbox(me),
    ):
        with pytest.raises(GrantError, match="revoked"):
            work()


@pytest.mark.case("F2")
def test_before_a_grant_there_is_no_connection_to_call_with(store: Path) -> None:
    with pytest.raises(GrantError, match="no chat grant"):
        agent(store, "launch-never")


@pytest.mark.requirement("1.14")
@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("@other", ["other"]),
        ("@other, (@other) @other.", ["other"]),
        ("mail me@other.org", []),
        ("@@other", []),
        ("@others", []),
        ("@Other", []),
        ("@other-", []),
        ("@other_x", []),
        ("@all @maintainer", ["maintainer"]),
        ("see @me", ["me"]),
        ("ü@other", []),
    ],
)
def test_a_mention_is_a_whole_handle_of_somebody_who_is_there(
    me: Database, body: str, found: list[str]
) -> None:
    assert [it.handle for it in _post(me, body).mentioned] == found


@pytest.mark.requirement("2.16", "A25")
def test_a_handle_that_passes_on_leaves_old_messages_as_they_were(
    store: Path, me: Database
) -> None:
    _post(me, "of the first")
    with maintainer(store) as person:
        grants.take_back(person, ME, now=NOW)
    grant(store, "launch-next", "me")
    with agent(store, "launch-next") as heir:
        _post(heir, "of the second")
        assert [(it.author, it.body) for it in reading.newest(heir)] == [
            ("me", "of the first"),
            ("me", "of the second"),
        ]
    connection = raw(store)
    authors = connection.execute("SELECT count(DISTINCT author_id) FROM messages").fetchone()
    connection.close()
    assert authors == (2,)


def test_each_refusal_is_an_error_with_the_words_for_it(me: Database) -> None:
    with pytest.raises(NotFound) as unknown:
        _post(me, channel="nowhere")
    assert unknown.value.hint == "there are: general"
    with pytest.raises(InvalidMessage) as long:
        _post(me, "x" * 9000)
    assert "9000" in long.value.message
    for _ in range(30):
        _post(me)
    with pytest.raises(LimitReached) as fast:
        _post(me, at=12)
    assert fast.value.hint == "wait 48 s"
