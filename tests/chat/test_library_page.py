"""The page about the library: its program runs as it stands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.house.tree import ROOT
from tests.pages import blocks, page


def test_the_program_of_the_page_runs_as_it_stands_and_prints_what_it_says(tmp_path: Path) -> None:
    (program,) = blocks("docs/how-to/chat-library.md", "python")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)},
    )
    assert (done.returncode, done.stderr) == (0, "")
    for line in done.stdout.splitlines():
        assert f"`{line}`" in page("docs/how-to/chat-library.md")
    assert len(done.stdout.splitlines()) == 2
