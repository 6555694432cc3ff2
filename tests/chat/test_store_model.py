"""The store against a plain model of it: whatever is done in whatever order, they agree."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.chat.rig import NOW, STARTED, agent, maintainer, store_path
from tongs_chat import channels, creation, cursors, grants, limits, messages, pruning, reading
from tongs_chat.errors import ChatError
from tongs_chat.model import Posted

LAUNCHES = ("launch-aa", "launch-bb", "launch-cc")
NAMES = ("general", "second", "third")
DAY = 86400.0
WORDS = st.lists(st.sampled_from(["@ann", "@bo", "@cy", "@maintainer", "hi", "é\n"]))


_T = TypeVar("_T")


def attempt(work: Callable[[], _T]) -> tuple[_T | None, str]:
    """What ``work`` returned, or the reason that it was refused for."""
    try:
        return work(), ""
    except ChatError as error:
        return None, error.reason


@dataclass
class Said:
    """A message of the model; ``author`` is a launch, or None for the maintainer."""

    id: int
    channel: str
    root: int | None
    author: str | None
    ts: float
    body: str
    mentioned: frozenset[str | None]


@dataclass
class Model:
    """What ought to be in the file."""

    said: list[Said] = field(default_factory=list)
    grants: dict[str, str] = field(default_factory=dict)
    channels: dict[str, bool] = field(default_factory=lambda: {"general": False})
    cursors: dict[tuple[str, str], int] = field(default_factory=dict)
    now: float = NOW

    def holders(self) -> dict[str, str | None]:
        return {"maintainer": None, **{handle: it for it, handle in self.grants.items()}}

    def of(self, message_id: int | None) -> Said | None:
        return next((it for it in self.said if it.id == message_id), None)

    def beyond(self, launch: str, channel: str) -> list[Said]:
        cursor = self.cursors.get((launch, channel), 0)
        return [it for it in self.said if it.channel == channel and it.id > cursor]

    def unread(self, launch: str, channel: str) -> list[Said]:
        return [it for it in self.beyond(launch, channel) if it.author != launch]

    def refusal(self, author: str | None, channel: str, thread: int | None, count: int) -> str:
        if channel not in self.channels:
            return "no-such-channel"
        if self.channels[channel]:
            return "archived"
        root = self.of(thread)
        if thread is not None and (root is None or root.channel != channel or root.root):
            return "bad-thread"
        if count > limits.MENTIONS:
            return "too-many-mentions"
        lately = [it for it in self.said if it.author == author and abs(it.ts - self.now) < 60]
        return "rate" if len(lately) >= limits.POSTS else ""

    def prune(self) -> int:
        before = self.now - limits.RETENTION_SECONDS
        kept = [it for it in self.said if it.root is None or it.ts >= before]
        live = {it.root for it in kept}
        kept = [it for it in kept if it.ts >= before or it.id in live]
        gone = len(self.said) - len(kept)
        self.said = kept
        return gone


class Store(RuleBasedStateMachine):
    """Acts on the file and on the model alike."""

    @initialize()
    def begin(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="tongs-model-"))
        self.path = store_path(self.directory)
        self.model = Model()
        maintainer(self.path).close()
        # Two who take part from the start: most of what can go wrong needs readers.
        self.grant("launch-aa", "ann")
        self.grant("launch-bb", "bo")

    def teardown(self) -> None:
        shutil.rmtree(self.directory)

    @rule(launch=st.sampled_from(LAUNCHES), handle=st.sampled_from(["ann", "bo", "cy"]))
    def grant(self, launch: str, handle: str) -> None:
        other = self.model.holders().get(handle, launch)
        with maintainer(self.path) as person:
            _, reason = attempt(
                lambda: grants.give(
                    person,
                    launch_id=launch,
                    profile="worker",
                    level="chat",
                    pid=1,
                    start_token=STARTED,
                    now=self.model.now,
                    handle=handle,
                )
            )
        assert reason == ("" if other == launch else "handle-taken")
        if reason:
            return
        if launch not in self.model.grants:
            for name in self.model.channels:
                newest = max((it.id for it in self.model.said if it.channel == name), default=0)
                key = (launch, name)
                self.model.cursors[key] = max(self.model.cursors.get(key, 0), newest)
        self.model.grants[launch] = handle

    @precondition(lambda self: self.model.grants)
    @rule(data=st.data())
    def revoke(self, data: st.DataObject) -> None:
        launch = data.draw(st.sampled_from(sorted(self.model.grants)))
        with maintainer(self.path) as person:
            grants.take_back(person, launch, now=self.model.now)
        del self.model.grants[launch]

    @rule(name=st.sampled_from(NAMES))
    def create_channel(self, name: str) -> None:
        with maintainer(self.path) as person:
            try:
                channels.create(person, name, now=self.model.now)
            except ChatError:
                assert name in self.model.channels
                return
        assert name not in self.model.channels
        self.model.channels[name] = False

    @rule(name=st.sampled_from(NAMES), undo=st.booleans())
    def archive(self, name: str, *, undo: bool) -> None:
        with maintainer(self.path) as person:
            try:
                changed = channels.archive(person, name, now=self.model.now, undo=undo)
            except ChatError:
                assert name not in self.model.channels
                return
        assert changed is (self.model.channels[name] is undo)
        self.model.channels[name] = not undo

    @rule(
        who=st.sampled_from((None, *LAUNCHES)),
        channel=st.sampled_from(NAMES),
        words=WORDS,
        reply=st.sampled_from([False, False, True]),
        times=st.sampled_from([1, 1, 1, 31]),
        data=st.data(),
    )
    def post(self, who, channel, words, *, reply, times, data) -> None:
        threads = [it.id for it in self.model.said] + [10**9]
        thread = data.draw(st.sampled_from(threads)) if reply else None
        for _ in range(times):
            self.say(who, channel, words, thread)

    @rule(
        first=st.sampled_from((None, *LAUNCHES)),
        second=st.sampled_from((None, *LAUNCHES)),
        channel=st.sampled_from(NAMES),
        words=WORDS,
        days=st.tuples(st.sampled_from([1, 16, 31]), st.sampled_from([1, 16, 31])),
        limit=st.sampled_from([1, 2, 50]),
        data=st.data(),
    )
    def a_thread_takes_weeks(self, first, second, channel, words, days, limit, data) -> None:
        root = self.say(first, channel, words, None)
        self.model.now += days[0] * DAY
        self.say(second, channel, words, root)
        if self.model.grants:
            self.read(channel, limit, mark=True, data=data)
        self.prune(days[1])

    def say(
        self, who: str | None, channel: str, words: list[str], thread: int | None
    ) -> int | None:
        """Post, to the file and to the model; the id of what was taken."""
        holders = self.model.holders()
        mentioned = frozenset(holders[it[1:]] for it in words if it[1:] in holders)
        expected = self.model.refusal(who, channel, thread, len(mentioned))
        if who is not None and who not in self.model.grants:
            expected = "not-granted"
        body = " ".join(["x", *words])
        done, reason = attempt(lambda: self._post(who, channel, body, thread))
        assert reason == expected
        if done is None:
            return None
        assert all(done.id > it.id for it in self.model.said)
        self.model.said.append(Said(done.id, channel, thread, who, self.model.now, body, mentioned))
        return done.id

    def _post(self, who: str | None, channel: str, body: str, thread: int | None) -> Posted:
        with maintainer(self.path) if who is None else agent(self.path, who) as database:
            return messages.post(database, channel, body, now=self.model.now, thread=thread)

    @precondition(lambda self: self.model.grants)
    @rule(
        channel=st.sampled_from(NAMES),
        limit=st.integers(min_value=1, max_value=50),
        mark=st.booleans(),
        data=st.data(),
    )
    def read(self, channel: str, limit: int, *, mark: bool, data: st.DataObject) -> None:
        launch = data.draw(st.sampled_from(sorted(self.model.grants)))
        with agent(self.path, launch) as database:
            page, reason = attempt(
                lambda: reading.page(database, channel, limit=limit, mark_read=mark)
            )
            assert reason == ("" if channel in self.model.channels else "no-such-channel")
            if page is None:
                return
            found = self.model.beyond(launch, channel)
            assert [it.id for it in page.messages] == [it.id for it in found[:limit]]
            assert page.more is (len(found) > limit)
            if page.mark is not None:
                self.model.cursors[launch, channel] = cursors.advance(database, page.mark)
                assert self.model.cursors[launch, channel] == found[:limit][-1].id

    @rule(seconds=st.sampled_from([1.0, 59.0, 61.0, 15 * DAY, 31 * DAY, -30.0, -3600.0, -DAY]))
    def clock_jumps(self, seconds: float) -> None:
        self.model.now += seconds

    @rule(days=st.sampled_from([0, 16, 31]))
    def prune(self, days: int) -> None:
        self.model.now += days * DAY
        with maintainer(self.path) as person:
            assert pruning.prune(person, now=self.model.now).messages == self.model.prune()

    @rule(really=st.sampled_from([False] * 9 + [True]))
    def purge(self, *, really: bool) -> None:
        if really:
            assert creation.purge(self.path, before_commit=lambda _: None)
            maintainer(self.path).close()
            self.model = Model(now=self.model.now)

    @invariant()
    def what_is_stored_is_what_was_said(self) -> None:
        with maintainer(self.path) as person:
            newest = reading.newest(person, limit=50)
            stored = {it.launch_id: it.handle for it in grants.every(person)}
            listed = {it.name: it.archived for it in reading.listing(person)}
        assert [(it.id, it.channel, it.thread, it.body, it.ts) for it in newest] == [
            (it.id, it.channel, it.root, it.body, it.ts) for it in self.model.said[-50:]
        ]
        assert stored == self.model.grants
        assert listed == self.model.channels

    @invariant()
    def each_inbox_is_what_its_owner_has_not_read(self) -> None:
        open_ = [name for name, archived in self.model.channels.items() if not archived]
        for launch, handle in self.model.grants.items():
            with agent(self.path, launch) as database:
                inbox = reading.inbox(database)
            unread = {name: self.model.unread(launch, name) for name in open_}
            mentions = sorted(
                it.id for name in open_ for it in unread[name] if launch in it.mentioned
            )
            assert inbox.handle == handle
            assert {it.name: it.unread for it in inbox.channels} == {
                name: len(it) for name, it in unread.items()
            }
            assert inbox.mentions_total == len(mentions)
            assert [it.id for it in inbox.mentions] == mentions[::-1][:10]


TestStore = Store.TestCase
TestStore.settings = settings(max_examples=30, stateful_step_count=20)
