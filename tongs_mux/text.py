"""What may be typed into a pane: normalising a text and refusing what is not text."""

from __future__ import annotations

import hashlib

from tongs_mux.errors import BadText
from tongs_mux.squeeze import squeezed

MAX_BYTES = 32 * 1024
"""Longest text of one send, in bytes of UTF-8 (A15)."""

_ALLOWED_CONTROLS = {"\t", "\n"}
_SEPARATORS = {"\u2028", "\u2029"}


def _forbidden(char: str) -> bool:
    code = ord(char)
    if char in _ALLOWED_CONTROLS:
        return False
    return code < 0x20 or 0x7F <= code <= 0x9F or 0xD800 <= code <= 0xDFFF or char in _SEPARATORS


def prepare(text: str) -> bytes:
    """The bytes to paste for ``text``: CRLF becomes LF, trailing newlines are dropped.

    Raises:
        BadText: ``bad-text`` for an empty text, a control character other than
            tab and LF (C0, DEL, C1), a surrogate or U+2028/9; ``too-large``
            over 32 KiB. Nothing has been typed then (A6, A11).
    """
    body = text.replace("\r\n", "\n").rstrip("\n")
    if not body:
        raise BadText("there is no text to send", hint="give at least one character")
    for position, char in enumerate(body):
        if _forbidden(char):
            raise BadText(
                f"the text holds U+{ord(char):04X} at character {position + 1}, "
                "which may not be typed into a pane",
                hint="send plain text: no control character but tab and newline",
            )
    data = body.encode("utf-8")
    if len(data) > MAX_BYTES:
        raise BadText(
            f"the text is {len(data)} bytes long; at most {MAX_BYTES} can be sent",
            reason="too-large",
            hint="put it into a file and send the path",
        )
    return data


def sha256(data: bytes) -> str:
    """Hex SHA-256, as the audit and the receipts carry it."""
    return hashlib.sha256(data).hexdigest()


def fingerprint(text: str) -> str:
    """A hash of ``text`` as ``squeezed``: equal however a screen wrapped it."""
    return sha256(squeezed(text).encode("utf-8", "replace"))


__all__ = ["MAX_BYTES", "fingerprint", "prepare", "sha256"]
