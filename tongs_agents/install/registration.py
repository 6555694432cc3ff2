"""What a registration of one harness is: changes to the user's files, and how they are undone."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tongs_agents.errors import Refused
from tongs_agents.install.ledger import Entry, entry
from tongs_agents.install.replacing import Change

Edit = Callable[[str], str]
"""Text of a file to its text with, or without, what is ours. Raises ValueError, LookupError."""


@dataclass(frozen=True, slots=True)
class Registered:
    """One file of a harness: how ours is put in, taken out and recognised.

    ``holds`` says whether exactly what we would write now stands there already.
    ``empty`` is the text that a missing file counts as; a file that is left
    with no more than it goes where we had made it.
    """

    path: Path
    put_in: Edit
    take_out: Edit
    holds: Callable[[str], bool]
    empty: str
    whole: bool = False
    """True for a file that is ours from its first to its last byte."""


def installing(file: Registered, now: bytes | None, known: Entry | None) -> Change:
    """The change that registers; its ``before`` and ``after`` are equal where nothing is to do.

    Raises Refused ``not-ours`` for a file that is not of a form that we know.
    """
    with _refusing(file.path):
        if now is not None and file.holds(_text(now)):
            return Change(file.path, now, now)
        base = _without(file, now, known)
        text = file.empty if base is None else _text(base)
        return Change(file.path, now, file.put_in(text).encode("utf-8"))


def uninstalling(file: Registered, now: bytes | None, known: Entry | None) -> Change:
    """The change that takes ours out: byte for byte what was there where nobody else wrote since.

    Raises Refused ``not-ours`` for a file that is not of a form that we know.
    """
    with _refusing(file.path):
        return Change(file.path, now, _without(file, now, known))


def remembered(file: Registered, change: Change, known: Entry | None) -> Entry | None:
    """What the ledger is to hold after ``change``; None for nothing."""
    if change.after is None or not file.holds(_text(change.after)):
        return None
    if change.before == change.after:
        return known
    return entry(_without(file, change.before, known), change.after)


def diff(change: Change) -> str:
    """The change as a unified diff, empty where it changes nothing."""
    before, after = (
        (data or b"").decode("utf-8", "replace") for data in (change.before, change.after)
    )
    names = (
        ("/dev/null" if change.before is None else str(change.path)),
        ("/dev/null" if change.after is None else str(change.path)),
    )
    return "".join(_lines(difflib.unified_diff(_split(before), _split(after), *names)))


def _lines(lines: Iterable[str]) -> Iterable[str]:
    """A last line without an end is said as diff says it."""
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _split(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def _without(file: Registered, now: bytes | None, known: Entry | None) -> bytes | None:
    """The file as it is without ours: as it was, or with ours cut out."""
    if known is not None:
        undone, before = known.undone(now)
        if undone:
            return before
    if now is None:
        return None
    left = file.take_out(_text(now))
    made_by_us = file.whole or (known is not None and not known.existed)
    if made_by_us and left.strip() in ("", file.empty.strip()):
        return None
    return left.encode("utf-8")


def _text(data: bytes) -> str:
    return data.decode("utf-8")


class _refusing:  # noqa: N801 - reads as the sentence that it is
    """Any fault in a user's file is a refusal that names it; nothing was written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, (ValueError, LookupError, RecursionError)):
            raise Refused(
                f"{self.path} is left as it is: {error}",
                reason="not-ours",
                hint="mend that file, or move what it names out of the way; then try again",
            ) from error


__all__ = ["Edit", "Registered", "diff", "installing", "remembered", "uninstalling"]
