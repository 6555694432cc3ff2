"""What a tool answers: the reply or the failure as one JSON, and the schema of both. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tongs_agents.mcp_server.tool import Schema, Tool
from tongs_agents.outcomes import Failure

_FAILED: Schema = {
    "type": "object",
    "properties": {
        "ok": {"const": False},
        "outcome": {"type": "string"},
        "exit_code": {"type": "integer"},
        "reason": {"type": "string"},
        "error": {"type": "string"},
        "hint": {"type": "string"},
    },
    "required": ["ok", "outcome", "exit_code", "reason", "error"],
}


def output_schema(tool: Tool) -> dict[str, Any]:
    """The schema of every reply of ``tool``: what it answers, or the failure's shape."""
    done = {
        **tool.output_schema,
        "properties": {"ok": {"const": True}, **tool.output_schema.get("properties", {})},
        "required": ["ok", *tool.output_schema.get("required", ())],
    }
    shapes = [_noticed(tool, done), _noticed(tool, _FAILED)]
    return {"type": "object", "required": ["ok"], "oneOf": shapes}


def _noticed(tool: Tool, schema: Schema) -> Schema:
    """``schema`` with the notice, which stands first (A32)."""
    if not tool.notice:
        return schema
    properties = {"notice": {"const": tool.notice}, **schema["properties"]}
    return {**schema, "properties": properties, "required": ["notice", *schema["required"]]}


def answer(tool: Tool, reply: Mapping[str, Any]) -> dict[str, Any]:
    """``reply`` as it is sent: the notice first, and nothing but plain JSON values in it."""
    said = {"notice": tool.notice} if tool.notice else {}
    return plain({**said, **{name: value for name, value in reply.items() if name != "notice"}})


def refused(tool: Tool, failure: Failure) -> dict[str, Any]:
    """The failure of a call as it is sent."""
    return answer(tool, failure.to_json())


def plain(value: Mapping[str, Any]) -> dict[str, Any]:
    """``value`` as JSON has it, with what no UTF-8 can carry made ``?``."""
    found: dict[str, Any] = json.loads(text_of(value))
    return found


def text_of(value: Mapping[str, Any]) -> str:
    """``value`` as one line of JSON in UTF-8."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "replace").decode("utf-8")


__all__ = ["answer", "output_schema", "plain", "refused", "text_of"]
