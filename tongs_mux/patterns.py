"""Lines of a screen as patterns that a multiplexer's server can search for."""

from __future__ import annotations

from collections.abc import Sequence

MOST = 8
"""Lines that are searched for: the last of a screen, where programs ask."""


def as_shown(lines: Sequence[str]) -> tuple[str, ...]:
    """A pattern each for the last lines of a screen that nothing is known about.

    Only lines of ASCII: what one of its characters is to a pattern does not
    depend on the server's locale. Punctuation stands for any one character.
    """
    plain = [line.rstrip() for line in lines if line.strip() and line.isascii()]
    return tuple(f"^{''.join(map(_literal, line))}$" for line in dict.fromkeys(plain[-MOST:]))


def _literal(char: str) -> str:
    return char if char == " " or char.isalnum() else "."


__all__ = ["MOST", "as_shown"]
