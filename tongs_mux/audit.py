"""The audit log: what was done to which pane, for whom, and how it ended; never a text."""

from __future__ import annotations

import errno
import json
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from tongs_mux.errors import AuditFailed, LockTimeout, MuxError, PlaceRefused
from tongs_mux.files import locked, open_private, private_dir
from tongs_mux.ids import is_launch_id
from tongs_mux.model import PaneRef

MAX_BYTES = 1 << 20
"""A log that would grow past this is renamed to ``.1`` first; one such is kept."""

LOCK_SECONDS = 2.0
"""Longest wait for other writers before the line counts as unwritable."""

WITHHELD = "(withheld)"
"""Stands where a value is not of its field's form, so that no prose gets in."""

_WORD = re.compile(r"[0-9a-z][0-9a-z:@_.+-]{0,127}\Z")
_HASH = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """What one line says, None where it does not apply (6.31).

    No field holds the text of a send. Words are lower-case slugs and ids,
    ``caller`` and ``target`` launch ids, ``sha256`` a hash; what is not of its
    field's form is written as ``WITHHELD``.
    """

    actor: str
    """Who asked: ``cli``, ``cli:LAUNCH``, ``mcp``, ``mcp:LAUNCH``, ``chat:LAUNCH``."""
    action: str
    caller: str | None = None
    target: str | None = None
    pane: PaneRef | None = None
    bytes: int | None = None
    sha256: str | None = None
    outcome: str | None = None
    """``ok``, or an outcome of the exit-code table."""
    exit_code: int | None = None
    reason: str | None = None
    effect: str | None = None
    receipt: str | None = None
    evidence: tuple[str, ...] = ()
    """Names of facts, or ``name:word``; not what was seen on the screen."""
    labels: Mapping[str, str | int] = field(default_factory=dict)
    """Words and numbers of a layer above: a handle, a level, a message's id."""


class AuditLog:
    """One log file; any number of processes and threads may write it at once."""

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], float],
        new_act: Callable[[], str] = lambda: os.urandom(6).hex(),
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._path = path
        self._clock = clock
        self._new_act = new_act
        self._monotonic = monotonic

    def begin(self, entry: AuditEntry) -> str:
        """Write the line that comes before an act; returns the act's id (A97).

        Raises:
            AuditFailed: it can't be written, so the act must not be begun.
        """
        act = self._new_act()
        self._append("begin", act, entry)
        return act

    def outcome(self, act: str | None, entry: AuditEntry) -> None:
        """Write how ``act`` ended; None for a refusal, which began nothing (A97).

        Raises:
            AuditFailed: it can't be written; what was done stays done.
        """
        self._append("outcome", act, entry)

    def _append(self, phase: str, act: str | None, entry: AuditEntry) -> None:
        lock = self._path.with_name(f"{self._path.name}.lock")
        try:
            private_dir(self._path.parent)
            with locked(lock, deadline=LOCK_SECONDS, clock=self._monotonic):
                # The time is taken under the lock, so that lines stand in its order.
                line = _line(self._clock(), phase, act, entry)
                _rotate(self._path, len(line))
                _write(self._path, line)
        except (OSError, PlaceRefused, LockTimeout) as error:
            hint = f"make {self._path} writable, or free some space"
            raise AuditFailed(
                f"the audit line could not be written to {self._path}: {error}",
                hint=error.hint if isinstance(error, MuxError) else hint,
            ) from error


def previous(path: Path) -> Path:
    """Where the lines that were in ``path`` before its last rotation are."""
    return path.with_name(f"{path.name}.1")


def _line(ts: float, phase: str, act: str | None, entry: AuditEntry) -> bytes:
    """The entry as one line of JSON, what has no value left out."""
    values: dict[str, object] = {"ts": ts, "phase": phase}
    if act is not None:
        values["act"] = act
    for each in fields(entry):
        value = getattr(entry, each.name)
        if value is not None and value not in ((), {}):
            values[each.name] = _fitting(each.name, value)
    return json.dumps(values, separators=(",", ":")).encode("ascii") + b"\n"


def _fitting(name: str, value: object) -> object:
    if isinstance(value, str):
        return value if _fits(name, value) else WITHHELD
    if isinstance(value, tuple):
        return [_fitting(name, item) for item in value]
    if isinstance(value, Mapping):
        return {_fitting("", key): _fitting("", item) for key, item in value.items()}
    return asdict(value) if isinstance(value, PaneRef) else value


def _fits(name: str, value: str) -> bool:
    if name in ("caller", "target"):
        return is_launch_id(value)
    return (_HASH if name == "sha256" else _WORD).match(value) is not None


def _rotate(path: Path, coming: int) -> None:
    """Under the lock: rename a log that has no room for ``coming`` bytes."""
    try:
        size = os.lstat(path).st_size
    except FileNotFoundError:
        return
    if size and size + coming > MAX_BYTES:
        os.replace(path, previous(path))


def _write(path: Path, line: bytes) -> None:
    """Under the lock: one write of a whole line, or none of it."""
    fd = open_private(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
    try:
        size = os.fstat(fd).st_size
        if size and os.pread(fd, 1, size - 1) != b"\n":
            line = b"\n" + line  # a crash tore the last line: it must not spoil this one
        if os.write(fd, line) != len(line):
            os.ftruncate(fd, size)
            raise OSError(errno.ENOSPC, "there is no room for a whole line")
    finally:
        os.close(fd)


__all__ = [
    "LOCK_SECONDS",
    "MAX_BYTES",
    "WITHHELD",
    "AuditEntry",
    "AuditLog",
    "previous",
]
