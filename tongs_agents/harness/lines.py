"""Reading screens, whatever program drew them: styles, rules, and lines as patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

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
_COLOURS = {"38", "48", "58"}
_COLOUR_ARGUMENTS = {"5": 2, "2": 4}
_RULE = re.compile(r"─{8,}\Z")


@dataclass(frozen=True, slots=True)
class StyledLine:
    """A line without its codes, and for each character whether it is dim."""

    text: str
    dim: tuple[bool, ...]

    def all_dim(self, start: int) -> bool:
        """True where something is visible from ``start`` on, and all of it is dim."""
        seen = [
            dim
            for char, dim in zip(self.text[start:], self.dim[start:], strict=True)
            if not char.isspace()
        ]
        return bool(seen) and all(seen)


def parse_styled(lines: Iterable[str]) -> tuple[StyledLine, ...]:
    """The styles of a screen; one that a line leaves on goes on in the next."""
    dim = False
    parsed = []
    for line in lines:
        text: list[str] = []
        flags: list[bool] = []
        position = 0
        for code in _ESCAPES.finditer(line):
            text += line[position : code.start()]
            flags += [dim] * (code.start() - position)
            position = code.end()
            if code["sgr"] is not None:
                dim = _dim_after(code["sgr"], dim)
        text += line[position:]
        flags += [dim] * (len(line) - position)
        parsed.append(StyledLine("".join(text), tuple(flags)))
    return tuple(parsed)


def _dim_after(sgr: str, dim: bool) -> bool:
    codes = iter(sgr.split(";"))
    for code in codes:
        if code in {"", "0", "00"}:
            dim = False
        elif code == "2":
            dim = True
        elif code == "22":
            dim = False
        elif code in _COLOURS:
            for _ in range(_COLOUR_ARGUMENTS.get(next(codes, ""), 0)):
                next(codes, "")
    return dim


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


__all__ = ["StyledLine", "ere_of", "is_rule", "parse_styled", "trimmed"]
