"""The registered command: what a harness hands to its shell, fixed from the first release."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Literal

HookHarness = Literal["claude", "codex", "scripted"]
"""A harness that runs hooks as shell commands."""

Source = Literal["installed", "attached"]
"""Whether the command stands in the user's own settings, or came with the launch (A72)."""

DIRECTORY = Path(__file__).parent
"""Where the front and its Python are."""


def hook_command(
    harness: HookHarness,
    source: Source,
    event: str,
    *,
    python: Path,
    directory: Path = DIRECTORY,
) -> str:
    """The command for one event, in POSIX sh. Pure; nothing in it is of one launch.

    The front is sourced by the shell that the harness starts anyway. A removed
    program stays silent, and the trap makes any trouble end with 0: 2 would
    block a tool. Raises ValueError for an event that is no plain word.
    """
    if not (event.isascii() and event.isalnum()):
        raise ValueError(f"{event!r} is no name of an event")
    front = shlex.quote(str(directory / "front.sh"))
    words = f"{harness} --from {source} {event}"
    places = f"{shlex.quote(str(python))} {shlex.quote(str(directory))}"
    return (
        f"if [ -r {front} ]; then trap 'exit 0' 0; set -- {words} {places}; . {front}; fi; exit 0"
    )


__all__ = ["DIRECTORY", "HookHarness", "Source", "hook_command"]
