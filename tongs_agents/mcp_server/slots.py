"""Rate slots and caps: taken under a short lock, before the work, and given back where it fails.

One file a caller holds the times of its last minute (6.17), so a server that is
restarted forgets nothing; one file a root launch holds what was ever started below it
(A100). The work itself runs unlocked: parallel calls never wait for each other (6.18).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from tongs_agents.config import Control
from tongs_agents.mcp_server.rules import within_caps, within_rate
from tongs_mux.errors import MuxError, PlaceRefused
from tongs_mux.files import locked, private_dir, read_private, write_atomic

WINDOW_SECONDS = 60.0
"""How long a slot counts, whatever became of who took it (A9)."""

BEGUN_SECONDS = 150.0
"""How long a spawn that was begun counts as one below its root; none takes that long."""

LOCK_SECONDS = 5.0
"""Longest wait for the lock of one caller or root."""

_MAX_BYTES = 256 * 1024

Kind = Literal["send", "spawn"]


@dataclass(frozen=True, slots=True)
class Slot:
    """What was taken: given back where nothing came of it."""

    caller: str
    kind: Kind
    mark: str
    """Of a spawn, the id of the launch to be; else a random word."""
    root: str | None = None


@dataclass(frozen=True, slots=True)
class Taken:
    """One entry of a window."""

    at: float
    mark: str


def still(entries: tuple[Taken, ...], now: float, seconds: float) -> tuple[Taken, ...]:
    """Those that count at ``now``. Pure. A time ahead of the clock is taken for now."""
    return tuple(
        replace(it, at=min(it.at, now)) for it in entries if now - min(it.at, now) < seconds
    )


@dataclass(frozen=True, slots=True)
class Tree:
    """What was started below one root: ``ever`` ended well, ``begun`` is on its way."""

    ever: int = 0
    begun: tuple[Taken, ...] = ()


@dataclass(frozen=True, slots=True)
class Below:
    """The launches on record below one root: every one, and those that may be alive."""

    known: frozenset[str]
    alive: frozenset[str]


def settled(tree: Tree, below: Below, now: float) -> Tree:
    """The tree without what took too long; what of that is on record was started. Pure."""
    begun = still(tree.begun, now, BEGUN_SECONDS)
    marks = {it.mark for it in begun}
    lost = sum(it.mark in below.known for it in tree.begun if it.mark not in marks)
    # a runtime dir may be emptied while its launches live on: their records count all the same
    ever = max(tree.ever + lost, len(below.known - marks))
    return Tree(ever, begun)


class Slots:
    """The windows below ``mcp-rate/`` in the runtime dir."""

    def __init__(
        self,
        directory: Path,
        *,
        clock: Callable[[], float],
        random_hex: Callable[[int], str],
    ) -> None:
        self._directory = directory
        self._clock = clock
        self._random_hex = random_hex

    def send(self, caller: str, control: Control) -> Slot:
        """A slot for a send. Raises Refused ``rate``, LockTimeout, PlaceRefused."""
        slot = Slot(caller, "send", self._random_hex(6))
        with self._window(slot, control):
            return slot

    def spawn(
        self, caller: str, control: Control, *, root: str, mark: str, below: Callable[[], Below]
    ) -> Slot:
        """A slot for a spawn, and a place below the root, both or neither.

        ``mark`` is the id of the launch to be. ``below`` is asked under the root's
        lock. Raises Refused ``rate``, ``max-live``, ``max-spawns``; LockTimeout, PlaceRefused.
        """
        slot = Slot(caller, "spawn", mark, root)
        with self._window(slot, control), self._held(f"{root}.tree"):
            now, found = self._clock(), below()
            tree = settled(self._tree(root), found, now)
            coming = {it.mark for it in tree.begun}
            live = len(found.alive | coming)
            within_caps(live, tree.ever + len(coming), control, root)
            self._plant(root, replace(tree, begun=(*tree.begun, Taken(now, mark))))
        return slot

    def keep(self, slot: Slot) -> None:
        """The work was done: a spawn is one of those ever started. Never raises."""
        if slot.root is None:
            return
        with suppress(OSError, MuxError), self._held(f"{slot.root}.tree"):
            tree = self._tree(slot.root)
            rest = tuple(it for it in tree.begun if it.mark != slot.mark)
            self._plant(slot.root, Tree(tree.ever + 1, rest))

    def give_back(self, slot: Slot) -> None:
        """Nothing came of it (6.19). Never raises: what stays behind ages out (A9)."""
        with suppress(OSError, MuxError), self._held(slot.caller):
            windows = self._windows(slot.caller)
            rest = tuple(it for it in windows[slot.kind] if it.mark != slot.mark)
            self._write(slot.caller, {**windows, slot.kind: rest})
        if slot.root is None:
            return
        with suppress(OSError, MuxError), self._held(f"{slot.root}.tree"):
            tree = self._tree(slot.root)
            rest = tuple(it for it in tree.begun if it.mark != slot.mark)
            self._plant(slot.root, replace(tree, begun=rest))

    @contextmanager
    def _window(self, slot: Slot, control: Control) -> Iterator[None]:
        """The caller's lock; the slot is written down where the block ends well."""
        with self._held(slot.caller):
            now, windows = self._clock(), self._windows(slot.caller)
            taken = still(windows[slot.kind], now, WINDOW_SECONDS)
            if any(it.at > now for it in windows[slot.kind]):
                # the clock was set back: from now on these age as all others do
                self._write(slot.caller, {**windows, slot.kind: taken})
            within_rate(len(taken), control, slot.kind)
            yield
            self._write(slot.caller, {**windows, slot.kind: (*taken, Taken(now, slot.mark))})

    @contextmanager
    def _held(self, name: str) -> Iterator[None]:
        directory = private_dir(self._directory)
        with locked(directory / f"{name}.lock", deadline=LOCK_SECONDS):
            yield

    def _windows(self, caller: str) -> dict[str, tuple[Taken, ...]]:
        values = self._read(caller)
        return {kind: values.get(kind, ()) for kind in ("send", "spawn")}

    def _tree(self, root: str) -> Tree:
        values = self._read(f"{root}.tree")
        return Tree(values.get("ever", 0), values.get("begun", ()))

    def _plant(self, root: str, tree: Tree) -> None:
        begun = [[it.at, it.mark] for it in tree.begun]
        self._save(f"{root}.tree", {"ever": tree.ever, "begun": begun})

    def _write(self, caller: str, windows: Mapping[str, tuple[Taken, ...]]) -> None:
        entries = {kind: [[it.at, it.mark] for it in taken] for kind, taken in windows.items()}
        self._save(caller, entries)

    def _save(self, name: str, values: Mapping[str, Any]) -> None:
        write_atomic(self._path(name), json.dumps(values).encode("ascii"))

    def _read(self, name: str) -> Mapping[str, Any]:
        """What a file of ours holds; one that makes no sense must not open what it closes."""
        path = self._path(name)
        try:
            return _checked(json.loads(read_private(path, _MAX_BYTES)))
        except FileNotFoundError:
            return {}
        except (ValueError, LookupError, TypeError) as error:
            raise PlaceRefused(
                f"{path} is not what tongs-agents wrote there",
                path=str(path),
                hint=f"a person can remove {path}",
            ) from error

    def _path(self, name: str) -> Path:
        return self._directory / f"{name}.json"


def _checked(values: object) -> dict[str, Any]:
    """``values`` with every entry as it was written. Raises ValueError, TypeError, LookupError."""
    if not isinstance(values, dict):
        raise TypeError("no object")
    found: dict[str, Any] = {}
    for name, value in values.items():
        if name == "ever":
            found[name] = value
        else:
            found[name] = tuple(Taken(float(at), str(mark)) for at, mark in value)
    if not isinstance(found.get("ever", 0), int):
        raise TypeError("no number")
    return found


__all__ = [
    "BEGUN_SECONDS",
    "LOCK_SECONDS",
    "WINDOW_SECONDS",
    "Below",
    "Kind",
    "Slot",
    "Slots",
    "Taken",
    "Tree",
    "settled",
    "still",
]
