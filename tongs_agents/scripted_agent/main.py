"""``tongs-agents-scripted``: reads the options, takes the terminal, gives it back."""

from __future__ import annotations

import os
import sys
import time
import uuid
from collections.abc import Sequence

from tongs_agents.scripted_agent import hooks
from tongs_agents.scripted_agent.agent import Agent
from tongs_agents.scripted_agent.hook_runner import HookRunner
from tongs_agents.scripted_agent.hooks import HookCall, HookCommand
from tongs_agents.scripted_agent.journal import Journal
from tongs_agents.scripted_agent.loop import Bell, Loop
from tongs_agents.scripted_agent.options import Options, parse
from tongs_agents.scripted_agent.player import Ports
from tongs_agents.scripted_agent.terminal import Terminal


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the scripted agent on the terminal it was started in; returns its exit status."""
    options = parse(sys.argv[1:] if argv is None else argv, os.environ)
    if not (os.isatty(0) and os.isatty(1)):
        return _sorry("it needs a terminal: start it in a pane")
    try:
        commands = hooks.load(options.settings) if options.settings else ()
    except (OSError, ValueError) as trouble:
        return _sorry(f"--settings can't be used: {trouble}")
    try:
        journal = Journal(options.log, clock=time.time)
    except OSError as trouble:
        return _sorry(f"the journal can't be written: {trouble}")
    try:
        return _run(options, commands, journal)
    finally:
        journal.close()


def _sorry(message: str) -> int:
    sys.stderr.write(f"tongs-agents-scripted: {message}\n")
    return 1


def _run(options: Options, commands: tuple[HookCommand, ...], journal: Journal) -> int:
    session = options.session_id or str(uuid.uuid4())
    bell = Bell()
    runner = HookRunner(
        commands,
        common={
            "session_id": session,
            "transcript_path": os.path.abspath(options.log) if options.log else "",
            "cwd": os.getcwd(),
            "permission_mode": "default",
        },
        environ={**os.environ, "SCRIPTED_PID": str(os.getpid()), "SCRIPTED_SESSION_ID": session},
        done=bell.ring,
    )
    journal.record("start", {"name": options.name, "session_id": session, "cwd": os.getcwd()})
    ports = Ports(record=journal.record, start_hook=runner.start)
    agent = Agent(options, ports, now=time.monotonic())
    with bell.signals(), Terminal(0, 1) as terminal:
        terminal.name(f"✳ {options.name}")
        loop = Loop(agent, terminal, runner, journal, bell, chunk=options.chunk)
        status = loop.run()
        runner.run(HookCall("SessionEnd", "other", {"reason": _reason(status)}))
        runner.close()
    journal.record("exit", {"status": status})
    return status


def _reason(status: int) -> str:
    return "prompt_input_exit" if status == 0 else "other"


__all__ = ["main"]
