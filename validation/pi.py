"""What the rig knows of Pi: its seeds, its environment, its command."""

from __future__ import annotations

import json
from pathlib import Path

from tongs_agents.harness.pi import PiReader
from validation.kind import Dialog, Kind, offers_as, tool_as
from validation.world import World

KEY = "made-up-for-the-loopback-0000000000000002"
"""No key of anybody."""

COMMAND = ("pi",)

GATE = Path(__file__).with_name("pi_gate.ts")
"""Pi asks before no tool: an extension of its user's does, as this one."""

READY = "fake-model"
"""It stands in the footer."""

REGULAR = ("--tui-mode", "regular")
"""The renderer of the main screen; by itself it takes the other."""


def environment(port: int) -> dict[str, str]:
    """Settings that keep it on loopback and quiet."""
    del port
    return {"PI_OFFLINE": "1", "PI_TELEMETRY": "0", "PI_SKIP_VERSION_CHECK": "1"}


def seed(world: World, port: int) -> None:
    """A model on loopback; nothing else stands before the composer."""
    place = world.home / ".pi" / "agent"
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    provider = {
        "baseUrl": f"http://127.0.0.1:{port}",
        "api": "anthropic-messages",
        "apiKey": KEY,
        "models": [{"id": "fake-model"}],
    }
    settings = {
        "defaultProvider": "loopback",
        "defaultModel": "fake-model",
        "enableInstallTelemetry": False,
    }
    models = {"providers": {"loopback": provider}}
    (place / "models.json").write_text(json.dumps(models), encoding="utf-8")
    (place / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


def shell(command: str, *, asks: bool = False) -> str:
    """Its gate, where there is one, asks about what it is told to ask about."""
    marked = f"{command} # ask" if asks else command
    return f"[[tool:bash {json.dumps({'command': marked})}]]"


def write(file: Path, text: str, times: int) -> str:
    """Its own tool for files."""
    arguments = {"path": str(file), "content": {"$repeat": [text, times]}}
    return f"[[tool:write {json.dumps(arguments)}]]"


def nested(extension: Path, prompt: str) -> list[str]:
    """The same program, asked once, with the extension that a launch was given."""
    return ["pi", "-p", "-e", str(extension), prompt]


KIND = Kind(
    name="pi",
    command=COMMAND,
    asking=("-e", str(GATE)),
    allowing=(),
    reader=PiReader,
    environment=environment,
    seed=seed,
    beside=lambda home: home,
    secrets=(KEY,),
    shell=shell,
    write=write,
    dialogs=(
        Dialog("dialog", ("-e", str(GATE)), f"{shell('touch made', asks=True)}[[text:made]]"),
    ),
    subagent="",
    said=("w", "$", "the fourth"),  # it marks no answer: so the cells have it begin
    leave="/quit",
    tool=tool_as("mcp__tongs_agents__"),
    offers=offers_as("mcp__tongs_agents__"),
)

__all__ = [
    "COMMAND",
    "GATE",
    "KEY",
    "KIND",
    "READY",
    "REGULAR",
    "environment",
    "nested",
    "seed",
    "shell",
    "write",
]
