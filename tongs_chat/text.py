"""What may be written: bodies, names, and whom a body mentions. Pure."""

from __future__ import annotations

import re
import unicodedata

from tongs_chat import limits
from tongs_chat.errors import InvalidMessage, InvalidName, LimitReached
from tongs_chat.literals import MAINTAINER

_NAME = re.compile(rf"[a-z0-9-]{{1,{limits.NAME_LENGTH}}}\Z")
# Not within a word or an address; the longest run of a name's characters is meant.
_MENTION = re.compile(r"(?<![\w@.-])@([a-z0-9-]+)(?![\w@])")
_ALLOWED = {"\t", "\n"}


def check_name(name: str, what: str) -> str:
    """``name``, where a handle or a channel may be called so. Raises InvalidName."""
    if _NAME.match(name) is None:
        raise InvalidName(
            f"{name[:40]!r} is no {what}",
            hint=f"1 to {limits.NAME_LENGTH} characters out of a-z, 0-9 and -",
        )
    return name


def check_handle(handle: str) -> str:
    """``handle``, where a launch may have it. Raises InvalidName."""
    if check_name(handle, "handle") == MAINTAINER:
        raise InvalidName(f"{MAINTAINER!r} is the person's own handle", hint="choose another")
    return handle


def _plain(text: str) -> str:
    """``text`` with LF for CRLF. Raises InvalidMessage for what is not text."""
    body = text.replace("\r\n", "\n")
    for position, char in enumerate(body):
        if unicodedata.category(char) in ("Cc", "Cs") and char not in _ALLOWED:
            raise InvalidMessage(
                f"the text holds U+{ord(char):04X} at character {position + 1}",
                hint="send plain text: no control character but tab and newline",
            )
    return body


def check_body(text: str) -> str:
    """What is stored for ``text``: CRLF is LF then (1.6).

    Raises:
        InvalidMessage: ``bad-text``; ``too-large`` over 8192 bytes.
    """
    body = _plain(text)
    if not body:
        raise InvalidMessage("there is no text", hint="write at least one character")
    size = len(body.encode("utf-8"))
    if size > limits.BODY_BYTES:
        raise InvalidMessage(
            f"the text is {size} bytes long; a message has at most {limits.BODY_BYTES}",
            reason="too-large",
            hint="write less, or put it into a file and name that",
        )
    return body


def check_peer_text(text: str) -> str:
    """The same for a peer message: code points are counted (9.19, A57).

    Raises:
        InvalidMessage: ``bad-text``; ``too-large`` over 100,000 characters.
    """
    if len(text) > 2 * limits.PEER_CHARACTERS:
        raise _too_long(len(text))
    body = _plain(text)
    if not body.strip():
        raise InvalidMessage("there is no text", hint="write at least one character")
    if len(body) > limits.PEER_CHARACTERS:
        raise _too_long(len(body))
    return body


def _too_long(length: int) -> InvalidMessage:
    return InvalidMessage(
        f"the text is {length} characters long; a message has at most {limits.PEER_CHARACTERS}",
        reason="too-large",
        hint="put it into a file and send the path",
    )


def handles_in(body: str) -> tuple[str, ...]:
    """Each handle that ``body`` writes with an ``@``, once, in order; whether it exists or not."""
    return tuple(dict.fromkeys(_MENTION.findall(body)))


def check_mentions(handles: tuple[str, ...]) -> None:
    """Raises LimitReached over 20 mentions (1.7)."""
    if len(handles) > limits.MENTIONS:
        raise LimitReached(
            f"it mentions {len(handles)} others; a message may mention {limits.MENTIONS}",
            reason="too-many-mentions",
            hint="mention fewer",
        )


__all__ = [
    "check_body",
    "check_handle",
    "check_mentions",
    "check_name",
    "check_peer_text",
    "handles_in",
]
