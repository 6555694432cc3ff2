"""Checks a call's arguments against its tool's input schema, and says what is wrong. Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from tongs_agents.errors import UsageError
from tongs_agents.mcp_server.tool import Schema

KEYWORDS = frozenset(
    (
        *("type", "enum", "default", "description"),
        *("minimum", "exclusiveMinimum", "maximum", "minLength", "maxLength"),
    )
)
"""What a property of an input schema may say; anything else would not be checked."""


def checked(tool: str, schema: Schema, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, with the default of each that was left out.

    Raises UsageError for one that the schema does not name, one that is
    missing, and one that is not what the schema says (the first of them).
    """
    properties: Mapping[str, Schema] = schema["properties"]
    takes = ", ".join(properties) or "none"
    for name in given:
        if name not in properties:
            raise UsageError(
                f"{tool} has no argument {name[:80]!r}", hint=f"its arguments: {takes}"
            )
    for name in schema.get("required", ()):
        if name not in given:
            raise UsageError(f"{tool} needs the argument {name!r}", hint=f"its arguments: {takes}")
    found = {name: each["default"] for name, each in properties.items() if "default" in each}
    for name, value in given.items():
        trouble = _trouble(properties[name], value)
        if trouble:
            raise UsageError(
                f"argument {name!r} of {tool} {trouble}", hint=f"see the schema of {tool}"
            )
        found[name] = int(value) if properties[name].get("type") == "integer" else value
    return found


def _trouble(schema: Schema, value: Any) -> str:
    """What is wrong with ``value``, empty where nothing is."""
    kind = schema.get("type")
    if kind is not None and not _KINDS[kind](value):
        return f"must be {_WORDS[kind]}"
    if "enum" in schema and value not in schema["enum"]:
        return f"must be one of: {', '.join(map(str, schema['enum']))}"
    for word, is_wrong in _BOUNDS.items():
        if word in schema and is_wrong(value, schema[word]):
            return f"must be {_PHRASES[word].format(schema[word])}"
    return ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


_KINDS: Mapping[str, Callable[[Any], bool]] = {
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: _is_number(value) and float(value).is_integer(),
    "number": _is_number,
    "string": lambda value: isinstance(value, str),
}
_WORDS = {
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "string": "a string",
}
_BOUNDS: Mapping[str, Callable[[Any, Any], bool]] = {
    "minimum": lambda value, bound: value < bound,
    "exclusiveMinimum": lambda value, bound: value <= bound,
    "maximum": lambda value, bound: value > bound,
    "minLength": lambda value, bound: len(value) < bound,
    "maxLength": lambda value, bound: len(value) > bound,
}
_PHRASES = {
    "minimum": "{} or more",
    "exclusiveMinimum": "more than {}",
    "maximum": "{} or less",
    "minLength": "at least {} characters long",
    "maxLength": "at most {} characters long",
}

__all__ = ["KEYWORDS", "checked"]
