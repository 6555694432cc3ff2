"""The JSON shapes of launches and receipts, the same in every verb and every MCP reply."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from tongs_mux.evidence import Seen
from tongs_mux.model import PaneRef, Receipt

if TYPE_CHECKING:
    from tongs_agents.launches import Spawned
    from tongs_agents.sessions import Session
    from tongs_agents.waiting import Waited
    from tongs_agents.watching import Doing


def pane_of(seen: Seen) -> PaneRef | None:
    """Where the pane is: as recorded, in the session that it is in by now."""
    pane = seen.record.pane
    if pane is None or seen.pane is None or not seen.verdict.verified:
        return pane
    return replace(pane, session=seen.pane.session)


def pane_shape(pane: PaneRef | None) -> dict[str, Any] | None:
    """``{multiplexer, session, pane_id, socket}``; the socket is null on Zellij."""
    if pane is None:
        return None
    return asdict(pane if pane.multiplexer == "tmux" else replace(pane, socket=None))


def launch_shape(
    doing: Doing, *, orphan: bool, chat: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A launch as ``list`` and ``agent-status`` show it; ``chat`` is its grant, if it has one."""
    seen, record = doing.seen, doing.seen.record
    return {
        "launch_id": record.launch_id,
        "profile": record.labels.get("profile", ""),
        "harness": record.labels.get("harness", "other"),
        "state": seen.verdict.state,
        "status": doing.status.status,
        "since": doing.status.since,
        "pane": pane_shape(pane_of(seen)),
        "spawned_by": record.labels.get("spawned_by"),
        "orphan": orphan,
        "pid": None if record.claim is None else record.claim.process.pid,
        "cwd": record.cwd,
        "chat": None if chat is None else dict(chat),
    }


def session_shape(session: Session) -> dict[str, Any]:
    """A session as ``list`` and the ``fleet_*`` tools show it."""
    return {
        "session_id": session.session_id,
        "canonical_id": session.canonical_id,
        "harness": session.harness,
        "status": session.status,
        "detail": session.detail,
        "tool": session.tool,
        "cwd": session.cwd,
        "pid": None if session.process is None else session.process.pid,
        "since": session.since,
        "launch_id": session.launch_id,
    }


def counts(launches: Iterable[dict[str, Any]]) -> dict[str, int]:
    """How many launches are in each status; by its state one whose status is not known."""
    found: dict[str, int] = {}
    for launch in launches:
        word = launch["status"] or launch["state"]
        found[word] = found.get(word, 0) + 1
    return dict(sorted(found.items()))


def evidence_shape(doing: Doing, at: float) -> list[dict[str, Any]]:
    """The checks of a look at time ``at``, then what the status stands on: ``--why``."""
    checks = [
        {"check": check.name, "seen": check.seen, "at": at} for check in doing.seen.verdict.checks
    ]
    return [*checks, *(asdict(fact) for fact in doing.status.evidence)]


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


def waited_shape(waited: Waited) -> dict[str, Any]:
    """The reply of a wait, which one after a send adds to that."""
    return {
        "ok": True,
        "launch_id": waited.launch_id,
        "status": waited.status,
        "waited_s": round(waited.waited_s, 3),
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
    "session_shape",
    "spawned_shape",
    "waited_shape",
]
