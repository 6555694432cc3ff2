"""Sending to another chat: each limit at its edge, with words that an agent can act on."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chat.rig import ME, NOW, OTHER, STRANGER, agent, grant, hook, maintainer, raw
from tests.house.tree import ROOT
from tongs_chat import delivery, grants, idle, limits, peers, pruning, queue
from tongs_chat.database import Database
from tongs_chat.errors import ChatError
from tongs_chat.letter import Letter
from tongs_chat.peers import Outgoing, Sent
from tongs_chat.queue import Holder, Wanted


@pytest.fixture
def me(store: Path) -> Iterator[Database]:
    for launch, handle in ((ME, "me"), (OTHER, "other"), (STRANGER, "third")):
        grant(store, launch, handle)
    with agent(store, ME) as database:
        yield database


def _send(
    database: Database, text: str, *, at: float = 0.0, to: str = OTHER, accept: bool = True, **more
) -> Sent:
    return peers.send(database, Outgoing(to, text, **more), now=NOW + at, accept=accept)


def _refusal(work) -> str:
    with pytest.raises(ChatError) as caught:
        work()
    assert caught.value.message
    return caught.value.reason


def _read_all(path: Path, launch: str, at: float = 0.0) -> list[Letter]:
    """What a launch's server gets when it waits, marked as read."""
    found: list[Letter] = []
    with agent(path, launch) as reader:
        holder = Holder(1, "b:1")
        while True:
            letter, _ = queue.take(reader, holder, Wanted(counts=False), now=NOW + at)
            if letter is None:
                return found
            assert queue.mark(reader, letter, holder, now=NOW + at)
            found.append(letter)


@pytest.mark.requirement("9.13", "9.26", "A96")
def test_a_message_arrives_with_its_sender_title_run_and_text(store: Path, me: Database) -> None:
    sent = _send(
        me, "line\r\nline", title="a\ntitle\u202e", run_id="r2", sender_run="r1", sender_name="t"
    )
    (letter,) = _read_all(store, OTHER)
    assert (letter.id, letter.launch_id, letter.handle, letter.title) == (
        sent.id,
        ME,
        "me",
        "a title",
    )
    assert (letter.run_id, letter.sender_run, letter.sender_name) == ("r2", "r1", "t")
    assert (letter.text, letter.more, letter.again) == ("line\nline", False, False)


@pytest.mark.requirement("9.19", "A57")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "bad-text"),
        (" \n\t", "bad-text"),
        ("\x1b[201~", "bad-text"),
        ("half\ud83d", "bad-text"),
        ("é" * 100_000, ""),
        ("👋" * 100_001, "too-large"),
        ("x" * 300_000, "too-large"),
        ("/clear", ""),
        ("!touch x", ""),
    ],
    ids=lambda value: value[:8],
)
def test_a_message_is_1_to_100000_characters_of_plain_text(
    store: Path, me: Database, text: str, reason: str
) -> None:
    if reason:
        assert _refusal(lambda: _send(me, text)) == reason
    else:
        _send(me, text)
        found = "".join(it.text for it in _read_all(store, OTHER))
        assert found == text


@pytest.mark.requirement("9.20", "A49")
def test_the_same_text_to_the_same_chat_is_refused_for_60_seconds(me: Database) -> None:
    _send(me, "again")
    assert _refusal(lambda: _send(me, "again", at=59.9)) == "duplicate"
    _send(me, "again", to=STRANGER)
    _send(me, "again ", at=1)
    _send(me, "again", at=60)


@pytest.mark.requirement("9.21", "A50")
def test_a_pair_has_6_messages_a_minute_and_60_an_hour(store: Path, me: Database) -> None:
    for number in range(6):
        _send(me, f"{number}", at=number)
    assert _refusal(lambda: _send(me, "seventh", at=59)) == "rate"
    _send(me, "to another", to=STRANGER, at=59)
    _read_all(store, OTHER)
    for number in range(6, 60):
        _send(me, f"{number}", at=number * 50)
        _read_all(store, OTHER)
    assert _refusal(lambda: _send(me, "the 61st", at=3599)) == "rate"
    _send(me, "the 61st", at=3601)


@pytest.mark.requirement("9.23", "A52")
def test_the_20th_waits_and_the_21st_is_refused(store: Path, me: Database) -> None:
    with agent(store, STRANGER) as third:
        for number in range(10):
            _send(me, f"{number}", at=number * 20)
            _send(third, f"{number}", at=number * 20)
        assert _refusal(lambda: _send(me, "one more", at=300)) == "queue-full"
        _read_all(store, OTHER)
        _send(me, "one more", at=300)


@pytest.mark.requirement("9.23")
def test_two_processes_that_race_for_the_20th_place_get_one_between_them(
    store: Path, me: Database
) -> None:
    connection = raw(store)
    connection.executemany(
        "INSERT INTO peer_messages (kind, sender_id, target_id, handle, title, body, length, ts)"
        " VALUES ('message', 4, 3, 'h', '', ?, 1, 1)",
        [(f"{n}",) for n in range(19)],
    )
    connection.close()
    code = (
        "import sys\nfrom tongs_chat import peers\nfrom tongs_chat.database import Database\n"
        "from tongs_chat.errors import LimitReached\n"
        "db = Database(sys.argv[1], 'agent', sys.argv[2])\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        f"out = peers.Outgoing({OTHER!r}, 'mine')\n"
        f"try: peers.send(db, out, now={NOW}, accept=True)\n"
        "except LimitReached as error: print(error.reason)\n"
        "else: print('sent')\n"
    )
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(store), launch],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for launch in (ME, STRANGER)
    ]
    for it in racers:
        assert it.stdout is not None
        assert it.stdout.readline() == "ready\n"
    for it in racers:
        assert it.stdin is not None
        it.stdin.write("\n")
        it.stdin.flush()
    said = sorted(it.communicate(timeout=30)[0].strip() for it in racers)
    assert said == ["queue-full", "sent"]


@pytest.mark.requirement("9.16", "9.17", "A47")
def test_who_takes_no_messages_is_left_alone_by_the_config_or_by_itself(
    store: Path, me: Database
) -> None:
    assert _refusal(lambda: _send(me, "x", accept=False)) == "not-accepting"
    with maintainer(store) as person:
        peers.set_accepts(person, OTHER, accepts=True)
        _send(me, "x", accept=False)
        peers.set_accepts(person, OTHER, accepts=False)
        assert _refusal(lambda: _send(me, "y")) == "not-accepting"
        peers.set_accepts(person, OTHER, accepts=None)
        _send(me, "y")
        with pytest.raises(ChatError):
            peers.set_accepts(person, "launch-nobody", accepts=True)


@pytest.mark.requirement("9.24", "9.25")
def test_nobody_writes_to_itself_to_strangers_or_to_who_has_left(store: Path, me: Database) -> None:
    assert _refusal(lambda: _send(me, "x", to=ME)) == "self"
    assert _refusal(lambda: _send(me, "x", to="launch-nobody")) == "no-such-launch"
    with maintainer(store) as person:
        grants.take_back(person, OTHER, now=NOW)
    assert _refusal(lambda: _send(me, "x")) == "not-granted"


@pytest.mark.case("G6")
@pytest.mark.requirement("A79")
def test_what_waits_for_who_has_left_is_gone_and_its_sender_is_told(
    store: Path, me: Database
) -> None:
    sent = _send(me, "are you there?", notify_when_idle=True)
    with maintainer(store) as person:
        assert pruning.prune(person, now=NOW + 90 * 86400).peer_messages == 0
        grants.take_back(person, OTHER, now=NOW + 5)
        assert {it.id: it.state for it in peers.listing(person)}[sent.id] == "gone"
        (told,) = _read_all(store, ME)
        assert (told.kind, told.reply_to, told.handle) == ("gone", sent.id, "other")
        assert f"message {sent.id} was not read" in told.text
        assert pruning.prune(person, now=NOW + 86400 * 2).peer_messages == 2


@pytest.mark.requirement("A79")
def test_a_read_message_is_pruned_after_24_hours(store: Path, me: Database) -> None:
    _send(me, "hello")
    _read_all(store, OTHER, at=100)
    with maintainer(store) as person:
        assert pruning.prune(person, now=NOW + 86400 + 99).peer_messages == 0
        assert pruning.prune(person, now=NOW + 86400 + 101).peer_messages == 1


@pytest.mark.requirement("A76")
@pytest.mark.case("I1")
def test_the_sixth_answer_without_a_person_waits_until_one_prompts(
    store: Path, me: Database
) -> None:
    with agent(store, OTHER) as other:
        sides, last, found = ((me, OTHER), (other, ME)), None, []
        for number in range(7):
            who, to = sides[number % 2]
            sent = _send(who, f"{number}", at=number * 30, to=to, reply_to=last)
            found.append(sent.is_loop)
            if not sent.is_loop:
                (letter,) = _read_all(store, to)
                last = letter.id
        assert found == [False] * 6 + [True]
        held, why = queue.take(other, Holder(1, "b:1"), Wanted(), now=NOW + 400)
        assert (held, why) == (None, "loop")
        with hook(store, ME) as prompts:
            delivery.turn_began(prompts, now=NOW + 500, by_person=False)
            assert queue.take(other, Holder(1, "b:1"), Wanted(), now=NOW + 500)[1] == "loop"
            delivery.turn_began(prompts, now=NOW + 501, by_person=True)
        (letter,) = _read_all(store, OTHER)
        assert letter.text == "6"
        assert not _send(other, "on we go", at=600, to=ME, reply_to=letter.id).is_loop


@pytest.mark.requirement("A76")
def test_an_answer_must_be_to_a_message_that_one_was_sent(store: Path, me: Database) -> None:
    sent = _send(me, "question")
    assert _refusal(lambda: _send(me, "to myself", reply_to=sent.id)) == "usage"
    with agent(store, STRANGER) as third:
        assert _refusal(lambda: _send(third, "not mine", to=ME, reply_to=sent.id)) == "usage"
    with agent(store, OTHER) as other:
        _send(other, "answer", to=ME, reply_to=sent.id)


@pytest.mark.requirement("9.14", "9.66", "A54", "A55")
def test_who_asked_is_told_once_that_a_chat_is_idle_and_not_while_something_waits(
    store: Path, me: Database
) -> None:
    _send(me, "work on this", notify_when_idle=True)
    with agent(store, OTHER) as other:
        assert idle.tell(other, now=NOW + 1) == ()
        _read_all(store, OTHER)
        assert idle.tell(other, now=NOW + 2) == (ME,)
        assert idle.tell(other, now=NOW + 3) == ()
        (notice,) = _read_all(store, ME)
        assert (notice.kind, notice.text, notice.launch_id) == (
            "idle",
            "@other is idle now.",
            OTHER,
        )
        _send(me, "and this", at=100, notify_when_idle=True)
        _read_all(store, OTHER)
        assert idle.tell(other, now=NOW + 100 + limits.WATCH_SECONDS) == ()


@pytest.mark.requirement("9.67")
def test_a_user_drops_what_waits_and_nothing_else(store: Path, me: Database) -> None:
    sent = _send(me, "never mind")
    with maintainer(store) as person:
        peers.drop(person, sent.id, now=NOW)
        assert [it.state for it in peers.listing(person)] == ["dropped"]
        assert _refusal(lambda: peers.drop(person, sent.id, now=NOW)) == "usage"
    assert _read_all(store, OTHER) == []


@pytest.mark.requirement("9.63", "9.67")
def test_the_queue_shows_who_waits_for_whom_and_why_and_no_text(store: Path, me: Database) -> None:
    sent = _send(me, "the secret")
    peers.set_reason(me, sent.id, "focused")
    with maintainer(store) as person:
        (line,) = peers.listing(person)
    assert (line.sender, line.target, line.state, line.reason) == (ME, OTHER, "queued", "focused")
    assert "secret" not in repr(line)


@pytest.mark.requirement("A79", "1.10")
def test_peer_bodies_count_for_the_size_of_the_file(
    store: Path, me: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tongs_chat.limits.STORE_BYTES", 1 << 20)
    for number in range(5):
        _send(me, f"{number}" + "é" * 99_000, at=number * 61)
    assert _refusal(lambda: _send(me, "6" + "é" * 99_000, at=700)) == "store-full"
