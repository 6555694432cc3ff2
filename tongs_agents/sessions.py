"""Session records as they are read: what hooks wrote, believed only where it is ours and sane."""

from __future__ import annotations

import json
import math
import os
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tongs_agents.errors import UsageError
from tongs_agents.hooks.record import AHEAD_SECONDS, MAX_RECORD, SCHEMA, canonical_id
from tongs_mux.errors import LaunchAmbiguous, PlaceRefused
from tongs_mux.files import locked, private_dir, read_private
from tongs_mux.ids import is_launch_id
from tongs_mux.model import LaunchRecord, ProcessIdentity

LOCK_SECONDS = 2.0
"""How long a record's removal waits for a hook that writes it."""

_PREFIX = f"v{SCHEMA}-"


@dataclass(frozen=True, slots=True)
class Session:
    """One session of a harness, as its hooks told of it. Texts in it are the harness's: data."""

    session_id: str
    canonical_id: str
    harness: str
    launch_id: str | None
    """None for a session that nobody launched."""
    status: str
    """What its own facts amount to; of a launch, see ``status.fold``."""
    since: float
    detail: str = ""
    tool: str = ""
    needs: str = ""
    """What it waits for: ``permission``, ``question`` or ``prompt``; else empty."""
    cwd: str = ""
    transcript_path: str = ""
    process: ProcessIdentity | None = None
    last_event: str = ""
    ts: float = 0.0
    """When the newest fact came."""
    prompt_sha256: str | None = None
    prompt_at: float | None = None
    prompts: tuple[tuple[str, float], ...] = ()
    """Hashes of the last prompts by which a send may know its own, and when they came."""
    facts: Mapping[str, float] = field(default_factory=dict)
    """When each kind of fact came last: the kinds of ``hooks.turns`` and ``compacted``."""
    turn_open: bool = False
    terminal_env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Told:
    """All that was told of one launch: its sessions, newest first, and its last pulse."""

    sessions: tuple[Session, ...] = ()
    pulse: float | None = None


class SessionStore:
    """Session records below one private directory; reads only, but for ``remove``."""

    def __init__(self, directory: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._directory = directory
        self._clock = clock

    def all(self) -> tuple[Session, ...]:
        """Every record that can be believed, newest first; cost: one small read each.

        A link, a foreign or open file, another schema, and a time more than
        five minutes ahead are passed over (7.8). Raises PlaceRefused, OSError
        where the directory itself is not ours.
        """
        found = [self._read(path) for path in self._paths()]
        sessions = [session for session in found if session is not None]
        return tuple(sorted(sessions, key=lambda one: (-one.ts, one.canonical_id)))

    def by_launch(self) -> dict[str, tuple[Session, ...]]:
        """The sessions of every launch that has any, newest first, in one pass."""
        found: dict[str, tuple[Session, ...]] = {}
        for session in self.all():
            if session.launch_id is not None:
                found[session.launch_id] = (*found.get(session.launch_id, ()), session)
        return found

    def of_launch(self, launch_id: str) -> tuple[Session, ...]:
        """The sessions of one launch, newest first; several after a ``/clear``."""
        return self.by_launch().get(launch_id, ())

    def find(self, text: str) -> Session:
        """The one session whose canonical or native id is, or begins with, ``text``.

        Raises:
            UsageError: no match.
            LaunchAmbiguous: several; ``matches`` lists them, and none is guessed (7.3).
        """
        everything = self.all()
        found = [one for one in everything if text in (one.canonical_id, one.session_id)]
        found = found or [one for one in everything if text and _begins(one, text)]
        if not found:
            raise UsageError(
                f"no session begins with {text!r}", hint="`tongs-agents list` shows them"
            )
        if len(found) > 1:
            matches = tuple(one.canonical_id for one in found)
            raise LaunchAmbiguous(
                f"{text!r} may be any of: {', '.join(matches)}",
                matches=matches,
                hint="give the canonical id",
            )
        return found[0]

    def told(self, record: LaunchRecord) -> Told:
        """What was told of one launch. To look at many, ``by_launch`` reads once for all."""
        return Told(self.of_launch(record.launch_id), self.pulse(record))

    def pulse(self, record: LaunchRecord) -> float | None:
        """When the launch's last tool event was, None where there was none (A83)."""
        runtime = record.places.get("runtime_dir")
        if runtime is None or not is_launch_id(record.launch_id):
            return None
        try:
            info = os.lstat(pulse_path(Path(runtime), record.launch_id))
        except OSError:
            return None
        ours = stat.S_ISREG(info.st_mode) and info.st_uid == os.geteuid()
        return info.st_mtime if ours and info.st_mtime <= self._clock() + AHEAD_SECONDS else None

    def remove(self, session: Session) -> bool:
        """Remove a session's record and its lock; False where it has been told of since.

        Raises LockTimeout where a hook is writing just now.
        """
        path = self._directory / f"{_PREFIX}{session.canonical_id.rpartition(':')[2]}.json"
        lock = path.with_suffix(".lock")
        with locked(lock, deadline=LOCK_SECONDS):
            current = self._read(path)
            same = current is None or current.ts == session.ts
            if same:
                path.unlink(missing_ok=True)
                lock.unlink(missing_ok=True)
        return same

    def _paths(self) -> list[Path]:
        try:
            private_dir(self._directory, create=False)
            paths = list(self._directory.iterdir())
        except FileNotFoundError:
            return []
        return [path for path in paths if path.suffix == ".json" and path.name.startswith(_PREFIX)]

    def _read(self, path: Path) -> Session | None:
        try:
            session = decode(read_private(path, MAX_RECORD))
        except (OSError, PlaceRefused, ValueError):
            return None
        named = path.stem == _PREFIX + session.canonical_id.rpartition(":")[2]
        newest = max((session.ts, *session.facts.values()))
        return session if named and newest <= self._clock() + AHEAD_SECONDS else None


def pulse_path(runtime: Path, launch_id: str) -> Path:
    """The file that tool events of a launch touch; the front writes it by this very name."""
    return runtime / "pulses" / launch_id


def bell_path(runtime: Path, launch_id: str) -> Path:
    """The file that makes the next tool event of a launch go to Python (A82)."""
    return runtime / "bells" / launch_id


def decode(data: bytes) -> Session:
    """The session in ``data``. Raises ValueError where it isn't one of ours."""
    try:
        values: dict[str, Any] = json.loads(data)
        if values["schema"] != SCHEMA:
            raise ValueError("written by another version")
        session = _session(values)
        own = canonical_id(session.harness, session.session_id, str(values["instance_id"]))
        if session.canonical_id != own:
            raise ValueError("its canonical id is not its own")
        return session
    except (KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise ValueError(f"not a session record: {error!r}") from error


def _session(values: Mapping[str, Any]) -> Session:
    facts = {str(kind): _seconds(at) for kind, at in values["facts"].items()}
    pid, launch_id = values["pid"], values["launch_id"]
    prompt_at = values["prompt_at"]
    return Session(
        session_id=str(values["session_id"]),
        canonical_id=str(values["canonical_id"]),
        harness=str(values["harness_id"]),
        launch_id=None if launch_id is None else str(launch_id),
        status=str(values["status"]),
        since=_seconds(values["since"]),
        detail=str(values["detail"]),
        tool=str(values["tool"]),
        needs=str(values["needs"]),
        cwd=str(values["cwd"]),
        transcript_path=str(values["transcript_path"]),
        process=None if pid is None else _process(pid, values["process_start"]),
        last_event=str(values["last_event"]),
        ts=_seconds(values["ts"]),
        prompt_sha256=_text_or_none(values["prompt_sha256"]),
        prompt_at=None if prompt_at is None else _seconds(prompt_at),
        prompts=tuple((str(sha), _seconds(at)) for sha, at in values["prompts"]),
        facts=facts,
        turn_open=bool(values["turn_open"]),
        terminal_env=dict(values.get("terminal_env", {})),
    )


def _seconds(value: Any) -> float:
    at = float(value)
    if not math.isfinite(at):
        raise ValueError("a time that is none")
    return at


def _process(pid: Any, token: Any) -> ProcessIdentity:
    if not 0 < int(pid) < 2**31:
        raise ValueError("a pid that is none")
    return ProcessIdentity(int(pid), _text_or_none(token))


def _text_or_none(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise ValueError("a text that is none")
    return value


def _begins(session: Session, text: str) -> bool:
    return session.canonical_id.startswith(text) or session.session_id.startswith(text)


__all__ = [
    "LOCK_SECONDS",
    "Session",
    "SessionStore",
    "Told",
    "bell_path",
    "decode",
    "pulse_path",
]
