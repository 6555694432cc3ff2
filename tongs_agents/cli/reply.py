"""What a verb answers: one JSON document, and the same in lines for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class Span(NamedTuple):
    """A stretch of a line, coloured where there is a terminal: a name that click knows."""

    text: str
    colour: str


Line = str | tuple[str | Span, ...]
"""A line for people. What it shows may come from anywhere: the printer makes it harmless."""


class Reply(NamedTuple):
    """A verb's answer. ``notes`` go to standard error, with ``--json`` too."""

    document: Mapping[str, Any]
    text: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    exit_code: int = 0


def table(heads: tuple[str, ...], rows: Iterable[tuple[str | Span, ...]]) -> tuple[Line, ...]:
    """Aligned columns under their heads, two blanks apart, the last one unfilled."""
    every = [heads, *rows]
    widths = [max(len(_text(row[at])) for row in every) for at in range(len(heads) - 1)]
    return tuple(_line(row, (*widths, 0)) for row in every)


def _text(cell: str | Span) -> str:
    return cell.text if isinstance(cell, Span) else cell


def _line(row: tuple[str | Span, ...], widths: tuple[int, ...]) -> Line:
    parts: list[str | Span] = []
    for cell, width in zip(row, widths, strict=True):
        parts += [cell, " " * (width - len(_text(cell)) + 2 if width else 0)]
    return tuple(parts)


__all__ = ["Line", "Reply", "Span", "table"]
