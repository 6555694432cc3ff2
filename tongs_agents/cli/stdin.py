"""TEXT as an argument, or ``-`` for standard input."""

from __future__ import annotations

import sys

from tongs_mux.errors import BadText

MOST = 1024 * 1024
"""Bytes of standard input that are read: far more than any text that may be sent."""


def text_or_stdin(text: str) -> str:
    """``text``, or all of standard input for ``-``.

    Bytes that are no UTF-8 come as surrogates, as Python gives them in an
    argument: whoever checks the text refuses them (``bad-text``). Raises
    BadText ``too-large`` over ``MOST`` bytes.
    """
    if text != "-":
        return text
    data = b"" if sys.stdin is None else sys.stdin.buffer.read(MOST + 1)
    if len(data) > MOST:
        raise BadText(
            f"standard input is longer than {MOST} bytes",
            reason="too-large",
            hint="put it into a file and send the path",
        )
    return data.decode("utf-8", "surrogateescape")


__all__ = ["MOST", "text_or_stdin"]
