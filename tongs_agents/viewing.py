"""How a person gets to see the session that a pane is in."""

from __future__ import annotations

from shlex import quote

from tongs_mux.model import PaneRef


def attach_command(pane: PaneRef) -> str:
    """What to type in a terminal: it names the pane's own server, as a shell takes it. Pure."""
    if pane.multiplexer == "zellij" or pane.socket is None:
        return f"zellij attach {quote(pane.session)}"
    return f"tmux -S {quote(pane.socket)} attach -t {quote(pane.session)}"


__all__ = ["attach_command"]
