"""The JSON shapes of launches and receipts, the same in every verb and every MCP reply."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from tongs_mux.evidence import Seen
from tongs_mux.model import Check, PaneRef, Receipt

if TYPE_CHECKING:
    from tongs_agents.launches import Spawned


def pane_of(seen: Seen) -> PaneRef | None:
    """Where the pane is: as recorded, in the session that it is in by now."""
    pane = seen.record.pane
    if pane is None or seen.pane is None or not seen.verdict.verified:
        return pane
    return replace(pane, session=seen.pane.session)


def pane_shape(pane: PaneRef | None) -> dict[str, Any] | None:
    """``{multiplexer, session, pane_id, socket}``."""
    return None if pane is None else asdict(pane)


def launch_shape(seen: Seen, *, orphan: bool) -> dict[str, Any]:
    """A launch as ``list`` and ``agent-status`` show it."""
    from tongs_agents.status import status_of  # here: a send's reply has no status

    record = seen.record
    status, since = status_of(record, seen)
    return {
        "launch_id": record.launch_id,
        "profile": record.labels.get("profile", ""),
        "harness": record.labels.get("harness", "other"),
        "state": seen.verdict.state,
        "status": status,
        "since": since,
        "pane": pane_shape(pane_of(seen)),
        "spawned_by": record.labels.get("spawned_by"),
        "orphan": orphan,
        "pid": None if record.claim is None else record.claim.process.pid,
        "cwd": record.cwd,
        "chat": None,
    }


def counts(launches: Iterable[dict[str, Any]]) -> dict[str, int]:
    """How many launches are in each status; by its state one whose status is not known."""
    found: dict[str, int] = {}
    for launch in launches:
        word = launch["status"] or launch["state"]
        found[word] = found.get(word, 0) + 1
    return dict(sorted(found.items()))


def evidence_shape(checks: Iterable[Check], at: float) -> list[dict[str, Any]]:
    """Checks of a look at time ``at``, as ``--why`` lists them."""
    return [{"check": check.name, "seen": check.seen, "at": at} for check in checks]


def spawned_shape(spawned: Spawned) -> dict[str, Any]:
    """The reply of a spawn, and of a respawn but for ``respawned_from``."""
    return {
        "ok": True,
        "launch_id": spawned.record.launch_id,
        "profile": spawned.record.labels.get("profile", ""),
        "state": spawned.state,
        "pane": pane_shape(spawned.record.pane),
        "prompt": spawned.prompt,
        "notices": list(spawned.notices),
    }


def receipt_shape(receipt: Receipt) -> dict[str, Any]:
    """The reply of a send."""
    return {
        "ok": True,
        "launch_id": receipt.launch_id,
        "bytes": receipt.bytes,
        "receipt": receipt.receipt,
        "way": receipt.way,
        "evidence": [asdict(fact) for fact in receipt.evidence],
    }


__all__ = [
    "counts",
    "evidence_shape",
    "launch_shape",
    "pane_of",
    "pane_shape",
    "receipt_shape",
    "spawned_shape",
]
