"""The layers of the design, held by import-linter, which is seen to object."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.house.tree import PACKAGES, ROOT

LINT = Path(sys.executable).with_name("lint-imports")


def _lint(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [LINT, "--no-cache", "--config", str(folder / "pyproject.toml")],
        cwd=folder,
        env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )


def test_the_layers_hold():
    result = _lint(ROOT)
    assert result.returncode == 0, result.stdout


def test_every_contract_objects_to_what_it_forbids(tmp_path: Path):
    imports = {
        "tongs_agents": "",
        "tongs_chat": "import libtmux, tongs_mux",
        "tongs_mux": "import click, tongs_agents",
    }
    for package in PACKAGES:
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text(imports[package], encoding="utf-8")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    result = _lint(tmp_path)
    assert result.returncode == 1
    assert "0 kept, 3 broken" in result.stdout
