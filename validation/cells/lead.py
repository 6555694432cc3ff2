"""An agent starts another, prompts it and waits for it, by tools that its own harness calls."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any

from tongs_mux.audit_lines import lines
from validation.cell import Cell
from validation.cells.mcp import until_offered
from validation.model.record import strings
from validation.stage import Launch, Stage
from validation.terminal import wait_for

_LONG = 100
"""Seconds of the long turn: the wait for it is to take over 90."""


_ENV: dict[str, Mapping[str, str]] = {"claude": {"ENABLE_TOOL_SEARCH": "false"}}
"""So that the model server is offered the tools at once, and need not search for them."""

_ASKS = {"claude": True, "codex": True, "pi": False}
"""Whether its user is asked before a tool that is not approved beforehand: Pi asks of none."""


def _results(stage: Stage, *words: str) -> Iterator[dict[str, Any]]:
    """What our tools answered, as the model was told it, newest last."""
    for request in stage.all_asked_with(words[0]):
        for text in strings(request.body):
            if all(word in text for word in words) and text.lstrip().startswith("{"):
                try:
                    found = json.loads(text)
                except ValueError:
                    continue
                if isinstance(found, dict) and "ok" in found:
                    yield found


def _told(
    stage: Stage, lead: Launch, tool: str, arguments: Mapping[str, Any], *, ask: bool
) -> None:
    """The lead is prompted to use a tool; its person says yes where it asks."""
    prompt = stage.kind.tool(tool, arguments)
    stage.until(lead, lambda reading: reading.composer == "empty", "an idle lead")
    answer = stage.send(lead, f"{prompt}[[text:told]]")
    stage.show(f"the lead was prompted to call {tool}", answer.code == 0, answer.words)
    if ask and _ASKS[stage.kind.name]:
        stage.until(lead, lambda reading: reading.dialog is not None, "its question to its person")
        stage.show(f"it asked its person before {tool}", True)
        _says_yes(stage, lead)


def _says_yes(stage: Stage, lead: Launch) -> None:
    """The person's Enter, pressed again where the dialog was too new to take it."""
    pressed = 0.0

    def closed() -> bool:
        nonlocal pressed
        if stage.reading(lead).dialog is None:
            return True
        if time.monotonic() - pressed > 2:
            pressed = time.monotonic()
            stage.terminal.press(lead.pane, "Enter")
        return False

    wait_for(closed, "the dialog to close", 20)


def _answer(stage: Stage, key: str, seconds: float = 30.0) -> dict[str, Any]:
    """The newest answer that has ``key``."""

    def found() -> dict[str, Any] | None:
        return next(reversed([*_results(stage, f'"{key}"')]), None)

    return wait_for(found, f"a tool's answer with {key}", seconds)


def _audit(stage: Stage, action: str) -> dict[str, Any]:
    place = stage.world.home / ".local" / "state" / "tongs-agents" / "audit" / "control.jsonl"
    found = [json.loads(line) for line in lines(place)]
    return next(it for it in reversed(found) if (it["action"], it["phase"]) == (action, "outcome"))


def run(stage: Stage) -> None:
    stage.configure(
        *stage.kind.asking,
        control={"mcp_enabled": True},
        mcp_control=True,
        env=dict(_ENV.get(stage.kind.name, {})),
    )
    lead = stage.spawn_ready()
    until_offered(stage, lead, "agents_wait")
    stage.show("its model is offered our tools", True)
    worker = _spawned(stage, lead)
    _prompted(stage, lead, worker)
    _waited(stage, lead, worker)
    _told(stage, lead, "agents_status", {"launch_id": lead.launch_id}, ask=False)
    refused = _answer(stage, "reason")
    stage.show("asked about itself: refused, reason self", refused["reason"] == "self", refused)


def _spawned(stage: Stage, lead: Launch) -> Launch:
    _told(stage, lead, "agents_spawn", {"profile": "agent"}, ask=True)
    spawned = _answer(stage, "notices")
    ok = spawned["ok"] is True and spawned["state"] == "running"
    stage.show("agents_spawn: a launch, running, told to the model as JSON", ok, spawned)
    worker = Launch(spawned["launch_id"], spawned["pane"]["pane_id"])
    stage.until(worker, lambda reading: reading.composer == "empty", "the worker's composer")
    status = stage.status(worker)
    mine = status["spawned_by"] == lead.launch_id
    stage.show("it is on record as started by the lead", mine, status.words)
    stage.show("in the lead's own session", status["pane"]["session"] == spawned["pane"]["session"])
    line = _audit(stage, "spawn")
    stage.show("audited as the lead's act", line["actor"] == f"mcp:{lead.launch_id}", line)
    return worker


def _prompted(stage: Stage, lead: Launch, worker: Launch) -> None:
    script = {"$script": ["text:the worker's answer"]}
    _told(stage, lead, "agents_send", {"launch_id": worker.launch_id, "text": script}, ask=True)
    sent = _answer(stage, "receipt")
    stage.show("agents_send: submitted, proved by the worker's own hook",
               sent.get("receipt") == "submitted", sent)  # fmt: skip
    stage.terminal.shows(worker.pane, "the worker's answer")
    stage.show("the worker answered in its pane", True)


def _waited(stage: Stage, lead: Launch, worker: Launch) -> None:
    script = {"$script": [f"slow:{_LONG}:a long answer"]}
    _told(stage, lead, "agents_send", {"launch_id": worker.launch_id, "text": script}, ask=True)
    stage.until_status(worker, "working")
    arguments = {"launch_id": worker.launch_id, "timeout_s": 300}
    _told(stage, lead, "agents_wait", arguments, ask=False)
    waited = _answer(stage, "waited_s", _LONG + 60)
    stage.show(
        "agents_wait, approved beforehand, returned done", waited["status"] == "done", waited
    )
    stage.show("after over 90 seconds in one call", waited["waited_s"] > 90, waited)
    seen = re.search(r"a long answer", stage.terminal.text(worker.pane))
    stage.show("and the worker's long turn was over", seen is not None)
    line = _audit(stage, "wait")
    stage.show("audited as the lead's", line["actor"] == f"mcp:{lead.launch_id}", line)


CELL = Cell(
    "lead",
    "as a lead it starts a worker, prompts it, and waits for it over 90 s, through our tools",
    ("6.1", "6.12", "6.31", "A8"),
    run,
    harnesses=("claude", "codex", "pi"),
)
