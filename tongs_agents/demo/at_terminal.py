"""A command that a person answers on a terminal: the demo's person sits at a real one."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time

from tongs_agents.demo.stage import DEADLINE, Reply, SceneFailed, Stage


def answered(stage: Stage, words: tuple[str, ...], question: str, answer: str) -> Reply:
    """Run ``tongs-agents WORDS`` and type ``answer`` once it asks ``question``.

    Raises SceneFailed where it does not ask, or ends badly.
    """
    command = f"tongs-agents {' '.join(words)}"
    stage.say(f"    $ {command}")
    ours, theirs = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-m", "tongs_agents.cli.main", *words, "--json"],
            stdin=theirs,
            stderr=theirs,
            stdout=subprocess.PIPE,
            env=dict(stage.environ),
            cwd=stage.home,
        )
        os.close(theirs)
        _await(ours, question)
        stage.say(f"    {question} {answer}")
        os.write(ours, f"{answer}\n".encode())
        output, _ = process.communicate(timeout=DEADLINE)
    finally:
        os.close(ours)
    reply = Reply(command, process.returncode, json.loads(output or b"{}"))
    if reply.code != 0 or reply.json.get("ok") is not True:
        raise SceneFailed(f"`{command}` ended with {reply.code}: {reply.json}")
    return reply


def _await(terminal: int, question: str) -> None:
    until, seen = time.monotonic() + DEADLINE, b""
    while question.encode() not in seen:
        left = until - time.monotonic()
        if left <= 0 or not select.select([terminal], [], [], left)[0]:
            raise SceneFailed(f"it did not ask {question!r}: {seen[-300:]!r}")
        try:
            seen += os.read(terminal, 4096)
        except OSError:
            raise SceneFailed(f"it ended before it asked: {seen[-300:]!r}") from None


__all__ = ["answered"]
