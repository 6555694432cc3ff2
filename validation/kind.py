"""One kind of harness as the rig plays it: how it is set up, started, and asked for things."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tongs_mux.reader import Reader
from validation.model.record import Asked
from validation.world import World


class Shell(Protocol):
    """Makes the directives by which a harness's model runs a shell command."""

    def __call__(self, command: str, *, asks: bool = False) -> str:
        """For ``command``; with ``asks`` so that its user is asked first, where that is set up."""
        ...


def offers_as(prefix: str) -> Callable[[Asked, str], bool]:
    """For a harness that names every tool in each request, ours behind ``prefix``."""

    def offers(request: Asked, tool: str) -> bool:
        return any(each.get("name") == prefix + tool for each in request.body.get("tools", []))

    return offers


def tool_as(prefix: str) -> Callable[[str, Mapping[str, Any]], str]:
    """For a harness whose model calls such a tool by that name."""
    return lambda tool, arguments: f"[[tool:{prefix}{tool} {json.dumps(arguments)}]]"


@dataclass(frozen=True, slots=True)
class Dialog:
    """A dialog that the model can bring about: its reader's name, options, what is said."""

    name: str
    options: tuple[str, ...]
    script: str


@dataclass(frozen=True, slots=True)
class Kind:
    """What the rig knows of one harness. Its own module makes one."""

    name: str
    command: tuple[str, ...]
    """The profile's command, where nothing is to be asked of the user."""
    asking: tuple[str, ...]
    """Options that make it ask before it runs a command ..."""
    allowing: tuple[str, ...]
    """... and that make it run any tool that a cell uses without a question."""
    reader: Callable[[], Reader]
    environment: Callable[[int], Mapping[str, str]]
    """Its settings in the environment, for the model server's port."""
    seed: Callable[[World, int], None]
    """The least that takes a fresh home straight to the composer."""
    beside: Callable[[Path], Path]
    """What it makes outside of the home that it is given."""
    secrets: tuple[str, ...]
    """Made-up keys and parts of them, which no evidence shows."""
    shell: Shell
    write: Callable[[Path, str, int], str]
    """The directive that writes a file: a text so many times."""
    dialogs: tuple[Dialog, ...]
    subagent: str
    """Starts a subagent that touches ``by-the-subagent`` after four seconds, and ends the turn."""
    said: str | tuple[str, ...]
    """How a line of its own begins on its screen: an answer, or a tool that it calls."""
    tool: Callable[[str, Mapping[str, Any]], str]
    """The directive that calls a tool of our MCP server, by our own name for it."""
    offers: Callable[[Asked, str], bool]
    """Whether a request, which ``listing`` led to, offers the model that tool."""
    silent_on: frozenset[str] = frozenset()
    """Multiplexers on which its screen does not tell that it streams: its title does, elsewhere."""
    torn_on: frozenset[str] = frozenset()
    """Multiplexers that may tear its screen as its pane is made narrow, until it is drawn again."""
    listing: str = ""
    """What the model does first where a request does not name its tools."""
    leave: str = "/exit"
    """What its user types to leave it."""


__all__ = ["Dialog", "Kind", "Shell", "offers_as", "tool_as"]
