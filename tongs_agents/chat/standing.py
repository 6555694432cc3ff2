"""What the stored grants are worth now, by the panes of their launches (2.12, 2.13)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tongs_agents.shapes import pane_of, pane_shape
from tongs_chat.model import Grant, GrantState
from tongs_chat.validity import is_for, state_of
from tongs_mux.errors import ClaimError, LaunchNotFound
from tongs_mux.evidence import Seen
from tongs_mux.model import LaunchRecord

_OVER = ("exited", "replaced", "not-listed")
"""States in which a launch has surely lost its process or its pane; no answer is none of them."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A grant, its launch as it was found, and what it is worth."""

    grant: Grant
    seen: Seen | None
    """None where the launch has no record any more."""
    state: GrantState

    def to_json(self) -> dict[str, Any]:
        """As ``chat grants`` shows it (A39)."""
        return {
            "launch_id": self.grant.launch_id,
            "handle": self.grant.handle,
            "profile": self.grant.profile,
            "level": self.grant.level,
            "state": self.state,
            "granted_at": self.grant.granted_at,
            "pane": None if self.seen is None else pane_shape(pane_of(self.seen)),
        }

    def in_launch(self) -> dict[str, Any]:
        """As a launch shows it."""
        return {"handle": self.grant.handle, "level": self.grant.level, "state": self.state}


def is_over(grant: Grant, seen: Seen | None) -> bool:
    """True where the process that was granted has surely ended or lost its pane. Pure."""
    if seen is None or seen.record.claim is None:
        return True
    process = seen.record.claim.process
    if not is_for(grant, process.pid, process.start_token):
        return True
    return seen.verdict.state in _OVER


def standing(grant: Grant, seen: Seen | None) -> Standing:
    """What ``grant`` is worth. Pure."""
    return Standing(grant, seen, state_of(grant, current=not is_over(grant, seen)))


def standings(
    grants: Iterable[Grant],
    read: Callable[[str], LaunchRecord],
    look: Callable[[list[LaunchRecord]], tuple[Seen, ...]],
) -> tuple[Standing, ...]:
    """Every grant with its launch, looked at with one listing a multiplexer server."""
    found = tuple(grants)
    records: list[LaunchRecord] = []
    for grant in found:
        try:
            records.append(read(grant.launch_id))
        except (LaunchNotFound, ClaimError):
            continue  # removed, or damaged: nothing to verify against
    seen = {each.record.launch_id: each for each in look(records)}
    return tuple(standing(grant, seen.get(grant.launch_id)) for grant in found)


__all__ = ["Standing", "is_over", "standing", "standings"]
