"""From a line of the client to the message in it, or to the error that answers it. Pure."""

from __future__ import annotations

import json
from typing import Any

from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError


def parsed(line: bytes) -> tuple[SessionMessage | None, SessionMessage | None]:
    """(message, None); or (None, an error in reply) where the line is none."""
    try:
        return SessionMessage(_fast(line)), None
    except ValidationError:
        pass
    try:
        # what the fast way refuses and JSON allows: half of a surrogate pair
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None, _error(None, PARSE_ERROR, "this line is no JSON")
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_python(value, by_name=False)), None
    except ValidationError:
        return None, _error(value, INVALID_REQUEST, "this is no JSON-RPC message")


def _fast(line: bytes) -> JSONRPCMessage:
    return jsonrpc_message_adapter.validate_json(line, by_name=False)


def _error(value: Any, code: int, words: str) -> SessionMessage:
    """The error, for the request's own id where it has one."""
    found = value.get("id") if isinstance(value, dict) else None
    known = found if isinstance(found, int | str) and not isinstance(found, bool) else None
    error = ErrorData(code=code, message=words)
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=known, error=error))


__all__ = ["parsed"]
