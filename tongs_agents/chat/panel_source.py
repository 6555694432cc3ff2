"""What the chat panel reads and writes: the maintainer's desk."""

from __future__ import annotations

from tongs_agents.chat.desk import Desk
from tongs_agents.services import Services
from tongs_agents.sidebar.chat_source import Channel, Message
from tongs_chat.model import Posted
from tongs_chat.wake.attempt import Woken


class DeskSource:
    """The desk as the panel asks for it; each call may be in a thread of its own."""

    def __init__(self, services: Services) -> None:
        self._desk = Desk(services)

    def channels(self) -> tuple[Channel, ...]:
        """Those that are not archived, with what of them names the maintainer."""
        return tuple(
            Channel(each.name, each.mentions_unread)
            for each in self._desk.channels()
            if not each.archived
        )

    def messages(self, channel: str, limit: int) -> tuple[Message, ...]:
        """The newest of a channel; what is shown counts as read."""
        return tuple(
            Message(it.id, it.channel, it.thread or it.id, it.author, it.ts, it.body)
            for it in self._desk.newest(channel, limit=limit)
        )

    def handles(self) -> tuple[str, ...]:
        """Every granted handle."""
        return tuple(each.handle for each in self._desk.granted())

    def post(self, channel: str, body: str) -> tuple[str, ...]:
        """Post, and say whom it reached."""
        return _said(*self._desk.post(channel, body))

    def reply(self, to: int, body: str) -> tuple[str, ...]:
        """Reply, and say whom it reached."""
        return _said(*self._desk.reply(to, body))

    def create(self, name: str) -> None:
        """Make a channel."""
        self._desk.create_channel(name)


def _said(posted: Posted, woken: tuple[Woken, ...]) -> tuple[str, ...]:
    names = ", ".join(f"@{each.handle}" for each in posted.mentioned)
    wakes = (f"wake @{each.handle}: {each.decision}" for each in woken)
    return (f"posted {posted.id}" + (f", mentions {names}" if names else ""), *wakes)


__all__ = ["DeskSource"]
