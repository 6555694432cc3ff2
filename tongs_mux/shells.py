"""Shells by their program file: one that is linked or copied under another name is one too."""

from __future__ import annotations

import filecmp
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tongs_mux.guards import SHELLS

_NAME_LENGTH = 15
"""Of a process's name, as Linux keeps it."""


def shell_of(program: str, known: str = "/etc/shells") -> str:
    """Name of the known shell that the file ``program`` is, or is a copy of; else empty."""
    try:
        info = os.stat(program)
        for name, path, other in _installed(known):
            if os.path.samestat(info, other):
                return name
            # every byte is compared, and only where the sizes are equal
            if info.st_size == other.st_size and filecmp.cmp(program, path, shallow=False):
                return name
    except OSError:
        return ""
    return ""


def is_script(name: str, argv: Sequence[str]) -> bool:
    """True where a shell runs a file that gave the process its ``name``: a program like others."""
    return any(os.path.basename(word)[:_NAME_LENGTH] == name for word in argv[1:])


@cache
def _installed(known: str) -> tuple[tuple[str, str, os.stat_result], ...]:
    """The system's login shells, each once. The list may name multiplexers too: no shells."""
    try:
        lines = Path(known).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ()
    found: dict[str, tuple[str, str, os.stat_result]] = {}
    for line in lines:
        path = os.path.realpath(line.strip())
        name = os.path.basename(path)
        # busybox is a shell only by some of its names
        if line.startswith("/") and name in SHELLS - {"busybox"} and os.path.exists(path):
            found[path] = (name, path, os.stat(path))
    return tuple(found.values())


__all__ = ["is_script", "shell_of"]
