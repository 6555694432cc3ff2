"""The words of chat: grant, channel, message, page, inbox, what a post did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Level = Literal["chat", "chat+wake"]
"""What a grant allows (2.2)."""

GrantState = Literal["active", "tools-pending", "stale"]
"""What a grant is worth now (A39)."""


@dataclass(frozen=True, slots=True)
class Grant:
    """A stored grant. By itself it authorises nothing: see ``tongs_chat.validity`` (2.13)."""

    launch_id: str
    participant_id: int
    handle: str
    profile: str
    level: Level
    granted_at: float
    pid: int
    start_token: str
    """Of the process that was granted: with another one in its place it is worth nothing."""
    accepts: bool | None
    """Whether it takes peer messages; None: as the config says (9.17)."""
    listed_at: float | None
    """When its client was last shown the chat tools (2.14)."""


@dataclass(frozen=True, slots=True)
class Channel:
    """One channel, as somebody sees it."""

    name: str
    archived: bool
    unread: int
    mentions_unread: int = 0


@dataclass(frozen=True, slots=True)
class Message:
    """One message; ``thread`` is the id of its root, None for a root."""

    id: int
    channel: str
    thread: int | None
    author: str
    """The handle that the author had then (A25)."""
    ts: float
    body: str
    mentions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mentioned:
    """Somebody whom a post mentioned: whose bell to ring, and perhaps whom to wake."""

    handle: str
    participant_id: int
    launch_id: str | None
    """None for the maintainer."""
    level: Level | None


@dataclass(frozen=True, slots=True)
class Posted:
    """What a post did."""

    id: int
    thread: int | None
    channel: str
    mentioned: tuple[Mentioned, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """How far a reader has come in a channel, to be set once the page was handed over."""

    channel: str
    message_id: int
    seq: int


@dataclass(frozen=True, slots=True)
class Page:
    """Messages in ascending order."""

    channel: str
    thread: int | None
    messages: tuple[Message, ...]
    more: bool
    cursor: int
    """Where the reader's cursor is, or will be once ``mark`` is set."""
    mark: Mark | None
    """Give it to ``cursors.advance`` after the page was handed over; None: nothing to mark."""


@dataclass(frozen=True, slots=True)
class Mention:
    """An unread mention, shown by its beginning only."""

    id: int
    channel: str
    thread: int | None
    author: str
    ts: float
    preview: str


@dataclass(frozen=True, slots=True)
class Inbox:
    """What waits for a reader."""

    handle: str
    channels: tuple[Channel, ...]
    mentions: tuple[Mention, ...]
    """The newest first."""
    mentions_total: int


__all__ = [
    "Channel",
    "Grant",
    "GrantState",
    "Inbox",
    "Level",
    "Mark",
    "Mention",
    "Mentioned",
    "Message",
    "Page",
    "Posted",
]
