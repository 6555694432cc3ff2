"""How to get to see a pane, as a command that a shell takes."""

from __future__ import annotations

import shlex

import pytest

from tongs_agents.viewing import attach_command
from tongs_mux.model import PaneRef


@pytest.mark.parametrize(
    ("pane", "words"),
    [
        (PaneRef("tmux", "agents", "%0", "/s"), ["tmux", "-S", "/s", "attach", "-t", "agents"]),
        (PaneRef("tmux", "a 'b", "", "/x y"), ["tmux", "-S", "/x y", "attach", "-t", "a 'b"]),
        (PaneRef("zellij", "agents", "terminal_1", None), ["zellij", "attach", "agents"]),
        (PaneRef("zellij", "a b", "", None), ["zellij", "attach", "a b"]),
    ],
)
def test_the_command_names_the_panes_own_server(pane: PaneRef, words: list[str]):
    assert shlex.split(attach_command(pane)) == words
