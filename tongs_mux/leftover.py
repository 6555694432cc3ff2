"""What we pasted and could not yet submit, so that it is not taken for a person's draft.

Only a hash of the text, without its white space, is kept: enough to know it
again on a screen that wrapped it, and nothing to read.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from tongs_mux.errors import PlaceRefused
from tongs_mux.files import open_private, private_dir, read_private
from tongs_mux.reader import Reading
from tongs_mux.squeeze import squeezed, unjoined
from tongs_mux.text import fingerprint, sha256


@dataclass(frozen=True, slots=True)
class Leftover:
    """A text of ours in a composer. ``bytes`` and ``sha256`` are of what was pasted."""

    act: str
    fingerprint: str
    sha256: str
    bytes: int
    sizes: tuple[int, ...]
    """Numbers by which a program's stand-in for a large paste may name it."""
    at: float


class LeftoverStore:
    """One small private file a launch, in the runtime directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def _path(self, launch_id: str) -> Path:
        return self._directory / f"{launch_id}.json"

    def remember(self, launch_id: str, leftover: Leftover) -> None:
        """Write it down, before the paste: a crash after it is then known as ours."""
        private_dir(self._directory)
        fd = open_private(self._path(launch_id), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            json.dump(asdict(leftover), file)

    def recall(self, launch_id: str) -> Leftover | None:
        """What we left there, if anything is on record and readable."""
        try:
            values = json.loads(read_private(self._path(launch_id), 4096))
            return Leftover(**{**values, "sizes": tuple(values["sizes"])})
        except (OSError, ValueError, TypeError, KeyError, RecursionError, PlaceRefused):
            return None

    def forget(self, launch_id: str) -> None:
        """It was submitted, or the composer was seen empty."""
        self._path(launch_id).unlink(missing_ok=True)


def left(act: str, text: str, data: bytes, at: float) -> Leftover:
    """The note for ``text``, pasted as ``data`` by ``act`` at ``at``."""
    return Leftover(act, fingerprint(text), sha256(data), len(data), sizes(text), at)


def sizes(text: str) -> tuple[int, ...]:
    """Lines, lines after the first, and characters of ``text``.

    Last the characters as JavaScript counts them, with four blanks for a tab,
    which is how some programs take one.
    """
    lines = text.count("\n") + 1
    units = len(text.replace("\t", "    ").encode("utf-16-le", "surrogatepass")) // 2
    return (lines, lines - 1, len(text), units)


def holds(reading: Reading, text: str) -> bool:
    """True where the composer holds ``text`` and nothing else, as far as a screen can tell."""
    if reading.composer != "draft":
        return False
    if _stands_for(reading, sizes(text)):
        return True
    # a text may read like a stand-in itself; the first form is for a line broken
    # inside a joined character
    for form in (_unspaced, squeezed, unjoined):
        shown, whole = form(reading.text), form(text)
        if shown and (shown in whole if reading.clipped else shown == whole):
            return True
    return False


def _unspaced(text: str) -> str:
    return "".join(text.split())


def is_ours(reading: Reading, leftover: Leftover | None) -> bool:
    """True where the composer holds exactly what ``leftover`` says we left in it."""
    if leftover is None or reading.composer != "draft":
        return False
    if _stands_for(reading, leftover.sizes):
        return True
    return squeezed(reading.text) != "" and fingerprint(reading.text) == leftover.fingerprint


def lingers(reading: Reading, text: str) -> bool:
    """True where the composer still holds ``text``, or most of it, or more than it.

    A program may have taken the Enter for a newline, as behind a backslash:
    what it then shows is not our text alone, and not submitted either.
    """
    if reading.composer != "draft":
        return False
    shown, whole = squeezed(reading.text), squeezed(text)
    part = len(shown) * 2 >= len(whole) and shown in whole
    return holds(reading, text) or part or whole in shown


def _stands_for(reading: Reading, numbers: tuple[int, ...]) -> bool:
    return reading.placeholder and _is_large(numbers) and _names(reading.text, numbers)


def _is_large(numbers: tuple[int, ...]) -> bool:
    """A stand-in stands for several lines, or for a long one; never for a short line."""
    return numbers[0] > 1 or numbers[2] >= 400


def _names(placeholder: str, numbers: tuple[int, ...]) -> bool:
    # a narrow pane breaks it anywhere, in the middle of its number too
    unbroken = _unspaced(placeholder)
    return any(int(found) in numbers for found in re.findall(r"(?<![#0-9])[0-9]+", unbroken))


__all__ = ["Leftover", "LeftoverStore", "holds", "is_ours", "left", "lingers", "sizes"]
