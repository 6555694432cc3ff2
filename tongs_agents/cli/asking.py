"""Asking the person at the terminal; standard output is left to the answer."""

from __future__ import annotations

import sys

from tongs_agents.cli import printing


def has_terminal() -> bool:
    """True where somebody can be shown something and answer."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def asked_on_terminal(screen: tuple[str, ...]) -> bool:
    """Show the screen and ask whether to type into it; anything but y or yes is a no."""
    printing.note("The screen of the pane, between the lines:")
    printing.note("─" * 60)
    for line in screen:
        printing.note(line.rstrip())
    printing.note("─" * 60)
    sys.stderr.write("Paste the text there and press Enter? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


__all__ = ["asked_on_terminal", "has_terminal"]
