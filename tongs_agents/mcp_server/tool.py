"""What a tool is to the server: a name, its schemas, and blocking work that may be cancelled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Literal

Schema = Mapping[str, Any]
"""A JSON schema, of the words that ``arguments`` knows."""

Presence = Literal["listed", "hidden", "absent"]
"""``hidden``: not listed, though a call is answered by the tool itself, which says why not;
``absent``: as if it had never been."""


def _nothing(_handed_over: Callable[[bool], None]) -> None:
    """For a call that nobody replies to."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call, in a worker thread of its own."""

    arguments: Mapping[str, Any] = field(default_factory=dict)
    """Valid by the tool's input schema; what was left out and has a default holds it."""
    cancelled: Event = field(default_factory=Event)
    """Set once nobody waits for the reply any more: long work looks at it twice a second."""
    progress: Callable[[float, str], None] = lambda _seconds, _text: None
    """Tells a client that asked for it how many seconds have passed, and what is waited for."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    """The request's ``_meta``, as the client gave it: data, not to be believed."""
    after_reply: Callable[[Callable[[bool], None]], None] = _nothing
    """Takes a function that is called once, in a worker thread: True after the reply was written
    whole and flushed, False where it never will be."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. ``run`` blocks, and several calls of it run side by side.

    It returns the reply, whose first keys are the tool's own order and which
    has ``"ok": true``, or raises one of our errors, which the server turns
    into the failure's JSON.
    """

    name: str
    action: str
    """What the audit calls it."""
    description: str
    input_schema: Schema
    """An object with ``additionalProperties`` false."""
    output_schema: Schema
    """Of the reply where it succeeds, notice aside; ``replies`` adds the failure's shape."""
    run: Callable[[Call], Mapping[str, Any]]
    read_only: bool = False
    """True for a tool that acts on nothing: a hint for clients."""
    notice: str = ""
    """What every reply of this tool opens with, a failure too (3.5); empty for none."""


@dataclass(frozen=True, slots=True)
class Family:
    """Tools that come and go together."""

    tools: tuple[Tool, ...]
    presence: Callable[[], Presence] | None = None
    """Asked every two seconds, in a worker thread; None where they are always listed."""
    on_listed: Callable[[], None] | None = None
    """Called, in a worker thread, after a listing that names these tools was written whole."""


def nullable(schema: Schema) -> dict[str, Any]:
    """``schema``, or null: by branches, since not every client knows a list of types."""
    return {"anyOf": [schema, {"type": "null"}]}


def object_schema(
    properties: Mapping[str, Schema], *, required: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The schema of an object that has these properties and no other."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }


__all__ = ["Call", "Family", "Presence", "Schema", "Tool", "nullable", "object_schema"]
