"""The loop: waits for keys, hooks, signals and time, and paints what came of them."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tongs_agents.scripted_agent.agent import Agent
from tongs_agents.scripted_agent.hook_runner import HookRunner
from tongs_agents.scripted_agent.journal import Journal
from tongs_agents.scripted_agent.keys import Parser
from tongs_agents.scripted_agent.mcp_runner import McpRunner
from tongs_agents.scripted_agent.screen import View, render
from tongs_agents.scripted_agent.terminal import Terminal

_ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
_ESCAPE_SILENCE = 0.05
"""Seconds after which an ESC that nothing followed was the key."""


class Bell:
    """A pipe that ends a wait: rung by threads, and by signals with their number."""

    def __init__(self) -> None:
        self.fd, self._far = os.pipe()
        os.set_blocking(self.fd, False)
        os.set_blocking(self._far, False)

    def ring(self) -> None:
        """Ends the wait; safe from any thread."""
        with suppress(BlockingIOError, OSError):
            os.write(self._far, b"\0")

    def heard(self) -> bytes:
        """What rang since the last time."""
        try:
            return os.read(self.fd, 4096)
        except BlockingIOError:
            return b""

    @contextmanager
    def signals(self) -> Iterator[None]:
        """Inside, signals that end a program, and new window sizes, ring instead."""
        watched = (*_ENDING, signal.SIGWINCH)
        before = {number: signal.signal(number, _nothing) for number in watched}
        wakeup = signal.set_wakeup_fd(self._far, warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(wakeup)
            for number, handler in before.items():
                signal.signal(number, handler)


def _nothing(_number: int, _frame: object) -> None:
    """A handler has to exist for the signal's number to be written to the pipe."""


class Loop:
    """Runs ``agent`` on ``terminal`` until it ends; idle, it sleeps in ``select``."""

    def __init__(
        self,
        agent: Agent,
        terminal: Terminal,
        runner: HookRunner,
        tools: McpRunner,
        journal: Journal,
        bell: Bell,
        *,
        chunk: int,
    ) -> None:
        self._agent = agent
        self._terminal = terminal
        self._runner = runner
        self._tools = tools
        self._journal = journal
        self._bell = bell
        self._chunk = chunk
        self._keys = Parser()
        self._shown: tuple[View, os.terminal_size] | None = None
        self._announced = False

    def run(self) -> int:
        """The exit status."""
        while True:
            self._agent.tick(time.monotonic())
            if self._agent.player.status is not None:
                return self._agent.player.status
            self._paint()
            ended = self._wait()
            if ended is not None:
                return ended

    def _paint(self) -> None:
        if self._agent.up and not self._announced:
            self._terminal.ask_for_paste_markers()
        view, size = self._agent.view(time.monotonic()), self._terminal.size()
        if (view, size) != self._shown:
            self._terminal.paint(render(view, size.columns, size.lines), size)
            self._shown = (view, size)
        if self._agent.up and not self._announced:
            self._announced = True
            self._journal.record("ready", {})

    def _wait(self) -> int | None:
        """Waits for something to happen and passes it on; an exit status ends the program."""
        ready, _, _ = select.select([self._terminal.fd_in, self._bell.fd], [], [], self._patience())
        now = time.monotonic()
        if not ready and self._keys.undecided:
            for event in self._keys.flush():
                self._agent.take(event, now)
        if self._bell.fd in ready:
            ended = self._rung(now)
            if ended is not None:
                return ended
        if self._terminal.fd_in in ready:
            return self._typed(now)
        return None

    def _patience(self) -> float | None:
        now = time.monotonic()
        due = self._agent.next_due(now)
        left = None if due is None else max(0.0, due - now)
        if not self._keys.undecided:
            return left
        return _ESCAPE_SILENCE if left is None else min(left, _ESCAPE_SILENCE)

    def _rung(self, now: float) -> int | None:
        for number in self._bell.heard():
            if number in _ENDING:
                self._journal.record("signal", {"number": number})
                return 128 + number
        for token, outcome in self._runner.outcomes():
            self._agent.hook_done(token, outcome, now)
        for token, answer in self._tools.answers():
            self._agent.tool_done(token, answer, now)
        return None

    def _typed(self, now: float) -> int | None:
        data = self._terminal.read(self._chunk)
        if not data:
            return 128 + signal.SIGHUP
        self._agent.tick(now)
        if not self._agent.up:
            self._journal.record("bytes", {"hex": data.hex(), "discarded": True})
            return None
        self._journal.record("bytes", {"hex": data.hex()})
        for event in self._keys.feed(data):
            self._agent.take(event, now)
        return None


__all__ = ["Bell", "Loop"]
