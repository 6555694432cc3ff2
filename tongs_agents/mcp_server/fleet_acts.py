"""The ``fleet_*`` tools that act: bring a session to the front, remove records of ended ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from tongs_agents.errors import AgentsError, Failed, Refused, UsageError
from tongs_agents.mcp_server.actor import actor_of, audited
from tongs_agents.mcp_server.placed import in_its_places
from tongs_agents.mcp_server.tool import Call, Schema, Tool, nullable, object_schema
from tongs_agents.outcomes import failure_of
from tongs_agents.services import Services, judge
from tongs_agents.sessions import Session
from tongs_agents.shapes import pane_of
from tongs_agents.viewing import attach_command
from tongs_mux.acts import refusals
from tongs_mux.errors import (
    BackendUnavailable,
    LaunchAmbiguous,
    MuxError,
    UnsupportedOperation,
    VerificationFailed,
)
from tongs_mux.model import LaunchRecord

State = Literal["complete", "partial", "failed", "unavailable", "ambiguous", "not-found"]
"""How a focus came out (7.11)."""

_DONE = ("attempted", "succeeded", "detail")
_STEP: Schema = {
    "type": "object",
    "properties": {
        "attempted": {"type": "boolean"},
        "succeeded": {"type": "boolean"},
        "detail": {"type": "string"},
    },
    "required": list(_DONE),
}
_FOCUSED: Mapping[str, Schema] = {
    "state": {"enum": ["complete", "partial"]},
    "reason": {"type": "null"},
    "backend": {"enum": ["tmux", "zellij"]},
    "pid": nullable({"type": "integer"}),
    "target_found": {"const": True},
    "selection": _STEP,
    "activation": _STEP,
    "successful": {"type": "boolean"},
    "complete": {"type": "boolean"},
}
_REMOVED: Mapping[str, Schema] = {"removed": {"type": "array", "items": {"type": "string"}}}


def tools(services: Services, takes: Schema) -> tuple[Tool, ...]:
    """``fleet_focus``, which takes a session, and ``fleet_cleanup``."""
    focus = Tool(
        "fleet_focus",
        "focus",
        "Bring the pane of one session to the front, for the person at the terminal. Only"
        " sessions that were launched here can be. `state` is `complete`, or `partial` where"
        " nobody is attached to see it.",
        takes,
        _shape(_FOCUSED),
        lambda call: _focus(services, call),
    )
    cleanup = Tool(
        "fleet_cleanup",
        "fleet-cleanup",
        "Remove the records of sessions and launches that have ended. It ends no program.",
        object_schema({}),
        _shape(_REMOVED),
        lambda _: _cleanup(services),
    )
    return (focus, cleanup)


def _shape(properties: Mapping[str, Schema]) -> Schema:
    return {"type": "object", "properties": dict(properties), "required": list(properties)}


def _cleanup(services: Services) -> dict[str, Any]:
    from tongs_agents.cleanup import clean, leftovers  # here: rarely called

    by = actor_of(services.environ)
    with audited(services.auditing(), judge, "fleet-cleanup", by):
        in_its_places(services)
        records, _ = services.records()
        return {"ok": True, "removed": clean(services, leftovers(services, records), by).removed}


def _focus(services: Services, call: Call) -> dict[str, Any]:
    by = actor_of(services.environ)
    with refusals(services.auditing(), judge, "focus", by):
        in_its_places(services)
        session = _found(services, call.arguments["session"])
        record = _launched(services, session)
    try:
        client = services.acting().focus(record, by)
    except (MuxError, AgentsError) as error:
        raise _failed(error, _state_of(error), record) from error
    state: State = "complete" if client else "partial"
    return {"ok": True, **_report(record, state, _seen_by(services, record, client))}


def _found(services: Services, text: str) -> Session:
    try:
        return services.watch.sessions.find(text)
    except LaunchAmbiguous as error:
        raise _failed(error, "ambiguous", None) from error
    except UsageError as error:
        raise _failed(error, "not-found", None) from error


def _launched(services: Services, session: Session) -> LaunchRecord:
    """The launch that the session is of. Raises Failed where there is none to verify."""
    known = {record.launch_id: record for record in services.store.all()}
    record = known.get(session.launch_id or "")
    if record is None:
        refused = Refused(
            f"session {session.session_id} was not launched here, so its pane can't be verified",
            reason="not-claimed",
            hint="only sessions with a launch_id can be brought to the front",
        )
        raise _failed(refused, "unavailable", None)
    return record


def _state_of(error: MuxError | AgentsError) -> State:
    if isinstance(error, VerificationFailed):
        return "failed" if error.verdict.state in ("unknown", "running") else "unavailable"
    absent = isinstance(error, BackendUnavailable | UnsupportedOperation)
    return "unavailable" if absent else "failed"


def _failed(error: MuxError | AgentsError, state: State, record: LaunchRecord | None) -> Failed:
    """The failure that the same error is on the command line, with what 7.11 adds to it."""
    failure = failure_of(error)
    more = _report(record, state, "")
    return Failed(replace(failure, extra={**failure.extra, **more}))


def _seen_by(services: Services, record: LaunchRecord, client: str) -> str:
    """Who shows the pane now, or how to get to see it."""
    if client:
        return f"shown by {client}"
    pane = pane_of(services.control.verify(record))
    how = f"; see it with `{attach_command(pane)}`" if pane is not None else ""
    return f"no client is attached: it is in front for the next one{how}"


def _report(record: LaunchRecord | None, state: State, shown: str) -> dict[str, Any]:
    """The fields of 7.11. Pure."""
    successful = state in ("complete", "partial")
    selected = {"attempted": successful or state == "failed", "succeeded": successful}
    activated = {"attempted": state == "complete", "succeeded": state == "complete"}
    return {
        "state": state,
        "reason": None,
        "backend": record.pane.multiplexer if record is not None and record.pane else None,
        "pid": record.claim.process.pid if record is not None and record.claim else None,
        "target_found": record is not None,
        "selection": {**selected, "detail": ""},
        "activation": {**activated, "detail": shown},
        "successful": successful,
        "complete": state == "complete",
    }


__all__ = ["State", "tools"]
