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

IN_THE_USERS_SHELL = frozenset(("codex",))
"""Harnesses that run hooks by ``$SHELL -lc``, which may be fish or csh."""

_SCRIPT = 'if [ -r "$6/front.sh" ]; then trap "exit 0" 0; . "$6/front.sh"; fi; exit 0'
"""Holds nothing that a shell reads differently between single quotes."""


def hook_command(
    harness: HookHarness,
    source: Source,
    event: str,
    *,
    python: Path,
    directory: Path = DIRECTORY,
) -> str:
    """The command for one event. Pure; nothing in it is of one launch.

    It is POSIX sh, and the front is sourced by the shell that the harness starts
    anyway; where that is the user's own, words that every shell reads alike start
    ``/bin/sh``. A removed program stays silent, and the trap makes any trouble end
    with 0: 2 would block a tool. Raises ValueError for an event that is no plain word.
    """
    if not (event.isascii() and event.isalnum()):
        raise ValueError(f"{event!r} is no name of an event")
    words = f"{harness} --from {source} {event}"
    places = f"{shlex.quote(str(python))} {shlex.quote(str(directory))}"
    if harness in IN_THE_USERS_SHELL:
        return f"/bin/sh -c '{_SCRIPT}' tongs-agents {words} {places}"
    front = shlex.quote(str(directory / "front.sh"))
    return (
        f"if [ -r {front} ]; then trap 'exit 0' 0; set -- {words} {places}; . {front}; fi; exit 0"
    )


__all__ = ["DIRECTORY", "IN_THE_USERS_SHELL", "HookHarness", "Source", "hook_command"]
