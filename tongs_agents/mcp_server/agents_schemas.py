"""What the ``agents_*`` tools take and give, in words for models and in JSON schemas."""

from __future__ import annotations

from tongs_agents.mcp_server.tool import Schema, nullable, object_schema
from tongs_agents.status import WORDS
from tongs_agents.waiting import DEFAULT_SECONDS, MAX_SECONDS

_STRING: Schema = {"type": "string"}
_MAYBE: Schema = nullable(_STRING)
_STRINGS: Schema = {"type": "array", "items": _STRING}

PANE: Schema = nullable(
    {
        "type": "object",
        "properties": {
            "multiplexer": {"enum": ["tmux", "zellij"]},
            "session": _STRING,
            "pane_id": _STRING,
            "socket": _MAYBE,
        },
    }
)
"""Where a launch's pane is."""

FACTS: Schema = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"check": _STRING, "seen": _STRING, "at": {"type": "number"}},
    },
}
"""Evidence: what was checked, what was seen, when."""

_LAUNCH_ID: Schema = {
    "type": "string",
    "minLength": 1,
    "description": "The launch_id that agents_spawn returned.",
}


def _reply(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


SPAWN = """\
Start another coding agent in a new terminal pane of your own session, by the name of a \
profile that the user has configured and opened to you. Nothing else can be started, and \
not with other arguments. Returns its launch_id at once; give it work with agents_send. \
Where state is "pending" it has not started yet: ask agents_status in a moment."""

SPAWN_TAKES = object_schema(
    {"profile": {"type": "string", "minLength": 1, "description": "Name of the profile."}},
    required=("profile",),
)
SPAWN_GIVES = _reply(
    launch_id=_STRING,
    profile=_STRING,
    state={"enum": ["running", "pending"]},
    pane=PANE,
    prompt=_MAYBE,
    notices=_STRINGS,
)

SEND = """\
Give an agent that you started a prompt: the text is pasted into its pane and submitted. \
It is taken as its user's own words. Refused while a dialog is open there or somebody has \
typed a draft; a working agent queues it. Returns "submitted" where the agent said that it \
took the text, else "pasted"."""

SEND_TAKES = object_schema(
    {
        "launch_id": _LAUNCH_ID,
        "text": {
            "type": "string",
            "description": "The prompt, at most 32 KiB, without control characters.",
        },
    },
    required=("launch_id", "text"),
)
SEND_GIVES = _reply(
    launch_id=_STRING,
    bytes={"type": "integer"},
    receipt={"enum": ["submitted", "pasted"]},
    way={"enum": ["paste", "channel"]},
    evidence=FACTS,
)

STATUS = """\
What an agent that you started is doing: state says whether its pane is verified, status \
what it is busy with (working, done, waiting for its user, error, ended)."""

STATUS_TAKES = object_schema({"launch_id": _LAUNCH_ID}, required=("launch_id",))
STATUS_GIVES = _reply(
    launch_id=_STRING,
    profile=_STRING,
    harness=_STRING,
    state=_STRING,
    status={"enum": [*WORDS, "discovered", None]},
    since=nullable({"type": "number", "description": "seconds since the epoch"}),
    pane=PANE,
    spawned_by=_MAYBE,
    orphan={"type": "boolean"},
    pid=nullable({"type": "integer"}),
    cwd=_STRING,
    chat=nullable({"type": "object"}),
)

WAIT = """\
Wait until an agent that you started is done with what you last sent it, or is doing what \
`until` names. Fails with timed_out where that takes longer: then simply wait again. Where \
it fails with "exited" the agent has ended."""

WAIT_TAKES = object_schema(
    {
        "launch_id": _LAUNCH_ID,
        "until": {
            "type": "string",
            "enum": list(WORDS),
            "default": "done",
            "description": "What to wait for.",
        },
        "timeout_s": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": int(MAX_SECONDS),
            "default": int(DEFAULT_SECONDS),
            "description": "Seconds that it may take.",
        },
    },
    required=("launch_id",),
)
WAIT_GIVES = _reply(launch_id=_STRING, status={"enum": list(WORDS)}, waited_s={"type": "number"})

__all__ = [
    "FACTS",
    "PANE",
    "SEND",
    "SEND_GIVES",
    "SEND_TAKES",
    "SPAWN",
    "SPAWN_GIVES",
    "SPAWN_TAKES",
    "STATUS",
    "STATUS_GIVES",
    "STATUS_TAKES",
    "WAIT",
    "WAIT_GIVES",
    "WAIT_TAKES",
]
