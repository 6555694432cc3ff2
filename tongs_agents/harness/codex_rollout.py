"""What Codex writes down of its turns: the file of a session, told to hooks as its transcript.

A turn that ends in an error of the API fires no hook: this file tells of it (A68).
"""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from tongs_agents.hooks.events import MAX_DETAIL

TAIL = 256 * 1024
"""So much of the file's end is looked at: the end of a turn is one of its last lines."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How the last turn ended, and when, in seconds since the epoch."""

    kind: Literal["stop", "failure", "interrupt"]
    at: float
    detail: str = ""


def last_ended(tail: str) -> Ended | None:
    """How the turn ended that ``tail`` tells of last; None while one runs, or nothing is told."""
    for line in reversed(tail.splitlines()):
        if '"event_msg"' not in line:
            continue
        told = _told(line)
        if told is None:
            continue
        at, event = told
        if event.get("type") == "task_started":
            return None
        if event.get("type") == "turn_aborted":
            return Ended("interrupt", at, _short(event.get("reason")))
        if event.get("type") == "task_complete":
            error = event.get("error")
            return Ended("failure", at, _short(error)) if error else Ended("stop", at)
    return None


def _told(line: str) -> tuple[float, dict[str, Any]] | None:
    """(when, what) of one line; None for one that was cut, or is no event."""
    try:
        values = json.loads(line)
        event = values["payload"]
        at = datetime.fromisoformat(values["timestamp"]).timestamp()
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return (at, event) if isinstance(event, dict) else None


def _short(error: object) -> str:
    message = error.get("message") if isinstance(error, dict) else error
    text = "".join(char if char.isprintable() else " " for char in str(message or ""))
    return text[:MAX_DETAIL]


def tail_of(path: str) -> str:
    """The end of the user's own regular file ``path``; empty where it is none, or can't be read."""
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
    try:
        fd = os.open(path, flags)
    except (OSError, ValueError):
        return ""
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode) or info.st_uid != os.geteuid():
            return ""
        return os.pread(fd, TAIL, max(0, info.st_size - TAIL)).decode("utf-8", "replace")
    finally:
        os.close(fd)


__all__ = ["TAIL", "Ended", "last_ended", "tail_of"]
