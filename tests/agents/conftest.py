"""What the tests of the command line have: the real program, on a private tmux server."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agents.cli_rig import Cli


@pytest.fixture
def cli(world: Path, tmux_socket: str) -> Cli:
    """The command line in an empty home; what it starts ends with the test."""
    return Cli(world, tmux_socket)
