"""What the rig knows of Claude Code: its seeds, its environment, its command."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from validation.world import World

KEY = "sk-ant-made-up-for-the-loopback-000000000001"
"""No key of anybody: Claude Code asks about one only by its last 20 characters."""

COMMAND = ("claude", "--model", "opus", "--permission-mode", "manual")
"""A newer model starts in auto mode, which would answer permission dialogs by itself."""

READY = "❯"

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


__all__ = ["CLASSIC", "COMMAND", "FULLSCREEN", "KEY", "READY", "beside", "environment", "seed"]
