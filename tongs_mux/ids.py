"""Ids: what a launch id and a pane id look like, and how a new one is made."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_LAUNCH_ID = re.compile(r"[0-9a-z-]{8,64}\Z")
_PANE_IDS = {
    "tmux": re.compile(r"%[0-9]{1,9}\Z"),
    "zellij": re.compile(r"(terminal|plugin)_[0-9]{1,9}\Z"),
}


def is_launch_id(text: str) -> bool:
    """True where ``text`` may become part of a path (A70)."""
    return _LAUNCH_ID.match(text) is not None


def is_pane_id(multiplexer: str, text: str) -> bool:
    """True for a pane's own id; names, indexes and the empty string are none (C2, C6)."""
    pattern = _PANE_IDS.get(multiplexer)
    return pattern is not None and pattern.match(text) is not None


def zellij_pane(environ: Mapping[str, str]) -> str:
    """Id of the Zellij pane that a process with this initial environment is in, empty for none."""
    pane_id = f"terminal_{environ.get('ZELLIJ_PANE_ID', '')}"
    return pane_id if is_pane_id("zellij", pane_id) else ""


def new_launch_id(random_hex: Callable[[int], str]) -> str:
    """A fresh launch id: 12 hex digits out of ``random_hex(6)``."""
    return random_hex(6)


__all__ = ["is_launch_id", "is_pane_id", "new_launch_id", "zellij_pane"]
