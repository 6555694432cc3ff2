"""Runs hook commands beside the screen: a thread an event, its commands one after another."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from tongs_agents.scripted_agent import hooks

_LINGER = 0.5
"""Seconds to wait for output that a killed command's children still hold open."""


class HookRunner:
    """Starts what an event asks for, and hands over what came of it.

    ``done`` is called from the threads when an outcome is ready to be taken.
    Of ``common`` every hook's JSON carries all fields.
    """

    def __init__(
        self,
        commands: tuple[hooks.HookCommand, ...],
        *,
        common: Mapping[str, Any],
        environ: Mapping[str, str],
        done: Callable[[], None],
    ) -> None:
        self._commands = commands
        self._common = common
        self._environ = environ
        self._done = done
        self._ready: queue.SimpleQueue[tuple[int, hooks.Outcome]] = queue.SimpleQueue()
        self._running: set[int] = set()
        self._lock = threading.Lock()
        self._closed = False

    def start(self, token: int, call: hooks.HookCall) -> None:
        """Begins to run the commands of ``call``; its outcome will carry ``token``."""
        commands = hooks.chosen(self._commands, call)
        if not commands:
            self._give(token, hooks.Outcome())
            return
        threading.Thread(target=self._work, args=(token, call, commands), daemon=True).start()

    def outcomes(self) -> list[tuple[int, hooks.Outcome]]:
        """Every outcome that is ready, in the order in which they came."""
        ready = []
        with suppress(queue.Empty):
            while True:
                ready.append(self._ready.get_nowait())
        return ready

    def run(self, call: hooks.HookCall) -> hooks.Outcome:
        """Runs the commands of ``call`` and waits for them, each up to its timeout."""
        ended = [self._ended(command, call) for command in hooks.chosen(self._commands, call)]
        return hooks.judge(call.event, tuple(ended))

    def close(self) -> None:
        """Kills what still runs and starts nothing more."""
        with self._lock:
            self._closed = True
            for group in self._running:
                _kill(group)

    def _work(
        self, token: int, call: hooks.HookCall, commands: tuple[hooks.HookCommand, ...]
    ) -> None:
        ended = tuple(self._ended(command, call) for command in commands)
        self._give(token, hooks.judge(call.event, ended))

    def _give(self, token: int, outcome: hooks.Outcome) -> None:
        self._ready.put((token, outcome))
        self._done()

    def _ended(self, command: hooks.HookCommand, call: hooks.HookCall) -> hooks.Finished:
        payload = {**self._common, "hook_event_name": call.event, **call.fields}
        with self._lock:
            if self._closed:
                return hooks.Finished(command.command, None, "", "")
            process = self._started(command.command)
            self._running.add(process.pid)
        try:
            return _finished(process, command, json.dumps(payload).encode("ascii"))
        finally:
            with self._lock:
                self._running.discard(process.pid)

    def _started(self, command: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            ["/bin/sh", "-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(self._environ),
            start_new_session=True,
        )


def _finished(
    process: subprocess.Popen[bytes], command: hooks.HookCommand, payload: bytes
) -> hooks.Finished:
    code: int | None
    try:
        output, errors = process.communicate(payload, timeout=command.timeout)
        code = process.returncode
    except subprocess.TimeoutExpired:
        _kill(process.pid)
        output, errors, code = b"", b"", None
        with suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=_LINGER)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
    return hooks.Finished(
        command.command, code, output.decode("utf-8", "replace"), errors.decode("utf-8", "replace")
    )


def _kill(group: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


__all__ = ["HookRunner"]
