"""What a prompt tells the scripted agent to do: ``[[…]]`` directives, read in order.

``[[text:X]]``             answer X
``[[slow:SECONDS:X]]``     be busy for SECONDS, then answer X
``[[tool:NAME {json}]]``   ask whether the tool may run; declined, the turn is over
``[[error:529]]``          the turn fails
``[[exit:N]]``             the program ends with status N

Several are successive steps of one turn. A prompt without any is answered with its
first 60 characters; a directive that can't be understood is answered by saying so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

_START = re.compile(r"\[\[([a-z]+):")
_TOOL = re.compile(r"\s*([^\s{\]]+)\s*")
_SECONDS = re.compile(r"\d+(\.\d+)?\Z")


@dataclass(frozen=True, slots=True)
class Say:
    """Answer ``text`` after ``seconds`` of being busy."""

    text: str
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class UseTool:
    """Ask for a tool and run it: an MCP server's own, or else in pretence."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    forced: bool = False
    """Called though no server lists it, as a harness does that never lists again."""


@dataclass(frozen=True, slots=True)
class Fail:
    """The turn ends as with an error of the model's server."""

    code: int


@dataclass(frozen=True, slots=True)
class Leave:
    """The program ends."""

    status: int


Step = Say | UseTool | Fail | Leave
"""One step of a turn."""

_Parse = Callable[[str, int], tuple[Step, int]]
"""From a directive's text and where its argument starts to its step and where it ends."""


def steps_of(prompt: str) -> tuple[Step, ...]:
    """The steps that ``prompt`` asks for; never none."""
    steps: list[Step] = []
    position = 0
    while (found := _START.search(prompt, position)) is not None:
        parse = _DIRECTIVES.get(found[1])
        position = found.end()
        if parse is None:
            continue
        try:
            step, position = parse(prompt, position)
        except ValueError as trouble:
            step = Say(f"bad directive {found[1]}: {trouble}")
        steps.append(step)
    return tuple(steps) or (Say(f"ok: {prompt[:60]}"),)


def _argument(prompt: str, start: int) -> tuple[str, int]:
    """What stands before the next ``]]``, and the place after it."""
    end = prompt.find("]]", start)
    if end < 0:
        raise ValueError("it is not closed with ]]")
    return prompt[start:end], end + 2


def _text(prompt: str, start: int) -> tuple[Step, int]:
    text, end = _argument(prompt, start)
    return Say(text), end


def _slow(prompt: str, start: int) -> tuple[Step, int]:
    argument, end = _argument(prompt, start)
    seconds, _, text = argument.partition(":")
    if not _SECONDS.match(seconds):
        raise ValueError("it begins with no number of seconds")
    return Say(text, float(seconds)), end


def _tool(prompt: str, start: int) -> tuple[Step, int]:
    found = _TOOL.match(prompt, start)
    if found is None:
        raise ValueError("it names no tool")
    name, position = found[1], found.end()
    arguments: dict[str, Any] = {}
    if prompt.startswith("{", position):
        arguments, position = json.JSONDecoder().raw_decode(prompt, position)
    rest, end = _argument(prompt, position)
    if rest.strip():
        raise ValueError("its arguments are not one JSON object")
    return UseTool(name, arguments), end


def _force(prompt: str, start: int) -> tuple[Step, int]:
    step, end = _tool(prompt, start)
    return replace(step, forced=True) if isinstance(step, UseTool) else step, end


def _number(prompt: str, start: int) -> tuple[int, int]:
    argument, end = _argument(prompt, start)
    if not re.fullmatch(r"[0-9]{1,3}", argument):
        raise ValueError("its argument is no number")
    return int(argument), end


def _error(prompt: str, start: int) -> tuple[Step, int]:
    code, end = _number(prompt, start)
    return Fail(code), end


def _exit(prompt: str, start: int) -> tuple[Step, int]:
    status, end = _number(prompt, start)
    return Leave(status & 0xFF), end


_DIRECTIVES: Mapping[str, _Parse] = {
    "error": _error,
    "exit": _exit,
    "force": _force,
    "slow": _slow,
    "text": _text,
    "tool": _tool,
}

__all__ = ["Fail", "Leave", "Say", "Step", "UseTool", "steps_of"]
