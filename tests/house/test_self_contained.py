"""Nothing in the repository names the machine it was written on, or a registry's host."""

from __future__ import annotations

import re

import pytest

from tests.house.tree import ROOT, files

MACHINE = re.compile(r"(?<![\w.$}~-])/(?:root|work)/|(?<![\w.$}~-])/(?:home|Users)/\w")
HOSTS = re.compile(
    r"pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|crates\.io|deb\.debian\.org|proxy\.golang\.org"
)


def _texts() -> list[tuple[str, str]]:
    return [(name, (ROOT / name).read_text(encoding="utf-8", errors="replace")) for name in files()]


@pytest.mark.parametrize("pattern", [MACHINE, HOSTS], ids=["machine", "hosts"])
def test_no_file_names_a_place_of_its_own_machine(pattern: re.Pattern[str]):
    found = [
        f"{name}:{number}: {line.strip()[:100]}"
        for name, text in _texts()
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]
    assert found == []


@pytest.mark.parametrize("user", ["root", "work"])
def test_such_a_place_would_be_seen(user: str):
    assert MACHINE.search(f"cwd = '/{user}/main'")
    assert not MACHINE.search(f"docs/{user}/main")
