"""How many columns text takes, and cutting it to them."""

from __future__ import annotations

import unicodedata


def columns(text: str) -> int:
    """Columns that ``text`` takes on a terminal."""
    return sum(map(_columns_of, text))


def _columns_of(char: str) -> int:
    if char.isascii() or char == "\u00ad":
        return 1
    if unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def printable(text: str) -> str:
    """``text`` with every control character but LF shown as something that moves no cursor."""
    return "".join(map(_shown, text.replace("\t", "    ")))


def one_line(text: str) -> str:
    """``text`` printable and on one line, its runs of blanks made one."""
    return " ".join(printable(text).split())


def _shown(char: str) -> str:
    if char == "\n":
        return char
    category = unicodedata.category(char)
    if category in {"Zl", "Zp"}:
        return " "
    return "·" if category in {"Cc", "Cs"} else char


def clip(text: str, width: int) -> str:
    """``text`` in at most ``width`` columns, ending in ``…`` where it was cut."""
    if columns(text) <= width:
        return text
    kept, used = [], 1
    for char in text:
        used += _columns_of(char)
        if used > width:
            break
        kept.append(char)
    return "".join(kept) + ("…" if width > 0 else "")


def wrap(text: str, width: int) -> list[str]:
    """The lines of ``text``, each broken wherever it reaches ``width`` columns."""
    return [row for line in text.split("\n") for row in _broken(line, max(width, 2))]


def _broken(line: str, width: int) -> list[str]:
    rows, row, used = [], "", 0
    for char in line:
        size = _columns_of(char)
        if used + size > width:
            rows.append(row)
            row, used = "", 0
        row += char
        used += size
    return [*rows, row]


__all__ = ["clip", "columns", "one_line", "printable", "wrap"]
