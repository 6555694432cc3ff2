"""LAUNCH: an id, an unambiguous prefix of one, or a chat handle."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tongs_mux.errors import LaunchNotFound, MuxError

if TYPE_CHECKING:
    from tongs_agents.outcomes import Failure
    from tongs_agents.services import Services
    from tongs_mux.evidence import Seen
    from tongs_mux.model import LaunchRecord


def resolve(services: Services, text: str) -> LaunchRecord:
    """The one launch that ``text`` means.

    Raises LaunchNotFound, never taking the active one instead, nor the only one
    of a profile; LaunchAmbiguous, which lists every match; ClaimError, PlaceRefused.
    """
    if text.startswith("@"):
        return services.store.read(_of_handle(services, text))
    try:
        return services.store.resolve(text)
    except LaunchNotFound as error:
        hint = _of_profile(services, text)
        if not hint:
            raise
        raise LaunchNotFound(f"{error.message}: that is a profile", hint=hint) from None


def _of_handle(services: Services, text: str) -> str:
    from tongs_agents.chat.shown import launch_of

    found = launch_of(services, text[1:])
    if found is None:
        raise LaunchNotFound(
            f"no launch has the chat handle {text}",
            hint="a handle comes with a chat grant; `tongs-agents list` shows the ids",
        )
    return found


def _of_profile(services: Services, name: str) -> str:
    """What to do where a launch is meant by its profile's name; empty where it is none."""
    records = [one for one in services.records()[0] if one.labels.get("profile") == name]
    states = [(one.record.launch_id, one.verdict.state) for one in services.control.list(records)]
    live = [
        launch_id if state == "running" else f"{launch_id} ({state})"
        for launch_id, state in states
        if state in ("running", "pending", "unknown")
    ]
    if live:
        return f"name one of its launches: {', '.join(live)}"
    if records or _is_profile(services, name):
        return f"it has no live launch: `tongs-agents spawn {name}` starts one"
    return ""


def _is_profile(services: Services, name: str) -> bool:
    """False too where the config can't be used: a launch is found without it."""
    from tongs_agents.errors import AgentsError

    try:
        return name in services.config.profiles
    except (AgentsError, MuxError):
        return False


def name_of(record: LaunchRecord) -> str:
    """A launch as lines for people name it: profile and id."""
    return f"{record.labels.get('profile', 'launch')} {record.launch_id}"


def ended(seen: Seen) -> Failure:
    """What a look at a launch that has ended is reported as (exit code 3), with each check."""
    # here: a launch that lives needs no table of failures
    from tongs_agents.errors import LaunchEnded
    from tongs_agents.outcomes import failure_of
    from tongs_agents.status import status_of

    record = seen.record
    status, _ = status_of(record, seen)
    why = f": {record.start_error}" if record.start_error else ""
    error = LaunchEnded(
        f"launch {record.launch_id} has ended{why}", state=seen.verdict.state, status=status
    )
    return replace(failure_of(error), checks=seen.verdict.checks)


__all__ = ["ended", "name_of", "resolve"]
