"""One turn as a generator: it asks for what it needs, and is sent the answers.

It has no clock, no screen and no processes; closing it is the interrupt.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tongs_agents.scripted_agent import script
from tongs_agents.scripted_agent.hooks import HookCall, Outcome
from tongs_agents.scripted_agent.known import Known
from tongs_agents.scripted_agent.mcp_client import ToolReply
from tongs_agents.scripted_agent.mcp_config import split

STOP_BLOCKS = 8
"""So often may Stop hooks keep one turn going."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Be busy for a while."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Ask:
    """Open the permission dialog; the answer is True where the tool may run."""

    tool: str
    arguments: Mapping[str, Any]
    call: HookCall
    """What is told as the dialog opens; nobody waits for it."""


@dataclass(frozen=True, slots=True)
class Offered:
    """Whether an MCP server lists this tool now; the answer is a bool."""

    tool: str


@dataclass(frozen=True, slots=True)
class CallTool:
    """Call a tool of an MCP server; the answer is a ToolReply."""

    tool: str
    arguments: Mapping[str, Any]
    use_id: str


@dataclass(frozen=True, slots=True)
class Show:
    """A line of the transcript, behind its mark."""

    mark: str
    text: str


@dataclass(frozen=True, slots=True)
class Record:
    """A fact for the journal."""

    event: str
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Quit:
    """End the program."""

    status: int


Request = HookCall | Wait | Ask | Offered | CallTool | Show | Record | Quit
"""What a turn asks for. The answer is an Outcome to a HookCall, a bool to Ask and Offered, a
ToolReply to CallTool, else None."""

Answer = Outcome | ToolReply | bool | None
"""What a turn is sent."""

Ending = Literal["stop", "failed", "declined", "blocked", ""]
"""How a turn ended by itself; empty for what is no turn."""

Turn = Generator[Request, Answer, Ending]
"""A turn in progress."""

_Played = Generator[Request, Answer, Ending | None]


def opened(source: str) -> Turn:
    """The start of the session, which is no turn."""
    yield HookCall("SessionStart", source, {"source": source})
    return ""


def prompted(prompt: str, known: Known) -> Turn:
    """The turn of one prompt; ``known`` is what the session knows so far."""
    outcome = yield HookCall("UserPromptSubmit", "", {"prompt": prompt})
    if isinstance(outcome, Outcome) and outcome.block is not None:
        yield Show("⎿", f"prompt blocked by a hook: {outcome.block}")
        return "blocked"
    return (yield from _until_stopped(script.steps_of(prompt), known))


def sudden(tool: str, known: Known) -> Turn:
    """A turn that nobody prompted: it opens with a permission dialog."""
    step = script.UseTool(tool, {"why": "a paste arrived"})
    declined = yield from _approved(step, _tool_fields(step, known), known)
    return declined or (yield from _until_stopped((), known))


def _until_stopped(steps: tuple[script.Step, ...], known: Known) -> Turn:
    """Plays ``steps``, then what Stop hooks hand over, until none objects."""
    for blocks in range(STOP_BLOCKS + 1):
        last = ""
        for step in steps:
            last = step.text if isinstance(step, script.Say) else last
            ending = yield from _PLAY[type(step)](step, known)
            if ending is not None:
                return ending
        fields = {"stop_hook_active": blocks > 0, "last_assistant_message": last}
        outcome = yield HookCall("Stop", "", fields)
        if not isinstance(outcome, Outcome) or outcome.block is None:
            return "stop"
        yield Show("⎿", f"Stop hook says: {outcome.block}")
        steps = script.steps_of(outcome.block)
    yield Show("⎿", f"Stop hooks kept the turn going {STOP_BLOCKS} times: overridden")
    return "stop"


def _say(step: script.Say, _known: Known) -> _Played:
    if step.seconds > 0:
        yield Wait(step.seconds)
    yield Record("answer", {"text": step.text})
    yield Show("●", step.text)
    return None


def _use_tool(step: script.UseTool, known: Known) -> _Played:
    if split(step.name) is not None and not step.forced:
        offered = yield Offered(step.name)
        if offered is not True:
            yield Record("no-such-tool", {"tool": step.name})
            yield Show("●", f"NO SUCH TOOL {step.name}")
            return None
    step = replace(step, arguments=known.filled(step.arguments))
    fields = _tool_fields(step, known)
    outcome = yield HookCall("PreToolUse", step.name, fields)
    if isinstance(outcome, Outcome) and outcome.block is not None:
        yield Record("tool-blocked", {"tool": step.name})
        yield Show("●", f"{step.name} blocked by a hook: {outcome.block}")
        return None
    return (yield from _approved(step, fields, known))


def _approved(step: script.UseTool, fields: Mapping[str, Any], known: Known) -> _Played:
    """Asks, and runs the tool where the answer is yes."""
    call = HookCall("PermissionRequest", step.name, fields)
    approved = yield Ask(step.name, step.arguments, call)
    if approved is not True:
        yield Record("declined", {"tool": step.name})
        yield Show("●", f"{step.name} declined")
        yield Show("⎿", "Interrupted")
        return "declined"
    yield Record("approved", {"tool": step.name})
    yield Show("●", f"{step.name} approved")
    yield Record("tool", {"tool": step.name, "input": dict(step.arguments)})
    response: Mapping[str, Any] = {"pretended": True}
    if split(step.name) is not None:
        response = yield from _called(step, fields["tool_use_id"], known)
    done = {**fields, "tool_response": response, "duration_ms": 0}
    yield HookCall("PostToolUse", step.name, done)
    return None


def _called(
    step: script.UseTool, use_id: str, known: Known
) -> Generator[Request, Answer, Mapping[str, Any]]:
    """The reply of an MCP server's tool, whose fields are known from here on."""
    reply = yield CallTool(step.name, step.arguments, use_id)
    if not isinstance(reply, ToolReply):
        raise TypeError(f"a tool was answered with {reply!r}")
    known.learn(reply.content)
    fields = {"known": reply.known, "failed": reply.failed, "content": dict(reply.content)}
    yield Record("tool-result", {"tool": step.name, **fields})
    yield Show("⎿", json.dumps(dict(reply.content), ensure_ascii=False))
    return reply.content


def _tool_fields(step: script.UseTool, known: Known) -> dict[str, Any]:
    return {
        "tool_name": step.name,
        "tool_input": dict(step.arguments),
        "tool_use_id": f"toolu_{next(known.numbers):06d}",
    }


def _fail(step: script.Fail, _known: Known) -> _Played:
    message = f"API Error: {step.code}"
    yield Show("⎿", message)
    yield HookCall("StopFailure", "", {"error": message, "last_assistant_message": ""})
    return "failed"


def _leave(step: script.Leave, _known: Known) -> _Played:
    yield Quit(step.status)
    return ""


_PLAY: Mapping[type[script.Step], Callable[[Any, Known], _Played]] = {
    script.Fail: _fail,
    script.Leave: _leave,
    script.Say: _say,
    script.UseTool: _use_tool,
}

__all__ = [
    "STOP_BLOCKS",
    "Answer",
    "Ask",
    "CallTool",
    "Ending",
    "Offered",
    "Quit",
    "Record",
    "Request",
    "Show",
    "Turn",
    "Wait",
    "opened",
    "prompted",
    "sudden",
]
