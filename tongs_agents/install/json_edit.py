"""Lossless edits of JSON text: what is not edited keeps every byte.

The standard library reads JSON but forgets how it was written; a person's settings
are to be given back as they were, so members are put in and taken out as text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

_BLANKS = " \t\n\r"
_DECODER = json.JSONDecoder()

Path = Sequence[str]


@dataclass(frozen=True, slots=True)
class _Item:
    """One member or element: its key (None in an array), where it begins and its value lies."""

    key: str | None
    start: int
    value: int
    end: int


@dataclass(frozen=True, slots=True)
class _Container:
    """An object or array in the text; ``start`` and ``end`` are those of its brackets."""

    start: int
    end: int
    items: tuple[_Item, ...]


def read(text: str) -> dict[str, Any]:
    """The object that ``text`` is.

    Raises ValueError where it is no JSON, no object, or names a key twice, which
    readers take differently.
    """
    found = json.loads(text, object_pairs_hook=_unique)
    if not isinstance(found, dict):
        raise ValueError("it is no JSON object")
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands there twice")
    return found


def append(text: str, path: Path, value: Any) -> str:
    """``text`` with ``value`` as the last element of the array at ``path``, which is made."""
    at, missing = _deepest(text, path)
    if missing:
        made: Any = [value]
        for name in reversed(missing[1:]):
            made = {name: made}
        return _insert(text, at, json.dumps(missing[0], ensure_ascii=False) + ": ", made)
    if text[at.start] != "[":
        raise ValueError(f"{'.'.join(path)} is no list")
    return _insert(text, at, "", value)


def put(text: str, path: Path, value: Any) -> str:
    """``text`` with ``value`` at ``path``, in place of what is there; objects above are made."""
    at, missing = _deepest(text, path[:-1])
    made = value
    for name in reversed((*missing, path[-1])[1:] if missing else ()):
        made = {name: made}
    name = missing[0] if missing else path[-1]
    if text[at.start] != "{":
        raise ValueError(f"{'.'.join(path[:-1])} is no object")
    old = None if missing else next((item for item in at.items if item.key == name), None)
    if old is None:
        return _insert(text, at, json.dumps(name, ensure_ascii=False) + ": ", made)
    gap = "\n" + _depth(text, old.start)
    return text[: old.value] + _dumped(made, gap, text) + text[old.end :]


def remove(text: str, path: Path, index: int | None = None) -> str:
    """``text`` without the member at ``path``, or the ``index``-th element of the array there.

    Raises LookupError where there is none.
    """
    at, missing = _deepest(text, path if index is not None else path[:-1])
    if missing:
        raise LookupError(".".join(path))
    items = at.items
    if index is None:
        index = next((i for i, item in enumerate(items) if item.key == path[-1]), len(items))
    if not 0 <= index < len(items):
        raise LookupError(".".join(path))
    if len(items) == 1:
        return text[: at.start + 1] + text[at.end - 1 :]
    if index == 0:
        return text[: items[0].start] + text[items[1].start :]
    return text[: items[index - 1].end] + text[items[index].end :]


def _insert(text: str, at: _Container, key: str, value: Any) -> str:
    """``text`` with one more item at the end of the container, laid out as its others are."""
    if at.items:
        last = at.items[-1]
        gap = _gap(text, at)
        return text[: last.end] + "," + gap + key + _dumped(value, gap, text) + text[last.end :]
    line = _newline(text)
    outer = _depth(text, at.start)
    inner = line + outer + _step(text)
    filled = inner + key + _dumped(value, inner, text)
    return text[: at.start + 1] + filled + line + outer + text[at.end - 1 :]


def _gap(text: str, at: _Container) -> str:
    """The blanks before an item of the container, after the comma; one where there are none."""
    first = at.items[0].start
    if len(at.items) == 1:
        gap = text[at.start + 1 : first]
    else:
        gap = text[at.items[-2].end : at.items[-1].start].lstrip(_BLANKS).removeprefix(",")
    return gap if "\n" in gap else gap or " "


def _dumped(value: Any, gap: str, text: str) -> str:
    """``value`` as text: indented below ``gap`` where that begins a line, else on one line."""
    if "\n" not in gap:
        return json.dumps(value, ensure_ascii=False)
    margin = gap.rpartition("\n")[2]
    lines = json.dumps(value, ensure_ascii=False, indent=_step(text)).split("\n")
    return (_newline(text) + margin).join(lines)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _step(text: str) -> str:
    """The file's own indentation; two blanks where it has none."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found.group(1) if found else "  "


def _depth(text: str, at: int) -> str:
    """The blanks with which the line of position ``at`` begins."""
    line = text.rfind("\n", 0, at) + 1
    return text[line : line + len(text[line:]) - len(text[line:].lstrip(" \t"))]


def _deepest(text: str, path: Path) -> tuple[_Container, tuple[str, ...]]:
    """The container at ``path`` as far as it is there, and the names that are missing."""
    at = _container(text, _skip(text, 0))
    for number, name in enumerate(path):
        if text[at.start] != "{":
            raise ValueError(f"{'.'.join(path[:number])} is no object")
        item = next((each for each in at.items if each.key == name), None)
        if item is None:
            return at, tuple(path[number:])
        if text[item.value] not in "{[":
            raise ValueError(f"{'.'.join(path[: number + 1])} is no object and no list")
        at = _container(text, item.value)
    return at, ()


def _container(text: str, start: int) -> _Container:
    items = tuple(_items(text, start))
    end = _skip(text, items[-1].end if items else start + 1) + 1
    return _Container(start, end, items)


def _items(text: str, start: int) -> Iterator[_Item]:
    closing = "}" if text[start] == "{" else "]"
    at = _skip(text, start + 1)
    while text[at] != closing:
        if text[at] == ",":
            at = _skip(text, at + 1)
        key, value = None, at
        if closing == "}":
            key, after = _DECODER.raw_decode(text, at)
            value = _skip(text, _skip(text, after) + 1)
        end = _end(text, value)
        yield _Item(key, at, value, end)
        at = _skip(text, end)


def _end(text: str, at: int) -> int:
    """Where the value that begins at ``at`` ends. The text is known to be JSON."""
    return _DECODER.raw_decode(text, at)[1]


def _skip(text: str, at: int) -> int:
    while text[at] in _BLANKS:
        at += 1
    return at


__all__ = ["Path", "append", "put", "read", "remove"]
