"""Reading screens, whatever program drew them: styles, rules, and lines as patterns."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace

_ESCAPES = re.compile(
    r"""
      \x1b\[ (?P<sgr>[0-9:;]*) m            # colours and attributes
    | \x1b\[ [0-?]* [\x20-/]* [@-~]         # any other control sequence
    | \x1b[\]P^_X] [^\x07\x1b]* (?:\x07|\x1b\\)?   # titles, hyperlinks
    | \x1b [\x20-/]* [0-~]
    | [\x0e\x0f]                            # line-drawing characters on, off
    """,
    re.VERBOSE,
)
_ON = {"2": "dim", "7": "reverse"}
_OFF = {"22": "dim", "27": "reverse"}
_COLOURS = {"38", "48", "58"}
_COLOUR_ARGUMENTS = {"5": 2, "2": 4}
_RULE = re.compile(r"─{8,}\Z")


@dataclass(frozen=True, slots=True)
class StyledLine:
    """A line without its codes, and for each character whether it is dim, and in reverse."""

    text: str
    dim: tuple[bool, ...]
    reverse: tuple[bool, ...]

    def all_dim(self, start: int) -> bool:
        """True where something is visible from ``start`` on, and all of it is dim."""
        seen = [
            dim
            for char, dim in zip(self.text[start:], self.dim[start:], strict=True)
            if not char.isspace()
        ]
        return bool(seen) and all(seen)


@dataclass(frozen=True, slots=True)
class _Style:
    dim: bool = False
    reverse: bool = False


def parse_styled(lines: Iterable[str]) -> tuple[StyledLine, ...]:
    """The styles of a screen; one that a line leaves on goes on in the next."""
    style = _Style()
    parsed = []
    for line in lines:
        text: list[str] = []
        styles: list[_Style] = []
        position = 0
        for code in _ESCAPES.finditer(line):
            text += line[position : code.start()]
            styles += [style] * (code.start() - position)
            position = code.end()
            if code["sgr"] is not None:
                style = _style_after(code["sgr"], style)
        text += line[position:]
        styles += [style] * (len(line) - position)
        dim = tuple(each.dim for each in styles)
        parsed.append(StyledLine("".join(text), dim, tuple(each.reverse for each in styles)))
    return tuple(parsed)


def _style_after(sgr: str, style: _Style) -> _Style:
    codes = iter(sgr.split(";"))
    for code in codes:
        if code in {"", "0", "00"}:
            style = _Style()
        elif code in _ON:
            style = replace(style, **{_ON[code]: True})
        elif code in _OFF:
            style = replace(style, **{_OFF[code]: False})
        elif code in _COLOURS:
            for _ in range(_COLOUR_ARGUMENTS.get(next(codes, ""), 0)):
                next(codes, "")
    return style


def columns(text: str) -> int:
    """How many columns ``text`` takes, about: terminals differ by a few on joined characters."""
    wide = sum(unicodedata.east_asian_width(char) in {"W", "F"} for char in text)
    return len(text) + wide - sum(unicodedata.category(char) in {"Mn", "Me", "Cf"} for char in text)


def trimmed(line: str) -> str:
    """``line`` without the blanks that fill it up; other white space at its end stays."""
    return line.rstrip(" ")


def is_rule(line: str) -> bool:
    """True for a line that is a horizontal rule and nothing else."""
    return _RULE.match(trimmed(line)) is not None


def ere_of(line: str) -> str:
    """A POSIX extended regular expression for ``line`` as it is searched on a screen.

    Punctuation and controls of ASCII stand for any one character, so that a
    multiplexer's format can carry it without escaping; all else for itself.
    """
    return f"^{''.join(map(_literal, trimmed(line)))}$"


def _literal(char: str) -> str:
    plain = (char == " " or char.isalnum()) if char.isascii() else char.isprintable()
    return char if plain else "."


__all__ = ["StyledLine", "columns", "ere_of", "is_rule", "parse_styled", "trimmed"]
