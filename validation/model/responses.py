"""OpenAI Responses: the wire that Codex speaks."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

from validation.model.dialect import Frames
from validation.model.script import Reply, Request, Turn, pieces

_JOINER = "__"
"""Between a namespace and the tool in it: so the tool of an MCP server has its usual name."""

_CALLS = frozenset(("function_call", "custom_tool_call", "tool_search_call", "local_shell_call"))
_USAGE = {
    "input_tokens": 10,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 5,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 15,
}


class Responses:
    """``POST /v1/responses``, streamed or plain."""

    name = "responses"
    path = "/responses"

    def read(self, body: Mapping[str, Any]) -> Request:
        """A call of a tool is a turn of the assistant's, as a message of its is."""
        turns = tuple(map(_turn, _input(body)))
        return Request(turns, frozenset(name for name, _, _ in _tools(body)))

    def plain(self, number: int, body: Mapping[str, Any], reply: Reply) -> Mapping[str, Any]:
        """One finished response."""
        return _response(number, body, [_item(number, body, reply)])

    def stream(self, number: int, body: Mapping[str, Any], reply: Reply) -> Frames:
        """``response.created``, one item in pieces, ``response.completed``."""
        item = _item(number, body, reply)
        count = itertools.count()

        def event(kind: str, **fields: Any) -> str:
            fields |= {"type": kind, "sequence_number": next(count)}
            return f"event: {kind}\ndata: {json.dumps(fields)}\n\n"

        yield 0.0, event("response.created", response=_response(number, body, []))
        begun = {**item, "status": "in_progress", **({} if reply.tool else {"content": []})}
        yield 0.0, event("response.output_item.added", output_index=0, item=begun)
        if not reply.tool:
            place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
            empty = {"type": "output_text", "text": "", "annotations": []}
            yield 0.0, event("response.content_part.added", **place, part=empty)
            for seconds, part in pieces(reply):
                yield seconds, event("response.output_text.delta", **place, delta=part)
            yield 0.0, event("response.output_text.done", **place, text=reply.text)
        yield 0.0, event("response.output_item.done", output_index=0, item=item)
        yield 0.0, event("response.completed", response=_response(number, body, [item]))

    def failure(self, reply: Reply) -> Mapping[str, Any]:
        """The API's error envelope."""
        return {"error": {"type": "server_error", "code": None, "message": reply.text}}


def _input(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    items = body.get("input") or []
    return [{"role": "user", "content": items}] if isinstance(items, str) else items


def _turn(item: Mapping[str, Any]) -> Turn:
    if item.get("type") in _CALLS:
        return Turn("assistant", "")
    if item.get("type") == "agent_message":  # how a subagent is given its task
        return Turn("user", _text(item.get("content")))
    if item.get("type", "message") != "message":
        return Turn("other", "")
    role = item.get("role")
    known: Any = role if role in {"user", "assistant"} else "other"
    return Turn(known, _text(item.get("content")))


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part.get("text") or part.get("encrypted_content", "") for part in parts)


def _tools(body: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """(name in a script, namespace, tool) of each; some come within the input."""
    offered = list(body.get("tools") or [])
    for item in _input(body):
        if item.get("type") == "additional_tools":
            offered += item.get("tools") or []
    for tool in offered:
        if tool.get("type") != "namespace":
            yield tool.get("name") or tool["type"], "", tool
            continue
        for inner in tool.get("tools", []):
            yield f"{tool['name']}{_JOINER}{inner['name']}", tool["name"], inner


def _response(number: int, body: Mapping[str, Any], items: list[Any]) -> dict[str, Any]:
    return {
        "id": f"resp_{number:06d}",
        "object": "response",
        "created_at": 0,
        "model": body.get("model"),
        "status": "completed" if items else "in_progress",
        "output": items,
        "usage": _USAGE if items else None,
    }


def _item(number: int, body: Mapping[str, Any], reply: Reply) -> dict[str, Any]:
    """The message or the call that the answer consists of."""
    if not reply.tool:
        content = [{"type": "output_text", "text": reply.text, "annotations": []}]
        done = {"id": f"msg_{number:06d}", "status": "completed", "role": "assistant"}
        return {"type": "message", **done, "content": content}
    space, tool = next((s, tool) for name, s, tool in _tools(body) if name == reply.tool)
    call = {"name": tool["name"], "call_id": f"call_{number:06d}", "status": "completed"}
    call |= {"namespace": space} if space else {}
    if tool.get("type") == "custom":
        text = str(reply.arguments.get("input", ""))
        return {"type": "custom_tool_call", "id": f"ctc_{number:06d}", **call, "input": text}
    arguments = json.dumps(reply.arguments)
    return {"type": "function_call", "id": f"fc_{number:06d}", **call, "arguments": arguments}


__all__ = ["Responses"]
