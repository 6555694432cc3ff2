"""Attaching to one launch: settings and MCP servers in Claude Code's form, and their flags."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tongs_agents.hooks.command import DIRECTORY, HookHarness, Source, hook_command
from tongs_agents.mcp_server.command import mcp_command
from tongs_agents.mcp_server.names import PREAPPROVED, SERVER_NAME, model_name

CLAUDE_EVENTS = (
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PermissionRequest",
    "Notification",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
)
"""The hook table's events of Claude Code; one that a version does not know is left out (A75)."""

SCRIPTED_EVENTS = (
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PermissionRequest",
    "Stop",
    "StopFailure",
)
"""The events that the scripted agent has."""

PEER_MATCHER = "mcp__tongs-agents__(send_chat_message|wait_for_chat_message)"
"""Our own peer tools: their PreToolUse always goes to Python, as event ``PeerTool`` (A90)."""

WAIT_MS = 660_000
"""How long Claude Code lets a call of ours take: a wait may take 600 s (F3)."""

TIMEOUT = 10
"""Seconds that the harness gives a hook; ours ends by itself after five."""


def hook_settings(
    harness: HookHarness,
    source: Source,
    events: Iterable[str],
    *,
    python: Path,
    directory: Path = DIRECTORY,
) -> str:
    """Settings as JSON that register our hook for ``events``, and the tools that run unasked.

    Nothing in them is of one launch.
    """

    def entry(event: str, matcher: str) -> dict[str, object]:
        command = hook_command(harness, source, event, python=python, directory=directory)
        hook = {"type": "command", "command": command, "timeout": TIMEOUT}
        return {"matcher": matcher, "hooks": [hook]}

    hooks = {event: [entry(event, "*")] for event in events}
    if harness == "claude" and "PreToolUse" in hooks:
        hooks["PreToolUse"].append(entry("PeerTool", PEER_MATCHER))
    allowed = {"allow": [model_name(tool) for tool in PREAPPROVED]}
    return json.dumps({"hooks": hooks, "permissions": allowed}, indent=1) + "\n"


def mcp_server(source: Source, *, python: Path) -> dict[str, Any]:
    """How Claude Code is told of our MCP server. Nothing in it is of one launch."""
    command, *words = mcp_command(source, python=python)
    return {"type": "stdio", "command": command, "args": words, "env": {}, "timeout": WAIT_MS}


def mcp_servers(source: Source, *, python: Path) -> str:
    """Our MCP server as ``--mcp-config`` takes it, in one line."""
    return json.dumps({"mcpServers": {SERVER_NAME: mcp_server(source, python=python)}})


def attach_scripted(argv: tuple[str, ...], settings_path: Path, servers: str) -> tuple[str, ...]:
    """``argv`` with ``--mcp-config`` and ``--settings``, before a prompt that ``--`` sets off.

    A profile that names settings of its own keeps them, and is not attached:
    the program takes one file only (A73).
    """
    end = argv.index("--") if "--" in argv else len(argv)
    if any(word == "--settings" or word.startswith("--settings=") for word in argv[:end]):
        return argv
    flags = ("--mcp-config", servers, "--settings", str(settings_path))
    return (*argv[:end], *flags, *argv[end:])


__all__ = [
    "CLAUDE_EVENTS",
    "PEER_MATCHER",
    "SCRIPTED_EVENTS",
    "TIMEOUT",
    "WAIT_MS",
    "attach_scripted",
    "hook_settings",
    "mcp_server",
    "mcp_servers",
]
