"""What a line typed into the chat panel means. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

_REPLY = re.compile(r"/reply\s+#?(\d+)\s+(.+)", re.DOTALL)
_NEW = re.compile(r"/new\s+(\S+)\s*\Z")
_MENTION = re.compile(r"(?:\A|(?<=[^\w@]))@([a-z0-9-]*)\Z")


@dataclass(frozen=True, slots=True)
class Post:
    """A message for the channel that is open."""

    body: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A message for the thread that a message belongs to (8.3)."""

    to: int
    body: str


@dataclass(frozen=True, slots=True)
class NewChannel:
    """A channel to be made (8.4)."""

    name: str


@dataclass(frozen=True, slots=True)
class Unclear:
    """A command that can't be meant; ``hint`` says how it is written."""

    hint: str


Meant = Post | Reply | NewChannel | Unclear


def meant(line: str) -> Meant | None:
    """What ``line`` asks for, None for nothing. Two slashes begin a message with one."""
    text = line.strip()
    if not text:
        return None
    if text.startswith("//"):
        return Post(text[1:])
    if not text.startswith("/"):
        return Post(text)
    reply, new = _REPLY.fullmatch(text), _NEW.fullmatch(text)
    if reply is not None:
        return Reply(int(reply[1]), reply[2])
    if new is not None:
        return NewChannel(new[1])
    return Unclear("/reply ID text · /new NAME · // begins a message with a slash")


def completed(line: str, handles: tuple[str, ...]) -> str | None:
    """``line`` with the @handle at its end completed, None where nothing fits (or all is there)."""
    found = _MENTION.search(line)
    if found is None:
        return None
    begun = found[1]
    fitting = sorted(handle for handle in handles if handle.startswith(begun) and handle != begun)
    return line + fitting[0][len(begun) :] if fitting else None


__all__ = ["Meant", "NewChannel", "Post", "Reply", "Unclear", "completed", "meant"]
