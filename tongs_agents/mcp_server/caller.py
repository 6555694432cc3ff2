"""Who calls: the launch that this server belongs to, verified anew at every call (rule 1).

A launch id in the environment is a claim, no proof. The record must verify as for a
send, this process must be below the record's own, with nothing between them that could
speak for another (A87), and nobody may have handed it other places (A86).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tongs_agents.errors import Refused
from tongs_agents.mcp_server.actor import named_in
from tongs_agents.mcp_server.lineage import lineage, lineage_checks
from tongs_agents.paths import CONFIG, LAUNCH_ID, RUNTIME_DIR, STATE_DIR
from tongs_mux.errors import ClaimError, LaunchNotFound
from tongs_mux.model import Check, LaunchRecord

if TYPE_CHECKING:
    from tongs_agents.paths import Places
    from tongs_agents.services import Services

KNOWN_SECONDS = 10.0
"""How long a server that has just started asks again while nobody answers (A95)."""

_PLACES = {"config": CONFIG, "state_dir": STATE_DIR, "runtime_dir": RUNTIME_DIR}
_STEP = 0.5


@dataclass(frozen=True, slots=True)
class Caller:
    """A verified caller."""

    record: LaunchRecord

    @property
    def launch_id(self) -> str:
        """Its launch."""
        return self.record.launch_id


def caller_of(services: Services) -> Caller:
    """The caller that this process speaks for.

    Raises:
        Refused: ``no-identity``, with each check; ``unknown-place`` where another
            place was handed to this server than to its launch; ``unknown`` where
            the multiplexer gave no answer and nothing else speaks against it.
        PlaceRefused: the state dir is not private.
    """
    record = _record(services)
    checks = _own_checks(services, record)
    if all(check.passed for check in checks):
        seen = services.control.verify(record)
        checks = (*checks, *seen.verdict.checks)
        if seen.verdict.verified:
            return Caller(record)
        if seen.verdict.state == "unknown":
            raise _refused("unknown", record.launch_id, checks)
    misplaced = any(it.name == "places" and it.passed is False for it in checks)
    raise _refused("unknown-place" if misplaced else "no-identity", record.launch_id, checks)


def _record(services: Services) -> LaunchRecord:
    """The record that the environment names. Raises Refused, PlaceRefused."""
    named = named_in(services.environ)
    if named is None:
        raise Refused(
            "this server belongs to no launch: its environment names none",
            reason="no-identity",
            hint=_HINTS["no-identity"],
        )
    try:
        return services.store.read(named)
    except (LaunchNotFound, ClaimError) as error:
        check = Check("record", False, error.message)
        raise _refused("no-identity", named, (check,)) from error


def _own_checks(services: Services, record: LaunchRecord) -> tuple[Check, ...]:
    """What this process alone can tell, without asking the multiplexer."""
    claim, processes = record.claim, services.processes
    if claim is None:
        return (Check("claimed", False, "the launch is not claimed"),)
    found = lineage(processes, services.pid, claim.process.pid)
    initial = processes.environ(claim.process.pid)
    wrapper = record.labels.get("wrapper") == "yes"
    return (
        *lineage_checks(found, wrapper=wrapper),
        places_check(record, services.places, initial),
    )


def places_check(record: LaunchRecord, places: Places, initial: Mapping[str, str]) -> Check:
    """Whether ``places`` are the record's, and those that its process was started with. Pure.

    ``initial`` is empty where the system does not show it.
    """
    for name, variable in _PLACES.items():
        ours, recorded = str(getattr(places, name)), record.places.get(name)
        if ours != recorded:
            return Check("places", False, f"{name} is {ours} here, and {recorded} on record")
        if initial and initial.get(variable) != recorded:
            seen = initial.get(variable, "nothing")
            return Check("places", False, f"{name} is {recorded} on record, it was given {seen}")
    if initial and initial.get(LAUNCH_ID) != record.launch_id:
        return Check("places", False, "its process was started as another launch")
    return Check("places", True, "as its launch was given them")


_HINTS = {
    "no-identity": "only an agent that `tongs-agents spawn` started can call, by the server that "
    "its own harness started for it",
    "unknown-place": "remove the harness's setting that changes TONGS_AGENTS_* for its servers",
    "unknown": "the multiplexer gave no answer; try again",
}


def _refused(reason: str, launch_id: str, checks: tuple[Check, ...]) -> Refused:
    failed = "; ".join(f"{it.name}: {it.seen}" for it in checks if it.passed is not True)
    return Refused(
        f"the caller is not verified as launch {launch_id}: {failed}",
        reason=reason,
        checks=checks,
        hint=_HINTS[reason],
    )


def at_start(
    identify: Callable[[], Caller],
    *,
    monotonic: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> Caller:
    """The caller, asked again for ``KNOWN_SECONDS`` while nobody answers: only a no is final (A95).

    Raises what ``identify`` said last.
    """
    until = monotonic() + KNOWN_SECONDS
    while True:
        try:
            return identify()
        except Refused as error:
            if error.reason != "unknown" or monotonic() >= until:
                raise
        pause(_STEP)


__all__ = [
    "KNOWN_SECONDS",
    "Caller",
    "at_start",
    "caller_of",
    "places_check",
]
