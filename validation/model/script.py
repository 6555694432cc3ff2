"""The script that rides in a prompt: directives, and which of them is due. Pure.

``[[text:X]]`` answers X and ends the turn, ``[[slow:SECS:X]]`` the same over SECS
seconds, ``[[tool:NAME {json}]]`` calls a tool that the request offers, and
``[[error:529]]`` fails with that status. Several in one prompt are successive steps;
the newest user text that holds any rules, so side requests change nothing. In a tool's
JSON ``{"$repeat": ["x", 2000000]}`` stands for a text too long for a prompt, and
``{"$script": ["slow:9:X"]}`` for directives of whoever is given the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

_DIRECTIVE = re.compile(r"\[\[(text|slow|tool|error):(.*?)\]\](?!\])", re.DOTALL)
_TOOL = re.compile(r"\s*(\S+)\s*(\{.*\})?\s*\Z", re.DOTALL)
_REPEAT, _SCRIPT = "$repeat", "$script"


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation, whatever the wire calls it."""

    role: Literal["user", "assistant", "other"]
    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked: the turns so far, and the tools it is offered."""

    turns: tuple[Turn, ...]
    tools: frozenset[str]


@dataclass(frozen=True, slots=True)
class Reply:
    """What to answer. ``status`` other than 200 is a failure; ``tool`` empty is a text."""

    text: str = ""
    seconds: float = 0.0
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200


def plan(request: Request) -> Reply:
    """The reply that is due: a pure function of the request, so the server keeps nothing."""
    ruling = [i for i, turn in enumerate(request.turns) if _rules(turn)]
    if not ruling:
        asked = [turn.text.strip() for turn in request.turns if turn.role == "user"]
        return Reply(text="ok: " + next(filter(None, reversed(asked)), "")[-60:].replace("\n", " "))
    at = ruling[-1]
    steps = _DIRECTIVE.findall(request.turns[at].text)
    done = sum(turn.role == "assistant" for turn in request.turns[at + 1 :])
    if done >= len(steps):
        return Reply(text="(script end)")
    kind, argument = steps[done]
    return _step(kind, argument, request.tools)


def _rules(turn: Turn) -> bool:
    return turn.role == "user" and _DIRECTIVE.search(turn.text) is not None


def _step(kind: str, argument: str, offered: frozenset[str]) -> Reply:
    if kind == "text":
        return Reply(text=argument)
    if kind == "error":
        return Reply(status=int(argument), text="scripted error")
    if kind == "slow":
        seconds, _, text = argument.partition(":")
        return Reply(text=text, seconds=float(seconds))
    found = _TOOL.match(argument)
    if found is None:
        return Reply(text=f"NOT A TOOL CALL: {argument}")
    if found[1] not in offered:
        return Reply(text=f"NO SUCH TOOL: {found[1]}")
    return Reply(tool=found[1], arguments=_expanded(json.loads(found[2] or "{}")))


def _expanded(value: Any) -> Any:
    """``value`` with every ``$repeat`` and ``$script`` written out."""
    if isinstance(value, Mapping):
        if list(value) == [_REPEAT]:
            text, times = value[_REPEAT]
            return str(text) * int(times)
        if list(value) == [_SCRIPT]:
            return "".join(f"[[{step}]]" for step in value[_SCRIPT])
        return {key: _expanded(inner) for key, inner in value.items()}
    return [_expanded(inner) for inner in value] if isinstance(value, list) else value


def pieces(reply: Reply, per_second: float = 2.0) -> Sequence[tuple[float, str]]:
    """The reply's text in parts, each with the seconds to wait after it."""
    if not reply.seconds or not reply.text:
        return [(0.0, reply.text)]
    count = min(len(reply.text), max(1, int(reply.seconds * per_second)))
    size = -(-len(reply.text) // count)
    parts = [reply.text[i : i + size] for i in range(0, len(reply.text), size)]
    return [(reply.seconds / len(parts), part) for part in parts]


__all__ = ["Reply", "Request", "Turn", "pieces", "plan"]
