"""The port by which the chat panel reads and writes; what it shows is data of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel, and how much in it the maintainer was mentioned in and has not read."""

    name: str
    unread: int


@dataclass(frozen=True, slots=True)
class Message:
    """One message; ``thread`` is its root's id, its own where it is a root."""

    id: int
    channel: str
    thread: int
    author: str
    ts: float
    body: str


class ChatSource(Protocol):
    """What the panel asks for. Blocking, called in a worker thread; raises our errors."""

    def channels(self) -> tuple[Channel, ...]:
        """Those that are not archived, in their order."""
        ...

    def messages(self, channel: str, limit: int) -> tuple[Message, ...]:
        """The newest ``limit``, oldest first."""
        ...

    def handles(self) -> tuple[str, ...]:
        """Who can be mentioned."""
        ...

    def post(self, channel: str, body: str) -> tuple[str, ...]:
        """Post as the maintainer; returns what became of wakes, a sentence each."""
        ...

    def reply(self, to: int, body: str) -> tuple[str, ...]:
        """Post into the thread of message ``to``, wherever that is."""
        ...

    def create(self, name: str) -> None:
        """Make a channel."""
        ...


__all__ = ["Channel", "ChatSource", "Message"]
