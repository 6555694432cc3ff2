"""Gathers the evidence that the verdict judges: one multiplexer call, then ``/proc``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from tongs_mux.backend import Backend
from tongs_mux.errors import BackendError, VerificationFailed
from tongs_mux.ids import zellij_pane
from tongs_mux.model import (
    Evidence,
    LaunchRecord,
    Listing,
    PaneFacts,
    PaneRef,
    ProcessIdentity,
    Screen,
    Verdict,
)
from tongs_mux.process import Processes, ancestors
from tongs_mux.verify import verdict

Backends = Callable[[PaneRef], Backend]
"""The backend that speaks to the server of a pane."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A launch as it was found: its verdict, and pane and screen where they were read."""

    record: LaunchRecord
    verdict: Verdict
    pane: PaneFacts | None = None
    screen: Screen | None = None


class Witness:
    """Looks at launches. Reads only; every look ends within the backend's deadline."""

    def __init__(
        self, backends: Backends, processes: Processes, clock: Callable[[], float]
    ) -> None:
        self._backends = backends
        self._processes = processes
        self._clock = clock

    def look(self, record: LaunchRecord) -> Seen:
        """Verify one launch and read its screen, in one act of the multiplexer."""
        if record.claim is None or record.pane is None:
            return Seen(record, verdict(record, self._nothing("not asked")))
        try:
            look = self._backends(record.pane).look(record.pane.pane_id)
        except BackendError as error:
            return Seen(record, verdict(record, self._nothing(error.message)))
        if look is None:
            return Seen(record, verdict(record, self._evidence(record, None, None)))
        judged = verdict(record, self._evidence(record, look.server, look.pane))
        return Seen(record, judged, look.pane, look.screen)

    def look_all(self, records: Iterable[LaunchRecord]) -> tuple[Seen, ...]:
        """Verify many launches: one listing for each multiplexer server (P6)."""
        listings: dict[tuple[str, str | None, str], Listing | BackendError | None] = {}
        found = []
        for record in records:
            if record.claim is None or record.pane is None:
                found.append(Seen(record, verdict(record, self._nothing("not asked"))))
                continue
            key = _server_key(record.pane)
            if key not in listings:
                listings[key] = self._listing(record.pane)
            found.append(self._from_listing(record, listings[key]))
        return tuple(found)

    def gone(self, record: LaunchRecord) -> bool:
        """True where it is certain that the launch's pane is not there, claimed or not."""
        listing = None if record.pane is None else self._listing(record.pane)
        if record.pane is None or isinstance(listing, BackendError):
            return False
        return listing is None or record.pane.pane_id not in listing.panes

    def _listing(self, pane: PaneRef) -> Listing | BackendError | None:
        try:
            return self._backends(pane).listing()
        except BackendError as error:
            return error

    def _from_listing(self, record: LaunchRecord, listing: Listing | BackendError | None) -> Seen:
        if isinstance(listing, BackendError):
            return Seen(record, verdict(record, self._nothing(listing.message)))
        if listing is None or record.pane is None:
            return Seen(record, verdict(record, self._evidence(record, None, None)))
        pane = listing.panes.get(record.pane.pane_id)
        judged = verdict(record, self._evidence(record, listing.server, pane))
        return Seen(record, judged, pane)

    def _nothing(self, trouble: str) -> Evidence:
        return Evidence(False, trouble, None, None, None, (), self._clock())

    def _evidence(
        self, record: LaunchRecord, server: ProcessIdentity | None, pane: PaneFacts | None
    ) -> Evidence:
        claim = record.claim
        process = self._processes.facts(claim.process.pid) if claim is not None else None
        own = pane is not None and process is not None and pane.pid == process.pid
        # the pane's own process needs no walk up the tree: most launches are that
        chain = () if process is None or own else ancestors(self._processes, process.pid)
        said = ""
        if pane is not None and pane.pid is None and process is not None:
            said = zellij_pane(self._processes.environ(process.pid))
        return Evidence(True, "", server, pane, process, chain, self._clock(), said)


def _server_key(pane: PaneRef) -> tuple[str, str | None, str]:
    session = pane.session if pane.multiplexer == "zellij" else ""
    return (pane.multiplexer, pane.socket, session)


def refusal(seen: Seen, *, changed: bool = False, hint: str = "") -> VerificationFailed:
    """The error for a launch that is not ``running``, or no longer what it was just now.

    An end is said in words alone; its checks are the verdict's. ``hint`` takes
    the place of the state's own.
    """
    verdict, record = seen.verdict, seen.record
    failed = [check for check in verdict.checks if check.passed is not True]
    why = "; ".join(f"{check.name}: {check.seen}" for check in failed[:3])
    if changed and verdict.verified:
        why = "the pane changed at the moment of the act"
        verdict = replace(verdict, state="unknown", reason="unknown")
    words = f"is {verdict.state}: {why}"
    if verdict.state == "exited":
        words = "has ended" + (f": {record.start_error}" if record.start_error else "")
    return VerificationFailed(
        f"launch {record.launch_id} {words}",
        verdict=verdict,
        hint=hint or _HINTS.get(verdict.state, ""),
    )


_HINTS = {
    "pending": "wait for its claim, or see `tongs-agents agent-status --why`",
    "exited": "start it again with `tongs-agents respawn`",
    "replaced": "something else runs in its pane now; start a new launch",
    "not-listed": "its pane is gone; `tongs-agents gc` removes the record once it has ended",
    "unknown": "nothing was concluded; try again when the multiplexer answers",
}


__all__ = ["Backends", "Seen", "Witness", "refusal"]
