"""The table of CONTRIBUTING.md names every folder of code, and none that is gone."""

from __future__ import annotations

import re

from tests.house.tree import PACKAGES, ROOT, modules


def _paths() -> set[str]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("| path | purpose |")[2].partition("\n\n")[0]
    firsts = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    return {path for cell in firsts for path in re.findall(r"`([^`]+)/`", cell)}


def test_every_path_of_the_table_exists():
    assert {path for path in _paths() if not (ROOT / path).is_dir()} == set()


def test_every_folder_of_code_is_in_the_table():
    folders = {name.rpartition("/")[0] for name in modules(*PACKAGES, "tests", "scripts")}
    assert folders - _paths() == set()
