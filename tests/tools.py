"""Programs that a test needs: without one it is skipped with the reason, under CI it fails."""

from __future__ import annotations

import os
import shutil

import pytest


def need_strace(why: str) -> None:
    """Skip where strace is missing; nothing is skipped under CI=true."""
    if shutil.which("strace") is None:
        assert os.environ.get("CI") != "true", "strace is missing"
        pytest.skip(f"needs strace {why}")
