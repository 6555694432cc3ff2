"""What a launch is doing, and since when: derived in one place from what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from tongs_mux.evidence import Seen
from tongs_mux.model import LaunchRecord
from tongs_mux.process import Processes, alive

Status = Literal["started", "working", "done", "waiting", "error", "ended", "discovered"]
"""What an agent is doing (A5). ``discovered`` is a session that nobody launched."""


def status_of(record: LaunchRecord, seen: Seen) -> tuple[Status | None, float | None]:
    """(status, since when in seconds since the epoch), each None where it is not known.

    Without hooks nothing but the end is known, and ``since`` is then the
    claim's time, or the record's while there is none. The time of an end is
    known where we ended the launch or it never started.
    """
    began = record.created_at if record.claim is None else record.claim.at
    if record.ended_at is not None:
        return "ended", record.ended_at
    if seen.verdict.state == "exited":
        return "ended", began if record.start_error is not None else None
    return None, began


def is_orphan(
    record: LaunchRecord, others: Mapping[str, LaunchRecord], processes: Processes
) -> bool:
    """True where the launch that opened this one is known to run no longer (I7).

    ``others`` are the records by id. One whose record is gone has ended; one
    that has not claimed yet has not.
    """
    opener = record.labels.get("spawned_by")
    if not opener:
        return False
    parent = others.get(opener)
    if parent is None:
        return True
    if parent.claim is None:
        return parent.start_error is not None
    return not alive(processes, parent.claim.process)


__all__ = ["Status", "is_orphan", "status_of"]
