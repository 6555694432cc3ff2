"""What every story has: a rig on a private multiplexer server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stories.mcp_rig import McpRig
from tests.stories.rig import Rig
from tests.stories.zellij_rig import ZellijRig
from tests.zellij import private_zellij


@pytest.fixture
def rig(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    tmux_socket: str,
    short_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Rig]:
    """On tmux; on what a test asks for by `ON_BOTH` or `on_both`."""
    if getattr(request, "param", "tmux") == "tmux":
        yield Rig(tmp_path / "rig", tmux_socket)
        return
    with private_zellij(short_dir, monkeypatch) as zellij:
        yield ZellijRig(tmp_path / "rig", zellij)


@pytest.fixture
def mcp(rig: Rig, short_dir: Path) -> Iterator[McpRig]:
    """The rig with agent control switched on."""
    found = McpRig(rig, short_dir)
    yield found
    found.end()
