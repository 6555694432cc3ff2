"""Where in a TOML document each key stands; tomllib itself does not tell."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

_LONGEST = 100
"""Statements of more lines than this are not followed: their cost grows by its square."""


_DEEPEST = 8
"""Parts of the longest path that is told: twice as many as any key of ours has."""


def key_lines(text: str) -> dict[tuple[str, ...], int]:
    """The line, from 1, of each key and table in ``text``, which must be valid TOML.

    Where a statement is too long to follow, the keys from there on are missing.
    """
    found: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for line, first, data in _statements(text):
        is_header = first.lstrip().startswith("[")
        paths = list(_paths(data, () if is_header else table))
        if is_header:
            table = paths[-1]
        for path in paths:
            found.setdefault(path, line)
    return found


def _statements(text: str) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """Each header or key/value pair: its line, that line's text, and it parsed alone."""
    lines = text.replace("\r\n", "\n").split("\n")
    start = 0
    while start < len(lines):
        # A statement is over with the first line after which it can be parsed.
        for end in range(start + 1, min(start + _LONGEST, len(lines)) + 1):
            try:
                data = tomllib.loads("\n".join(lines[start:end]))
            except (ValueError, RecursionError):
                continue
            break
        else:
            return
        if data:
            yield start + 1, lines[start], data
        start = end


def _paths(data: Mapping[str, Any], above: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for key, value in data.items():
        path = (*above, key)
        yield path
        if len(path) == _DEEPEST:
            continue
        inner = value[0] if isinstance(value, list) and value else value
        if isinstance(inner, dict):
            yield from _paths(inner, path)


__all__ = ["key_lines"]
