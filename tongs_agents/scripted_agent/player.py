"""Plays turns: what runs now, what is queued behind it, and the dialog in the way."""

from __future__ import annotations

import itertools
import json
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tongs_agents.scripted_agent import turn
from tongs_agents.scripted_agent.hooks import HookCall, Outcome
from tongs_agents.scripted_agent.known import Known
from tongs_agents.scripted_agent.mcp_client import ToolReply

ENTRIES = 200
"""So many entries of the transcript are kept."""


@dataclass(frozen=True, slots=True)
class Ports:
    """The player's ways out: the journal, and the hooks with the token of their answer."""

    record: Callable[[str, Mapping[str, Any]], None]
    start_hook: Callable[[int, HookCall], None]
    start_tool: Callable[[int, turn.Offered | turn.CallTool], None]
    """Asks a server, or calls its tool, with the token of the answer."""
    take_back: Callable[[int], None]
    """Nobody waits for that answer any more."""
    allowed: frozenset[str] = frozenset()
    """Tools that run without a question."""


class Player:
    """At most one turn at a time; prompts that come meanwhile wait for their own."""

    def __init__(self, ports: Ports) -> None:
        self.transcript: deque[turn.Show] = deque(maxlen=ENTRIES)
        self.queued: deque[str] = deque()
        self.dialog: turn.Ask | None = None
        self.busy_since: float | None = None
        """When the turn began; None while none runs."""
        self.due: float | None = None
        """When the turn goes on by itself."""
        self.status: int | None = None
        """The program's exit status, once a prompt has asked for its end."""
        self._ports = ports
        self._running: turn.Turn | None = None
        self._tokens = itertools.count(1)
        self._awaited: int | None = None
        self._told: dict[int, str] = {}
        self._known = Known()
        self._calling: int | None = None

    def open(self, now: float) -> None:
        """Starts the session; prompts wait until its hooks are through."""
        self._begin(turn.opened("startup"), now)

    def submit(self, prompt: str, now: float) -> bool:
        """Takes a prompt; False where it has to wait for its turn."""
        self.queued.append(prompt)
        if self._running is not None:
            return False
        self._next(now)
        return True

    def surprise(self, tool: str, now: float) -> None:
        """Opens a permission dialog that no prompt asked for, unless a turn runs."""
        if self._running is None:
            self.busy_since = now
            self._begin(turn.sudden(tool, self._known), now)

    def decide(self, approved: bool, now: float) -> None:
        """Closes the dialog with an answer."""
        self.dialog = None
        self._go_on(approved, now)

    def interrupt(self, now: float) -> None:
        """Ends the running turn on the spot: no hook is told, as Claude Code does it."""
        if self._running is None or self.busy_since is None:
            return
        self._running.close()
        if self._calling is not None:
            self._ports.take_back(self._calling)
        self._ports.record("interrupted", {})
        self.transcript.append(turn.Show("⎿", "Interrupted"))
        self._over("interrupted", now)

    def hook_done(self, token: int, outcome: Outcome, now: float) -> None:
        """Takes what came of a hook; the turn that waits for it goes on."""
        event = self._told.pop(token, "")
        for text in outcome.failures:
            self._ports.record("hook-failed", {"hook": event, "why": text})
            self.transcript.append(turn.Show("⎿", f"{event} hook failed: {text}"))
        if token != self._awaited:
            return
        self._awaited = None
        for text in outcome.context:
            self._ports.record("context", {"hook": event, "text": text})
            self.transcript.append(turn.Show("⎿", f"context: {text}"))
        self._go_on(outcome, now)

    def tool_done(self, token: int, answer: bool | ToolReply, now: float) -> None:
        """Takes what a server said; the turn that waits for it goes on."""
        if token != self._awaited:
            return
        self._awaited = self._calling = None
        self._go_on(answer, now)

    def tick(self, now: float) -> None:
        """The turn goes on where its time has come."""
        if self.due is not None and now >= self.due:
            self.due = None
            self._go_on(None, now)

    def _next(self, now: float) -> None:
        if not self.queued or self.status is not None:
            return
        prompt = self.queued.popleft()
        self.busy_since = now
        self._ports.record("turn-start", {"text": prompt})
        self.transcript.append(turn.Show(">", prompt))
        self._begin(turn.prompted(prompt, self._known), now)

    def _begin(self, running: turn.Turn, now: float) -> None:
        self._running = running
        self._go_on(None, now)

    def _go_on(self, answer: turn.Answer, now: float) -> None:
        """Sends ``answer`` and serves requests until one has to be waited for."""
        while self._running is not None:
            try:
                request = self._running.send(answer)
            except StopIteration as end:
                self._over(end.value, now)
                return
            answer = None
            if isinstance(request, turn.Ask) and request.tool in self._ports.allowed:
                answer = True
            elif self._waits_for(request, now):
                return

    def _waits_for(self, request: turn.Request, now: float) -> bool:
        match request:
            case turn.Show():
                self.transcript.append(request)
            case turn.Record(event, fields):
                self._ports.record(event, fields)
            case turn.Wait(seconds):
                self.due = now + seconds
            case turn.Quit(status):
                self.status = status
            case turn.Ask():
                self._ask(request)
            case turn.Offered() | turn.CallTool():
                self._awaited = self._calling = next(self._tokens)
                self._ports.start_tool(self._awaited, request)
            case HookCall():
                self._awaited = self._start(request)
        return not isinstance(request, turn.Show | turn.Record)

    def _ask(self, request: turn.Ask) -> None:
        self.dialog = request
        self._ports.record("dialog", {"tool": request.tool, "input": dict(request.arguments)})
        self._start(request.call)

    def _start(self, call: HookCall) -> int:
        token = next(self._tokens)
        self._told[token] = call.event
        self._ports.start_hook(token, call)
        return token

    def _over(self, ending: str, now: float) -> None:
        self._running, self._awaited, self.due, self.busy_since = None, None, None, None
        self._calling = None
        if ending:
            self._ports.record("turn-end", {"how": ending})
        self._next(now)


def described(request: turn.Ask) -> str:
    """The line of the dialog that says what is asked for."""
    return f"{request.tool} {json.dumps(dict(request.arguments), ensure_ascii=False)}"


__all__ = ["ENTRIES", "Player", "Ports", "described"]
