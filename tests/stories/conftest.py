"""What every story has: a rig on a private tmux server."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.rig import Rig


@pytest.fixture
def rig(tmp_path: Path, tmux_socket: str) -> Rig:
    return Rig(tmp_path / "rig", tmux_socket)
