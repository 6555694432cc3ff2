"""The session record: read, folded with one more fact, and written whole, under its lock."""

import fcntl
import posix
import time

from tongs_agents.hooks import proc
from tongs_agents.hooks.events import Fact
from tongs_agents.hooks.identity import Origin
from tongs_agents.hooks.prompts import hexdigest
from tongs_agents.hooks.turns import fold
from tongs_agents.hooks.wire import dumps, loads

SCHEMA = 1
"""Version of the record's JSON, and the first part of its file name."""

MAX_RECORD = 64 * 1024
"""Longest record that is read or written, in bytes (7.8)."""

AHEAD_SECONDS = 300.0
"""A time further in the future than this is not believed (7.8)."""

PROMPTS = 12
"""So many hashes of prompts are kept, the newest last."""

_LOCK_SECONDS = 1.0
_TERMINAL = ("TMUX", "TMUX_PANE", "ZELLIJ_SESSION_NAME", "ZELLIJ_PANE_ID")


def digest_of(harness: str, session_id: str, instance_id: str) -> str:
    """What names a session's record: no native id ever reaches a path (7.7)."""
    return hexdigest(dumps([harness, session_id, instance_id]).encode("ascii"))


def canonical_id(harness: str, session_id: str, instance_id: str) -> str:
    """``fleet:v1:HARNESS:DIGEST``."""
    return f"fleet:v1:{harness}:{digest_of(harness, session_id, instance_id)}"


def updated(
    old: dict[str, object], fact: Fact, harness: str, origin: Origin, at: float
) -> dict[str, object]:
    """The record after ``fact`` came at time ``at``. Pure but for the start token."""
    facts = _times(old.get("facts"), at)
    facts[fact.kind] = max(facts.get(fact.kind, 0.0), at)
    prompts = [*_prompts(old.get("prompts")), *([sha, at] for sha in reversed(fact.prompts))]
    turn = fold(facts)
    status = turn.status if turn is not None else "discovered"
    instance = origin.launch_id or ""
    told = fact.kind == (turn.fact if turn is not None else "")
    living = origin.process
    return {
        "schema": SCHEMA,
        "session_id": fact.session_id,
        "harness_id": harness,
        "instance_id": instance,
        "canonical_id": canonical_id(harness, fact.session_id, instance),
        "launch_id": origin.launch_id,
        "sequence": _count(old.get("sequence")) + 1,
        "pid": living.pid if living is not None else None,
        "process_start": living.token() if living is not None else None,
        "process_identity": "identified" if living is not None else "unresolved",
        "cwd": fact.cwd or old.get("cwd") or "",
        "transcript_path": fact.transcript or old.get("transcript_path") or "",
        "status": status,
        "since": turn.since if turn is not None else at,
        "detail": fact.detail if told else old.get("detail") or "",
        "tool": fact.tool if told else old.get("tool") or "",
        "needs": (fact.needs if told else old.get("needs") or "") if status == "waiting" else "",
        "turn_open": turn is not None and turn.is_open,
        "ts": max(facts.values()),
        "last_event": fact.kind,
        "prompt_sha256": fact.prompts[0] if fact.prompts else old.get("prompt_sha256"),
        "prompt_at": at if fact.prompts else old.get("prompt_at"),
        "prompts": prompts[-PROMPTS:],
        "facts": facts,
    }


def _times(value: object, now: float) -> dict[str, float]:
    """The facts of a record, less those of a clock that was wrong."""
    pairs = value.items() if isinstance(value, dict) else ()
    return {
        str(kind): float(at)
        for kind, at in pairs
        if isinstance(at, int | float) and 0 < at <= now + AHEAD_SECONDS
    }


def _prompts(value: object) -> list[list[object]]:
    items = value if isinstance(value, list) else []
    return [item for item in items if isinstance(item, list) and len(item) == 2][-PROMPTS:]


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def write(fact: Fact, harness: str, origin: Origin, env: dict[bytes, bytes], at: float) -> None:
    """Bring the session's record up to date.

    Raises:
        OSError: a directory or file is missing, unwritable or not private.
        ValueError: the record would be too long.
    """
    directory = _directory(origin)
    name = f"v{SCHEMA}-{digest_of(harness, fact.session_id, origin.launch_id or '')}"
    path = directory + b"/" + name.encode("ascii")
    lock = _locked(path + b".lock")
    try:
        record = updated(_read(path + b".json"), fact, harness, origin, at)
        if origin.launch_id is None:
            record["terminal_env"] = _terminal(env)
        data = dumps(record).encode("ascii") + b"\n"
        if len(data) > MAX_RECORD:
            raise ValueError(f"a record of {len(data)} bytes")
        _replace(path + b".json", data)
    finally:
        posix.close(lock)


def _directory(origin: Origin) -> bytes:
    """The directory of session records, made where it is missing."""
    directory = origin.state_dir + b"/sessions"
    try:
        known = proc.is_private_dir(directory)
    except FileNotFoundError:
        if origin.launch_id is None:
            _make(origin.state_dir)
        _mkdir(directory)
        known = proc.is_private_dir(directory)
    if not (known and proc.is_private_dir(origin.state_dir)):
        raise PermissionError(directory)
    return directory


def _make(path: bytes) -> None:
    try:
        _mkdir(path)
    except FileNotFoundError:
        _make(path.rpartition(b"/")[0])
        _mkdir(path)


def _mkdir(path: bytes) -> None:
    try:
        posix.mkdir(path, 0o700)
    except FileExistsError:
        return


def _terminal(env: dict[bytes, bytes]) -> dict[str, str]:
    """By what the terminal of a session that nobody launched may be found again; no proof."""
    names = [name for name in _TERMINAL if env.get(name.encode("ascii"))]
    return {name: env[name.encode("ascii")].decode("utf-8", "replace")[:512] for name in names}


def _read(path: bytes) -> dict[str, object]:
    """The record as it is, empty where there is none or it can't be understood."""
    try:
        record = loads(proc.read_private(path, MAX_RECORD).decode("utf-8"))
    except (FileNotFoundError, ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) and record.get("schema") == SCHEMA else {}


def _locked(path: bytes) -> int:
    """The lock's descriptor. Raises TimeoutError where another hook holds it for too long."""
    until = time.monotonic() + _LOCK_SECONDS
    delay = 0.0005
    while True:
        fd = proc.open_private(path, posix.O_RDWR | posix.O_CREAT)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            held, named = posix.fstat(fd), posix.lstat(path)
            # a lock on a file that was removed meanwhile excludes nobody
            if (held.st_dev, held.st_ino) == (named.st_dev, named.st_ino):
                return fd
        except (BlockingIOError, FileNotFoundError):
            pass
        posix.close(fd)
        if time.monotonic() > until:
            raise TimeoutError(path)
        time.sleep(delay)
        delay = min(delay * 2, 0.02)


def _replace(path: bytes, data: bytes) -> None:
    """Whole or not at all; not synced, since a status that a crash took was over anyway."""
    temporary = path.rpartition(b"/")[0] + b"/.tmp-" + posix.urandom(8).hex().encode("ascii")
    fd = proc.open_private(temporary, posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL)
    try:
        try:
            if posix.write(fd, data) != len(data):
                raise OSError("there is no room for a whole record")
        finally:
            posix.close(fd)
        posix.rename(temporary, path)
    except BaseException:
        posix.unlink(temporary)
        raise


__all__ = [
    "AHEAD_SECONDS",
    "MAX_RECORD",
    "PROMPTS",
    "SCHEMA",
    "canonical_id",
    "digest_of",
    "updated",
    "write",
]
