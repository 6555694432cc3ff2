"""The maintainer's side of chat: every verb and widget of a person goes through it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tongs_agents.chat.audit import ChatAuditLog, audit_of
from tongs_agents.chat.standing import Standing, is_over, standings
from tongs_agents.chat.waking import after_post
from tongs_agents.errors import Refused
from tongs_chat import administration, channels, cursors, grants, messages, pruning, reading
from tongs_chat.audit import ChatEvent
from tongs_chat.creation import open_maintainer
from tongs_chat.errors import InvalidMessage, NoStore, NotFound

if TYPE_CHECKING:
    from tongs_agents.chat.candidate import Candidate
    from tongs_agents.services import Services
    from tongs_chat.database import Database
    from tongs_chat.model import Channel, Grant, Level, Message, Posted
    from tongs_chat.wake.attempt import Woken

ACTOR = "cli"
"""Who a person's acts are audited as."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Opens the file anew for each act: nothing is held between two of a person's."""

    services: Services

    @property
    def audit(self) -> ChatAuditLog:
        """The chat audit, in a state dir that exists. Raises PlaceRefused, AuditFailed."""
        return audit_of(self.services)

    def open(self, *, create: bool = False) -> Database:
        """The maintainer's connection. Raises NoStore where nothing was ever granted."""
        services = self.services
        return open_maintainer(services.places.chat_db, clock=services.clock, create=create)

    # -- grants

    def granted(self) -> tuple[Grant, ...]:
        """Every stored grant, none where there is no file."""
        try:
            with self.open() as database:
                return grants.every(database)
        except NoStore:
            return ()

    def standings(self) -> tuple[Standing, ...]:
        """Every grant with what it is worth now."""
        services = self.services
        return standings(self.granted(), services.store.read, services.control.list)

    def suggested(self, who: Candidate) -> str:
        """The handle that a grant would have by itself (2.6)."""
        try:
            with self.open() as database:
                return grants.free_handle(database, who.profile, who.record.launch_id)
        except NoStore:
            return who.profile

    def refusals(self, action: str, target: str | None) -> AbstractContextManager[None]:
        """Audits what is refused before there is an act."""
        return self.audit.refusals(ChatEvent(ACTOR, action, target))

    def grant(self, who: Candidate, handle: str, level: Level) -> Grant:
        """Grant chat to a launch whose handle a person has typed; makes the file (1.4).

        Raises GrantError, InvalidName, StoreError, AuditFailed.
        """
        audit = self.audit
        with self.open(create=True) as database:
            return administration.grant(
                database,
                audit,
                actor=ACTOR,
                launch_id=who.record.launch_id,
                profile=who.profile,
                level=level,
                pid=who.pid,
                start_token=who.start_token,
                now=self.services.clock(),
                handle=handle,
            )

    def revoke(self, launch_id: str) -> Grant:
        """Take a grant back. Raises NotFound, NoStore, StoreError, AuditFailed."""
        with self.open() as database:
            return administration.revoke(
                database, self.audit, actor=ACTOR, launch_id=launch_id, now=self.services.clock()
            )

    def remove_stale(self) -> tuple[Grant, ...]:
        """Remove grants whose process has surely ended or lost its pane (2.12)."""
        over = {each.grant.launch_id for each in self.standings() if is_over(each.grant, each.seen)}
        if not over:
            return ()
        with self.open() as database:
            return administration.remove_stale(
                database,
                self.audit,
                actor=ACTOR,
                is_stale=lambda grant: grant.launch_id in over,
                now=self.services.clock(),
            )

    def meant(self, text: str) -> str:
        """The launch id of a grant by id, unambiguous beginning, or @handle.

        A grant may outlive its launch's record. Raises Refused, LaunchAmbiguous, NoStore.
        """
        from tongs_mux.errors import LaunchAmbiguous  # here: rarely needed

        with self.open() as database:
            found = grants.every(database)
        if text.startswith("@"):
            matches = [each.launch_id for each in found if each.handle == text[1:]]
        else:
            matches = [each.launch_id for each in found if each.launch_id.startswith(text)]
            matches = [text] if text in matches else matches
        if len(matches) > 1:
            raise LaunchAmbiguous(f"several grants match {text!r}", matches=tuple(matches))
        if not matches:
            raise Refused(
                f"{text!r} has no chat grant",
                reason="not-granted",
                hint="`tongs-agents chat grants` lists them",
            )
        return matches[0]

    # -- messages

    def post(
        self, channel: str, body: str, thread: int | None = None
    ) -> tuple[Posted, tuple[Woken, ...]]:
        """Post as the maintainer, then try to wake whom it mentions (5.2). Raises ChatError."""
        with self.open() as database:
            return self._posted(database, channel, body, thread)

    def reply(self, to: int, body: str) -> tuple[Posted, tuple[Woken, ...]]:
        """Post into the thread of message ``to``, wherever that is (8.3). Raises ChatError."""
        with self.open() as database:
            with database.read() as connection:
                row = connection.execute(
                    "SELECT c.name, coalesce(m.root_id, m.id) FROM messages AS m"
                    " JOIN channels AS c ON c.id = m.channel_id WHERE m.id = ?",
                    (to,),
                ).fetchone()
            if row is None:
                raise NotFound(f"there is no message {to}", reason="bad-thread")
            return self._posted(database, row[0], body, row[1])

    def _posted(
        self, database: Database, channel: str, body: str, thread: int | None
    ) -> tuple[Posted, tuple[Woken, ...]]:
        services = self.services
        posted = messages.post(database, channel, body, now=services.clock(), thread=thread)
        return posted, after_post(services, database, posted, self.audit)

    def newest(
        self, channel: str | None, *, thread: int | None = None, limit: int
    ) -> tuple[Message, ...]:
        """The newest messages, oldest first; what of a whole channel is shown counts as read.

        Without a file there are none, and no channel either. Raises ChatError.
        """
        try:
            with self.open() as database:
                found = reading.newest(database, channel, thread=thread, limit=limit)
                if channel is not None and thread is None:
                    _mark(database, channel, found)
                return found
        except NoStore:
            return ()

    def channels(self) -> tuple[Channel, ...]:
        """Every channel, archived ones too; none where there is no file."""
        try:
            with self.open() as database:
                return reading.listing(database)
        except NoStore:
            return ()

    def create_channel(self, name: str) -> None:
        """Make a channel. Raises InvalidName, NoStore."""
        with self.open() as database:
            channels.create(database, name, now=self.services.clock())

    def archive(self, name: str, *, undo: bool) -> bool:
        """Archive a channel, or take it back; False where it was so. Raises NotFound, NoStore."""
        with self.open() as database:
            return channels.archive(database, name, now=self.services.clock(), undo=undo)

    # -- the file

    def prune(self) -> pruning.Pruned | None:
        """Apply retention; None where there is no file (A80). Raises StoreError."""
        try:
            with self.open() as database:
                return pruning.prune(database, now=self.services.clock())
        except NoStore:
            return None

    def purge(self) -> bool:
        """Delete the file; False where there is none (A78, A80). Raises StoreError."""
        path = self.services.places.chat_db
        if not path.parent.exists():
            return False
        return administration.purge(path, self.audit, actor=ACTOR)


def _mark(database: Database, channel: str, shown: tuple[Message, ...]) -> None:
    """Move the maintainer's cursor past ``shown``, where nothing unread lies before it."""
    try:
        page = reading.page(database, channel, limit=50, mark_read=True)
    except (InvalidMessage, NotFound):
        return
    seen = {each.id for each in shown}
    if page.mark is not None and not page.more and all(it.id in seen for it in page.messages):
        cursors.advance(database, page.mark)


__all__ = ["ACTOR", "Desk"]
