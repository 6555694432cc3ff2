"""What the rig knows of Codex: its seeds, its environment, its command."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tongs_agents.harness.codex import CodexReader
from validation.kind import Dialog, Kind
from validation.world import World

KEY = "made-up-for-the-loopback-0000000000000001"
"""No key of anybody."""

MODEL, OLDER_MODEL = "gpt-6-sol", "gpt-5.5"
"""One that nothing asks to leave for another, and one where something does."""

COMMAND = ("codex", "--dangerously-bypass-hook-trust")
"""The world of a cell holds no hooks but ours; that trust is asked for is a cell of its own."""

ASKING = ("--ask-for-approval", "on-request", "--sandbox", "workspace-write")
READY = "›"


def environment(port: int) -> dict[str, str]:
    """The key by which its provider is known."""
    del port
    return {"MADE_UP_KEY": KEY}


def seed(world: World, port: int) -> None:
    """The least that takes a fresh home straight to the composer, on loopback and quiet."""
    settings = {
        "model": MODEL,
        "model_provider": "loopback",
        "check_for_update_on_startup": False,
        "approval_policy": "never",
        "sandbox_mode": "danger-full-access",
    }
    provider = {
        "name": "Loopback",
        "base_url": f"http://127.0.0.1:{port}/v1",
        "wire_api": "responses",
        "env_key": "MADE_UP_KEY",
        "request_max_retries": 0,
        "stream_max_retries": 0,
    }
    tables: dict[str, dict[str, Any]] = {
        "model_providers.loopback": provider,
        "analytics": {"enabled": False},
        "feedback": {"enabled": False},
        f"projects.{json.dumps(str(world.project))}": {"trust_level": "trusted"},
    }
    lines = _pairs(settings)
    for name, values in tables.items():
        lines += [f"[{name}]", *_pairs(values)]
    place = world.home / ".codex"
    place.mkdir(mode=0o700, exist_ok=True)
    (place / "config.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def untrusted(world: World) -> Path:
    """A folder that nobody has trusted; it asks about one that has settings of its own."""
    folder = world.directory / "other"
    (folder / ".codex").mkdir(parents=True, exist_ok=True)
    return folder


def _pairs(values: dict[str, Any]) -> list[str]:
    return [f"{key} = {json.dumps(value)}" for key, value in values.items()]


def _run(script: str) -> str:
    """Newer models are given one tool for JavaScript, in which all others are functions."""
    return f"[[tool:functions__exec {json.dumps({'input': script})}]]"


def shell(command: str, *, asks: bool = False) -> str:
    """The model asks for leave where it wants out of the sandbox."""
    wanted: dict[str, Any] = {"cmd": command, "yield_time_ms": 120000}
    if asks:
        wanted |= {"sandbox_permissions": "require_escalated", "justification": "It has to."}
    return _run(f"text(await tools.exec_command({json.dumps(wanted)}))")


def write(file: Path, text: str, times: int) -> str:
    """A patch that adds a file of one line."""
    head = json.dumps(f"*** Begin Patch\n*** Add File: {file.name}\n+")
    end = json.dumps("\n*** End Patch\n")
    return _run(f"await tools.apply_patch({head} + {json.dumps(text)}.repeat({times}) + {end})")


def tool(name: str, arguments: Mapping[str, Any]) -> str:
    """A tool of ours is a function too; its answer is told as the JSON that it is.

    A script for another model, which would be read as part of this one, is put together there.
    """
    call = f"await tools.mcp__tongs_agents__{name}({{{_fields(arguments)}}})"
    return _run(f"{_PATIENCE}\ntext(JSON.stringify(({call}).structuredContent))")


def _fields(arguments: Mapping[str, Any]) -> str:
    fields = []
    for name, value in arguments.items():
        steps = value.get("$script") if isinstance(value, Mapping) else None
        text = json.dumps(value if steps is None else steps)
        whole = '.map(step => "[" + "[" + step + "]" + "]").join("")'
        fields.append(f"{name}: {text}{'' if steps is None else whole}")
    return ", ".join(fields)


_PATIENCE = '// @exec: {"yield_time_ms": 600000}'
"""Else the model would be told after 30 s that its script still runs."""


def nested(words: list[str], prompt: str) -> list[str]:
    """The same program, asked once, with the hooks of the launch ``words``.

    By its path: Codex's shell is a login shell, which makes a PATH of its own.
    """
    codex = next(word for word in words if Path(word).name == "codex")
    flat = [word for pair in itertools.pairwise(words) if pair[0] == "-c" for word in pair]
    bypass = "--dangerously-bypass-hook-trust"
    return [codex, "exec", bypass, "--skip-git-repo-check", *flat, prompt]


_STEPS = [shell("timeout 4 tail -f /dev/null"), shell("touch by-the-subagent"), "[[text:found]]"]
_TASK = {"task_name": "look", "message": {"$script": [step[2:-2] for step in _STEPS]}}
_SUBAGENT = f"[[tool:collaboration__spawn_agent {json.dumps(_TASK)}]][[text:an agent works]]"

_CLEANUP = "text(await tools.mcp__tongs_agents__fleet_cleanup({}))"

KIND = Kind(
    name="codex",
    command=COMMAND,
    asking=ASKING,
    allowing=(),
    reader=CodexReader,
    environment=environment,
    seed=seed,
    beside=lambda home: home,
    secrets=(KEY,),
    shell=shell,
    write=write,
    dialogs=(
        Dialog("approval", ASKING, f"{shell('touch made', asks=True)}[[text:made]]"),
        # its servers may take their time to start; until then there is no such tool
        Dialog("mcp", ASKING, f"{shell('sleep 5')}{_run(_CLEANUP)}[[text:done]]"),
    ),
    subagent=_SUBAGENT,
    said="•",
    tool=tool,
    offers=lambda request, tool: request.holds(f"mcp__tongs_agents__{tool}"),
    silent_on=frozenset(("zellij",)),
    torn_on=frozenset(("zellij",)),
    listing=_run("text(Object.keys(tools).join(' '))"),
)

__all__ = [
    "ASKING",
    "COMMAND",
    "KEY",
    "KIND",
    "MODEL",
    "OLDER_MODEL",
    "READY",
    "environment",
    "nested",
    "seed",
    "shell",
    "tool",
    "untrusted",
    "write",
]
