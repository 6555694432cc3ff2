"""The claim store: one private JSON file a launch, written whole, claimed once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tongs_mux.errors import (
    ClaimConflict,
    ClaimError,
    LaunchAmbiguous,
    LaunchNotFound,
    MuxError,
    PlaceRefused,
)
from tongs_mux.files import locked, private_dir, read_private, write_atomic
from tongs_mux.ids import is_launch_id
from tongs_mux.model import Claim, LaunchRecord, PaneRef, ProcessIdentity
from tongs_mux.records import decode, encode

MAX_RECORD = 256 * 1024
"""Longest record that is read, in bytes."""

LOCK_SECONDS = 10.0
"""How long one process waits for another's hold on a record."""


_Version = tuple[int, int, int]


class LaunchStore:
    """Launch records below one private directory.

    A record that was read is kept until its file changes: a list of many
    launches then costs one ``lstat`` each (P6).

    Every change is read, checked and written under the record's own lock, so
    of two claims for one launch exactly one is made (A88).
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._known: dict[str, tuple[_Version, LaunchRecord]] = {}

    def _path(self, launch_id: str) -> Path:
        if not is_launch_id(launch_id):
            raise LaunchNotFound(
                f"{launch_id!r} is not a launch id", hint="`tongs-agents list` shows them"
            )
        return self._directory / f"{launch_id}.json"

    @contextmanager
    def holding(self, launch_id: str) -> Iterator[None]:
        """Hold the record's lock; raises LockTimeout after ``LOCK_SECONDS``."""
        path = self._path(launch_id)
        with locked(path.with_suffix(".lock"), deadline=LOCK_SECONDS):
            yield

    def create(self, record: LaunchRecord) -> None:
        """Write a new record. Raises ClaimConflict where the id is taken."""
        private_dir(self._directory)
        path = self._path(record.launch_id)
        if path.exists():
            raise ClaimConflict(f"launch id {record.launch_id} is taken")
        write_atomic(path, encode(record))

    def read(self, launch_id: str) -> LaunchRecord:
        """The record of exactly this id. Raises LaunchNotFound, ClaimError, PlaceRefused."""
        path = self._path(launch_id)
        try:
            version = _version(os.lstat(path))
            known = self._known.get(launch_id)
            if known is not None and known[0] == version:
                return known[1]
            record = decode(read_private(path, MAX_RECORD), path)
        except FileNotFoundError:
            raise LaunchNotFound(
                f"there is no launch {launch_id}", hint="`tongs-agents list` shows them"
            ) from None
        except OSError as error:
            raise ClaimError(
                f"{path} can't be read: {error.strerror}", hint=f"make {path} readable again"
            ) from error
        self._known[launch_id] = (version, record)
        return record

    def ids(self) -> tuple[str, ...]:
        """Every launch id on record, sorted."""
        try:
            names = [path.stem for path in self._directory.iterdir() if path.suffix == ".json"]
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise PlaceRefused(
                f"{self._directory} can't be listed: {error.strerror}",
                path=str(self._directory),
                hint=f"chmod u+rwx {self._directory}",
            ) from error
        return tuple(sorted(name for name in names if is_launch_id(name)))

    def all(self) -> tuple[LaunchRecord, ...]:
        """Every record that can be read, oldest first."""
        return self.scan()[0]

    def scan(self) -> tuple[tuple[LaunchRecord, ...], tuple[MuxError, ...]]:
        """``all``, and what is wrong with each record that can't be read or trusted.

        One bad record stops nothing that is about the others; one removed
        meanwhile is left out.
        """
        records, troubles = [], []
        for launch_id in self.ids():
            try:
                records.append(self.read(launch_id))
            except LaunchNotFound:
                continue
            except (ClaimError, PlaceRefused) as error:
                troubles.append(error)
        records.sort(key=lambda record: (record.created_at, record.launch_id))
        return tuple(records), tuple(troubles)

    def resolve(self, text: str) -> LaunchRecord:
        """The one launch whose id is, or begins with, ``text``.

        Raises:
            LaunchNotFound: no match, never "the active one" (C2).
            LaunchAmbiguous: several; ``matches`` lists them.
        """
        ids = self.ids()
        if text in ids:
            return self.read(text)
        matches = tuple(name for name in ids if text and name.startswith(text))
        if not matches:
            raise LaunchNotFound(
                f"no launch begins with {text!r}", hint="`tongs-agents list` shows them"
            )
        if len(matches) > 1:
            raise LaunchAmbiguous(
                f"{text!r} may be any of: {', '.join(matches)}",
                matches=matches,
                hint="give more of the id",
            )
        return self.read(matches[0])

    def update(self, record: LaunchRecord) -> None:
        """Replace a record; the caller holds its lock."""
        write_atomic(self._path(record.launch_id), encode(record))

    def opened(
        self, launch_id: str, pane: PaneRef, pid: int | None, server: ProcessIdentity
    ) -> LaunchRecord:
        """Record what the opener knows of the pane; the caller holds the lock (A88)."""
        record = replace(self.read(launch_id), pane=pane, opened_pid=pid, server=server)
        self.update(record)
        return record

    def claim(self, launch_id: str, claim: Claim) -> LaunchRecord:
        """Make the claim, once, under the lock.

        Raises:
            ClaimConflict: claimed already, or pane, process or server differ from
                what the opener recorded.
        """
        self.read(launch_id)  # no lock is left behind for what does not exist
        with self.holding(launch_id):
            record = self.read(launch_id)
            conflict = claim_conflict(record, claim)
            if conflict:
                raise ClaimConflict(
                    f"launch {launch_id} is not this pane's: {conflict}",
                    hint="start a launch of your own with `tongs-agents spawn`",
                )
            record = replace(record, claim=claim)
            self.update(record)
            return record

    def fail(self, launch_id: str, error: str) -> None:
        """Record why the command could not be executed (A91)."""
        self.read(launch_id)  # as above
        with self.holding(launch_id):
            self.update(replace(self.read(launch_id), start_error=error))

    def remove(self, launch_id: str) -> None:
        """Remove a record and its lock; no error where it is gone already."""
        path = self._path(launch_id)
        path.unlink(missing_ok=True)
        path.with_suffix(".lock").unlink(missing_ok=True)


def _version(info: os.stat_result) -> _Version:
    """Changes with every replacement, and with every change of owner or mode."""
    return (info.st_ino, info.st_ctime_ns, info.st_size)


def claim_conflict(record: LaunchRecord, claim: Claim) -> str:
    """Why ``claim`` may not be made on ``record``; empty where it may. Pure (A88)."""
    if record.claim is not None:
        return "it has been claimed already"
    if record.pane is None or record.server is None:
        return "nobody recorded which pane was opened for it"
    if claim.pane_id != record.pane.pane_id:
        return f"the claim is from pane {claim.pane_id}, {record.pane.pane_id} was opened"
    # who claims on Zellij is told of no socket: its server is compared below
    if record.pane.multiplexer == "tmux" and claim.socket != record.pane.socket:
        return f"the claim is from the server at {claim.socket}"
    if record.opened_pid is not None and claim.process.pid != record.opened_pid:
        return f"the claim is by pid {claim.process.pid}, {record.opened_pid} was opened"
    if claim.server != record.server:
        return f"the claim names server pid {claim.server.pid}, not {record.server.pid}"
    return ""


__all__ = [
    "LOCK_SECONDS",
    "MAX_RECORD",
    "LaunchStore",
    "claim_conflict",
]
