"""Which MCP servers the scripted agent has: Claude Code's form of saying so."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ServerCommand:
    """One server on standard input and output, and the variables it gets besides our own."""

    name: str
    argv: tuple[str, ...]
    env: tuple[tuple[str, str], ...] = ()


def load(configs: Iterable[str]) -> tuple[ServerCommand, ...]:
    """The servers of ``configs``: each JSON, or the path of a file of it; of one name, the last.

    Raises:
        ValueError: it is no JSON of the known form.
        OSError: a file can't be read.
    """
    found: dict[str, ServerCommand] = {}
    for config in configs:
        try:
            found.update({server.name: server for server in _servers(json.loads(_text(config)))})
        except (AttributeError, KeyError, TypeError) as trouble:
            raise ValueError(f"MCP servers of another form: {trouble!r}") from trouble
    return tuple(found.values())


def _text(config: str) -> str:
    if config.lstrip().startswith("{"):
        return config
    with open(config, encoding="utf-8") as file:
        return file.read()


def _servers(document: Any) -> Iterator[ServerCommand]:
    for name, server in document["mcpServers"].items():
        env = tuple((str(key), str(value)) for key, value in server.get("env", {}).items())
        yield ServerCommand(name, (server["command"], *map(str, server.get("args", []))), env)


def split(tool: str) -> tuple[str, str] | None:
    """(server, tool) of a tool that is called ``mcp__SERVER__TOOL``; None for any other."""
    kind, _, rest = tool.partition("__")
    server, _, name = rest.partition("__")
    return (server, name) if kind == "mcp" and server and name else None


__all__ = ["ServerCommand", "load", "split"]
