"""Anthropic Messages: the wire that Claude Code speaks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from validation.model.dialect import Frames
from validation.model.script import Reply, Request, Turn, pieces

_USAGE = {
    "input_tokens": 10,
    "output_tokens": 5,
    "cache_creation_input_tokens": 0,
    "cache_read_input_tokens": 0,
}


class Messages:
    """``POST /v1/messages``, streamed or plain."""

    name = "messages"
    path = "/messages"

    def read(self, body: Mapping[str, Any]) -> Request:
        """Roles are user, assistant and, with newer models, system in between."""
        turns = tuple(
            Turn(_role(message.get("role")), _text(message.get("content")))
            for message in body.get("messages", [])
        )
        return Request(turns, frozenset(tool["name"] for tool in body.get("tools") or []))

    def plain(self, number: int, body: Mapping[str, Any], reply: Reply) -> Mapping[str, Any]:
        """One message."""
        message = _message(number, body)
        block = {"type": "text", "text": reply.text}
        if reply.tool:
            block = _tool_use(number, reply, dict(reply.arguments))
        return {**message, "content": [block], "stop_reason": _stop(reply)}

    def stream(self, number: int, body: Mapping[str, Any], reply: Reply) -> Frames:
        """``message_start``, one content block in pieces, ``message_stop``."""
        yield 0.0, _event("message_start", message=_message(number, body))
        if reply.tool:
            yield 0.0, _start(_tool_use(number, reply, {}))
            yield 0.0, _delta(type="input_json_delta", partial_json=json.dumps(reply.arguments))
        else:
            yield 0.0, _start({"type": "text", "text": ""})
            for seconds, part in pieces(reply):
                yield seconds, _delta(type="text_delta", text=part)
        yield 0.0, _event("content_block_stop", index=0)
        ending = {"stop_reason": _stop(reply), "stop_sequence": None}
        yield 0.0, _event("message_delta", delta=ending, usage={"output_tokens": 5})
        yield 0.0, _event("message_stop")

    def failure(self, reply: Reply) -> Mapping[str, Any]:
        """The API's error envelope."""
        return {"type": "error", "error": {"type": "api_error", "message": reply.text}}


def _role(role: object) -> Any:
    return role if role in {"user", "assistant"} else "other"


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(block.get("text", "") for block in blocks if block.get("type") == "text")


def _message(number: int, body: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": f"msg_{number:06d}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model"),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _USAGE,
    }


def _tool_use(number: int, reply: Reply, arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "tool_use",
        "id": f"toolu_{number:06d}",
        "name": reply.tool,
        "input": arguments,
    }


def _stop(reply: Reply) -> str:
    return "tool_use" if reply.tool else "end_turn"


def _event(kind: str, **fields: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"


def _start(block: Mapping[str, Any]) -> str:
    return _event("content_block_start", index=0, content_block=block)


def _delta(**delta: Any) -> str:
    return _event("content_block_delta", index=0, delta=delta)


__all__ = ["Messages"]
