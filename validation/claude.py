"""What the rig knows of Claude Code: its seeds, its environment, its command."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tongs_agents.harness.claude import ClaudeReader
from validation.kind import Dialog, Kind, offers_as, tool_as
from validation.world import World

KEY = "sk-ant-made-up-for-the-loopback-000000000001"
"""No key of anybody: Claude Code asks about one only by its last 20 characters."""

COMMAND = ("claude", "--model", "opus", "--permission-mode", "manual")
"""A newer model starts in auto mode, which would answer permission dialogs by itself."""

READY = "❯"

_ASK = (
    '[[tool:AskUserQuestion {"questions": [{"question": "Which colour?", "header": "Colour", '
    '"multiSelect": false, "options": [{"label": "Red", "description": "warm"}, '
    '{"label": "Blue", "description": "cold"}]}]}]][[text:asked]]'
)
_SUBAGENT = (
    '[[tool:Agent {"description": "Look", "subagent_type": "general-purpose", "prompt": '
    '{"$script": ["tool:Bash {\\"command\\": \\"timeout 4 tail -f /dev/null\\"}", '
    '"tool:Bash {\\"command\\": \\"touch by-the-subagent\\"}", "text:found"]}}]]'
    "[[text:an agent works]]"
)

FULLSCREEN = "CLAUDE_CODE_NO_FLICKER=1"
CLASSIC = "CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN=1"
"""Its two ways to draw; by itself it takes the first, and the second after a crash."""


def environment(port: int) -> dict[str, str]:
    """Settings that keep it on loopback and quiet."""
    return {
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{port}",
        "ANTHROPIC_API_KEY": KEY,
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def seed(world: World, **more: Any) -> None:
    """The least that takes a fresh home straight to the composer."""
    trusted = {str(world.project): {"hasTrustDialogAccepted": True}}
    settings: Mapping[str, Any] = {
        "hasCompletedOnboarding": True,
        "hasSeenAutoDefaultNotice": True,
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
        "projects": trusted,
        **more,
    }
    (world.home / ".claude.json").write_text(json.dumps(settings), encoding="utf-8")


def beside(home: Path) -> Path:
    """Where the daemon of its background sessions has its sockets, whatever TMPDIR says."""
    name = hashlib.sha256(str(home / ".claude").encode()).hexdigest()[:8]
    return Path("/tmp", f"cc-daemon-{os.getuid()}", name)


def shell(command: str, *, asks: bool = False) -> str:
    """Its tool asks by itself."""
    del asks
    return f"[[tool:Bash {json.dumps({'command': command, 'description': 'Run it'})}]]"


def write(file: Path, text: str, times: int) -> str:
    """Its own tool for files."""
    arguments = {"file_path": str(file), "content": {"$repeat": [text, times]}}
    return f"[[tool:Write {json.dumps(arguments)}]]"


def nested(words: list[str], prompt: str) -> list[str]:
    """The same program, asked once, with the settings of the launch ``words``."""
    settings = words[words.index("--settings") + 1]
    return ["claude", "-p", "--model", "opus", "--settings", settings, prompt]


KIND = Kind(
    name="claude",
    command=COMMAND,
    asking=(),
    allowing=("--allowedTools", "Bash", "Write", "Agent"),
    reader=ClaudeReader,
    environment=environment,
    seed=lambda world, _: seed(world),
    beside=beside,
    secrets=(KEY, KEY[-20:]),
    shell=shell,
    write=write,
    dialogs=(
        Dialog("permission", (), f"{shell('touch made')}[[text:made]]"),
        Dialog("question", (), _ASK),
    ),
    subagent=_SUBAGENT,
    said="●",
    tool=tool_as("mcp__tongs-agents__"),
    offers=offers_as("mcp__tongs-agents__"),
)

__all__ = [
    "CLASSIC",
    "COMMAND",
    "FULLSCREEN",
    "KEY",
    "KIND",
    "READY",
    "beside",
    "environment",
    "nested",
    "seed",
    "shell",
    "write",
]
