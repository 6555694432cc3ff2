"""``tongs-agents-scripted``: reads the options, takes the terminal, gives it back."""

from __future__ import annotations

import os
import sys
import time
import uuid
from collections.abc import Sequence
from typing import NamedTuple

from tongs_agents.scripted_agent import hooks, mcp_config
from tongs_agents.scripted_agent.agent import Agent
from tongs_agents.scripted_agent.hook_runner import HookRunner
from tongs_agents.scripted_agent.hooks import HookCall, HookCommand
from tongs_agents.scripted_agent.journal import Journal
from tongs_agents.scripted_agent.loop import Bell, Loop
from tongs_agents.scripted_agent.mcp_client import Client
from tongs_agents.scripted_agent.mcp_config import ServerCommand
from tongs_agents.scripted_agent.mcp_runner import McpRunner
from tongs_agents.scripted_agent.options import Options, parse
from tongs_agents.scripted_agent.player import Ports
from tongs_agents.scripted_agent.terminal import Terminal


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the scripted agent on the terminal it was started in; returns its exit status."""
    options = parse(sys.argv[1:] if argv is None else argv, os.environ)
    if not (os.isatty(0) and os.isatty(1)):
        return _sorry("it needs a terminal: start it in a pane")
    try:
        commands, allowed = hooks.read(options.settings) if options.settings else _NO_SETTINGS
    except (OSError, ValueError) as trouble:
        return _sorry(f"--settings can't be used: {trouble}")
    try:
        servers = mcp_config.load(options.mcp_config)
    except (OSError, ValueError) as trouble:
        return _sorry(f"--mcp-config can't be used: {trouble}")
    try:
        journal = Journal(options.log, clock=time.time)
    except OSError as trouble:
        return _sorry(f"the journal can't be written: {trouble}")
    try:
        return _run(options, _Given(commands, allowed, servers), journal)
    finally:
        journal.close()


_NO_SETTINGS: tuple[tuple[HookCommand, ...], frozenset[str]] = ((), frozenset())


def _sorry(message: str) -> int:
    sys.stderr.write(f"tongs-agents-scripted: {message}\n")
    return 1


class _Given(NamedTuple):
    """What was said in files: hooks, tools that run unasked, MCP servers."""

    commands: tuple[HookCommand, ...]
    allowed: frozenset[str]
    servers: tuple[ServerCommand, ...]


def _run(options: Options, given: _Given, journal: Journal) -> int:
    session = options.session_id or str(uuid.uuid4())
    bell = Bell()
    runner = HookRunner(
        given.commands,
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
    clients = [
        Client(
            server,
            os.environ,
            journal.record,
            legacy=options.old_mcp,
            at_once=not options.mcp_on_demand,
        )
        for server in given.servers
    ]
    tools = McpRunner(clients, done=bell.ring)
    ports = Ports(journal.record, runner.start, tools.start, tools.take_back, given.allowed)
    agent = Agent(options, ports, now=time.monotonic())
    with bell.signals(), Terminal(0, 1) as terminal:
        terminal.name(f"✳ {options.name}")
        loop = Loop(agent, terminal, runner, tools, journal, bell, chunk=options.chunk)
        status = loop.run()
        runner.run(HookCall("SessionEnd", "other", {"reason": _reason(status)}))
        runner.close()
        tools.close()
    journal.record("exit", {"status": status})
    return status


def _reason(status: int) -> str:
    return "prompt_input_exit" if status == 0 else "other"


__all__ = ["main"]
