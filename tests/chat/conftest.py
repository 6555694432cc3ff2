"""What the tests of chat share: a chat file of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chat.rig import maintainer, store_path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the chat file will be; there is none yet."""
    return store_path(tmp_path)


@pytest.fixture
def store(path: Path) -> Path:
    """A chat file with nothing in it but the first channel."""
    maintainer(path).close()
    return path
