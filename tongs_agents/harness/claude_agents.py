"""What Claude Code says of its own sessions: ``claude agents --json`` (A68)."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

DEADLINE = 3.0
"""Seconds that the question may take; measured are 0.2 to 0.3."""

_STATUSES = ("idle", "busy", "waiting")


@dataclass(frozen=True, slots=True)
class Said:
    """What it says of one process. ``waiting_for``: of whom or what, in its own words."""

    status: Literal["idle", "busy", "waiting"]
    waiting_for: str
    session_id: str


def said_of(listing: str, pid: int) -> Said | None:
    """What ``listing`` says of the process ``pid``; None where it says nothing that we know."""
    try:
        rows = json.loads(listing)
    except ValueError:
        return None
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and row.get("pid") == pid:
            return _said(row)
    return None


def _said(row: Mapping[str, Any]) -> Said | None:
    status = row.get("status")
    if status not in _STATUSES:
        return None
    return Said(
        cast(Literal["idle", "busy", "waiting"], status),
        str(row.get("waitingFor") or ""),
        str(row.get("sessionId") or ""),
    )


def agents_json(
    program: str, environ: Mapping[str, str], pid: int, *, deadline: float = DEADLINE
) -> Said | None:
    """Ask ``program`` about ``pid``; None where it gives no usable answer in time.

    ``environ`` is the process's own: it says which config is meant. The
    question costs 0.2 s, starts no session and needs no terminal.
    """
    try:
        done = subprocess.run(
            [program, "agents", "--json"],
            check=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environ),
            timeout=deadline,
            encoding="utf-8",
            errors="replace",
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return said_of(done.stdout, pid) if done.returncode == 0 else None


__all__ = ["DEADLINE", "Said", "agents_json", "said_of"]
