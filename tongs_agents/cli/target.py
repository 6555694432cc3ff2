"""LAUNCH: an id, an unambiguous prefix of one, or a chat handle."""

from __future__ import annotations

from dataclasses import replace

from tongs_agents.cli.reply import Failed
from tongs_agents.errors import LaunchEnded
from tongs_agents.outcomes import failure_of
from tongs_agents.services import Services
from tongs_agents.shapes import evidence_shape
from tongs_agents.status import status_of
from tongs_mux.errors import LaunchNotFound
from tongs_mux.evidence import Seen
from tongs_mux.model import LaunchRecord


def resolve(services: Services, text: str) -> LaunchRecord:
    """The one launch that ``text`` means.

    Raises LaunchNotFound, never taking the active one instead; LaunchAmbiguous,
    which lists every match; ClaimError, PlaceRefused.
    """
    if text.startswith("@"):
        raise LaunchNotFound(
            f"no launch has the chat handle {text}",
            hint="a handle comes with a chat grant; `tongs-agents list` shows the ids",
        )
    return services.store.resolve(text)


def name_of(record: LaunchRecord) -> str:
    """A launch as lines for people name it: profile and id."""
    return f"{record.labels.get('profile', 'launch')} {record.launch_id}"


def ended(seen: Seen, at: float) -> Failed:
    """The failure of a look at a launch that has ended (exit code 3), with what was seen."""
    record, checks = seen.record, seen.verdict.checks
    status, _ = status_of(record, seen)
    why = f": {record.start_error}" if record.start_error else ""
    error = LaunchEnded(
        f"launch {record.launch_id} has ended{why}", state=seen.verdict.state, status=status
    )
    found = failure_of(error)
    extra = {**found.extra, "evidence": evidence_shape(checks, at)}
    return Failed(replace(found, checks=checks, extra=extra))


__all__ = ["ended", "name_of", "resolve"]
