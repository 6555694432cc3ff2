"""The ledger: what was written into whose file, so that it can be given back byte for byte."""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tongs_mux.files import private_dir, read_private, write_atomic

_SCHEMA = 1
_MAX_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Entry:
    """One file as it was left: the hash of its bytes, and how to undo what was written.

    ``undo`` are (first line, end line, the lines that were there before), in lines of
    the file as it was left, last first. ``existed`` is False where the file was made.
    """

    after: str
    existed: bool
    undo: tuple[tuple[int, int, bytes], ...]

    def undone(self, data: bytes | None) -> tuple[bool, bytes | None]:
        """(True, the bytes as they were before) where nobody changed the file since."""
        if data is None or digest(data) != self.after:
            return False, None
        if not self.existed:
            return True, None
        lines = data.splitlines(keepends=True)
        for start, end, before in self.undo:
            lines[start:end] = [before]
        return True, b"".join(lines)


def digest(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def entry(before: bytes | None, after: bytes) -> Entry:
    """What is to be remembered of a change from ``before``, None for no file. Pure."""
    old = (before or b"").splitlines(keepends=True)
    new = after.splitlines(keepends=True)
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    undo = [(b0, b1, b"".join(old[a0:a1])) for tag, a0, a1, b0, b1 in codes if tag != "equal"]
    return Entry(digest(after), before is not None, tuple(reversed(undo)))


class Ledger:
    """The entries by file, in one private file of the state dir."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def entries(self) -> dict[str, Entry]:
        """Every entry; none where nothing was installed or the ledger can't be read as one.

        Without an entry a file is cleaned by what is ours in it. Raises PlaceRefused.
        """
        try:
            found = json.loads(read_private(self.path, _MAX_BYTES))
        except (FileNotFoundError, ValueError):
            return {}
        files = found.get("files") if isinstance(found, dict) else None
        if not isinstance(files, dict) or found.get("schema") != _SCHEMA:
            return {}
        return {name: _decoded(fields) for name, fields in files.items()}

    def keep(self, entries: Mapping[str, Entry]) -> None:
        """Write the entries. Raises OSError, PlaceRefused."""
        private_dir(self.path.parent)
        files = {name: _encoded(each) for name, each in entries.items()}
        text = json.dumps({"schema": _SCHEMA, "files": files}, indent=1, sort_keys=True)
        write_atomic(self.path, text.encode("utf-8") + b"\n")


def _encoded(each: Entry) -> dict[str, Any]:
    undo = [[a, b, text.decode("utf-8", "surrogateescape")] for a, b, text in each.undo]
    return {"after": each.after, "existed": each.existed, "undo": undo}


def _decoded(fields: Mapping[str, Any]) -> Entry:
    undo = tuple((a, b, text.encode("utf-8", "surrogateescape")) for a, b, text in fields["undo"])
    return Entry(fields["after"], fields["existed"], undo)


__all__ = ["Entry", "Ledger", "digest", "entry"]
