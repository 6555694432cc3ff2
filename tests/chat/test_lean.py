"""What the hook reads of chat costs it nothing but SQLite."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.house.tree import ROOT, modules

LEAN = (
    "authorizer",
    "database",
    "delivery",
    "digest",
    "errors",
    "framing",
    "letter",
    "limits",
    "literals",
    "pending",
    "place",
    "queue",
    "roles",
    "schema",
)
"""The hook's modules."""


def _loaded(code: str) -> set[str]:
    words = [sys.executable, "-I", "-S", "-c", f"{code}; print(*sys.modules)"]
    return set(subprocess.run(words, capture_output=True, text=True, check=True).stdout.split())


@pytest.mark.requirement("4.9", "4.17")
def test_the_hooks_modules_import_nothing_but_sqlites_own() -> None:
    bare = _loaded("import sys")
    path = f"import sys; sys.path.append({str(ROOT)!r})"
    imports = "; ".join(f"import tongs_chat.{name}" for name in LEAN)
    more = _loaded(f"{path}; {imports}") - bare
    others = {name for name in more if not name.startswith("tongs_chat")}
    # What _sqlite3 itself brings along differs between versions of Python.
    sqlite = _loaded("import sys; import _sqlite3, posix, _stat") - bare
    assert others <= sqlite | {"_sqlite3", "posix", "_stat"}
    assert {f"tongs_chat.{name}" for name in LEAN} <= more


@pytest.mark.parametrize("name", modules("tongs_chat"))
def test_no_statement_binds_by_number(name: str) -> None:
    """Python 3.12 warns of ``?1`` with a sequence, and 3.14 refuses it."""
    assert re.search(r"\?\d", (ROOT / name).read_text(encoding="utf-8")) is None
