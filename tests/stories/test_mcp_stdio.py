"""The proof of requirement 11 is a program that anybody can run, as it is written there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.requirement("11.1", "11.2", "11.3", "11.4", "11.5", "11.6")
def test_five_tools_then_nine_a_send_from_outside_is_refused_and_no_multiplexer_started(
    tmp_path: Path,
):
    argv = [sys.executable, "validation/mcp_stdio.py"]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=110)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.splitlines()[-1] == "mcp_stdio: all of it held"
    for words in ("exactly 5 tools", "exactly 9 tools", "audited, once"):
        assert words in done.stdout
