"""The ``fleet_*`` tools that look: what every session is doing, launched here or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tongs_agents.mcp_server import fleet_acts
from tongs_agents.mcp_server.actor import actor_of, audited
from tongs_agents.mcp_server.placed import in_its_places
from tongs_agents.mcp_server.tool import Call, Family, Schema, Tool, nullable, object_schema
from tongs_agents.services import Services, judge
from tongs_agents.shapes import session_shape
from tongs_mux.model import LaunchRecord

IDLE_SECONDS = 120.0
"""A session that has been done for longer needs attention (7.2)."""

SESSION: Schema = {
    "type": "object",
    "properties": {
        "session_id": {"type": "string"},
        "canonical_id": {"type": "string"},
        "harness": {"type": "string"},
        "status": {
            "enum": ["started", "working", "done", "waiting", "error", "ended", "discovered"]
        },
        "detail": {"type": "string"},
        "tool": {"type": "string"},
        "cwd": {"type": "string"},
        "pid": nullable({"type": "integer"}),
        "since": {"type": "number", "description": "seconds since the epoch"},
        "launch_id": nullable({"type": "string"}),
    },
    "required": [
        *("session_id", "canonical_id", "harness", "status", "detail"),
        *("tool", "cwd", "pid", "since", "launch_id"),
    ],
}
"""One session, as ``list`` shows it too."""

_COUNT: Schema = {"type": "integer"}
_SESSIONS: Schema = {"type": "array", "items": SESSION}
_NOTHING = object_schema({})
_ONE = object_schema(
    {
        "session": {
            "type": "string",
            "minLength": 1,
            "description": "A session's id, native or canonical, or the beginning of one.",
        }
    },
    required=("session",),
)
_Work = Callable[[Services, Call], Mapping[str, Any]]


def family(services: Services) -> Family:
    """The five tools; they are always listed (7.1)."""
    return Family((*(_tool(services, *row) for row in _LOOKS), *fleet_acts.tools(services, _ONE)))


def needs_attention(session: Mapping[str, Any], now: float) -> bool:
    """True for one that waits for its user, or has been idle for over two minutes. Pure."""
    status: str = session["status"]
    since: float = session["since"]
    return status == "waiting" or (status == "done" and now - since > IDLE_SECONDS)


def _tool(
    services: Services,
    name: str,
    description: str,
    takes: Schema,
    gives: Mapping[str, Schema],
    work: _Work,
) -> Tool:
    action = name.replace("_", "-")

    def run(call: Call) -> Mapping[str, Any]:
        with audited(services.auditing(), judge, action, actor_of(services.environ)):
            in_its_places(services)
            return work(services, call)

    schema: Schema = {"type": "object", "properties": dict(gives), "required": list(gives)}
    return Tool(name, action, description, takes, schema, run, read_only=True)


def _by_id(records: Iterable[LaunchRecord]) -> dict[str, LaunchRecord]:
    return {record.launch_id: record for record in records}


def _sessions(services: Services) -> list[dict[str, Any]]:
    records, _ = services.records()
    return [session_shape(one) for one in services.fleet.all(_by_id(records))]


def _status(services: Services, _: Call) -> dict[str, Any]:
    sessions = _sessions(services)
    counted = Counter(one["status"] for one in sessions)
    return {"ok": True, "sessions": sessions, "counts": dict(sorted(counted.items()))}


def _session(services: Services, call: Call) -> dict[str, Any]:
    records, _ = services.records()
    found = services.fleet.one(call.arguments["session"], _by_id(records))
    return {"ok": True, "session": session_shape(found)}


def _attention(services: Services, _: Call) -> dict[str, Any]:
    now = services.clock()
    return {
        "ok": True,
        "sessions": [one for one in _sessions(services) if needs_attention(one, now)],
    }


_LOOKS: tuple[tuple[str, str, Schema, Mapping[str, Schema], _Work], ...] = (
    (
        "fleet_status",
        "List every agent session, launched here or not, and what it is doing; count by status.",
        _NOTHING,
        {"sessions": _SESSIONS, "counts": {"type": "object", "additionalProperties": _COUNT}},
        _status,
    ),
    (
        "fleet_session",
        "Look at one session, by its id or the beginning of one.",
        _ONE,
        {"session": SESSION},
        _session,
    ),
    (
        "fleet_sessions_needing_attention",
        "List the sessions that wait for their user, or have been idle for over two minutes.",
        _NOTHING,
        {"sessions": _SESSIONS},
        _attention,
    ),
)

__all__ = ["IDLE_SECONDS", "SESSION", "family", "needs_attention"]
