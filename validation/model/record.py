"""What the model server was asked: one small file a request, without any key."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came. ``body`` is None where it was no JSON."""

    number: int
    dialect: str
    path: str
    body: Any

    def holds(self, *texts: str) -> bool:
        """True where one string of the body holds all ``texts``."""
        return any(all(text in found for text in texts) for found in strings(self.body))


class Record:
    """Numbered request files in one directory; safe across threads."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory = directory
        self._numbers = itertools.count(len(list(directory.glob("*.json"))) + 1)
        self._lock = threading.Lock()

    def write(self, dialect: str, path: str, body: Any) -> int:
        """Write a request down, whole files only, and return its number."""
        with self._lock:
            number = next(self._numbers)
        name = f"{number:04d}-{dialect}.json"
        unfinished = self._directory / f"{name}.part"
        with unfinished.open("w", encoding="utf-8") as file:
            json.dump({"dialect": dialect, "path": path, "body": body}, file)
        unfinished.rename(self._directory / name)
        return number


def asked(directory: Path) -> list[Asked]:
    """Every request on record, in order."""
    found = []
    for file in sorted(directory.glob("[0-9]*.json")):
        values: Mapping[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        found.append(Asked(int(file.name[:4]), **values))
    return found


def strings(value: Any) -> Iterator[str]:
    """Every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield key
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


__all__ = ["Asked", "Record", "asked", "strings"]
