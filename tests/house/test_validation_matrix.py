"""The rig's bookkeeping: pinned versions, cells, evidence and the table."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from validation.__main__ import main
from validation.cell import Cell, all_cells
from validation.claude import KEY
from validation.evidence import Ran, result_of, write
from validation.install import cache_of, installed, pinned
from validation.kinds import KINDS
from validation.matrix import page
from validation.troubles import CannotRun, NotHeld
from validation.world import World

CELL = Cell("draft", "a draft is refused", ("B1",), lambda stage: None)
RAN = Ran(CELL, "claude", "tmux", "claude 1, tmux 2", "loopback only", ("it held",), "")


def here(directory: Path) -> World:
    return World(directory, {})


def test_every_cell_is_named_once_and_says_what_it_shows():
    cells = all_cells()
    names = [cell.name for cell in cells]
    assert names == sorted(set(names))
    for cell in cells:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", cell.name)
        assert cell.promise
        assert cell.shows
        assert set(cell.harnesses) <= set(pinned())


def test_evidence_holds_no_place_no_key_and_no_id_of_a_run(tmp_path: Path):
    notes = (f"in {tmp_path}/app", f"key {KEY}", "launch 3f2a9c0d1e2b")
    file = write(replace(RAN, notes=notes), here(tmp_path), tmp_path / "evidence")
    text = file.read_text(encoding="utf-8")
    assert file.name == "claude-tmux-draft.txt"
    assert "- in WORLD/app\n- key KEY\n- launch ID\n" in text
    assert text.endswith("\nresult: held\n")


def test_what_did_not_hold_says_so(tmp_path: Path):
    write(replace(RAN, trouble="the draft is gone"), here(tmp_path), tmp_path)
    assert "- NOT: the draft is gone\n" in (tmp_path / f"{RAN.name}.txt").read_text("utf-8")
    assert result_of(RAN.name, tmp_path) == "not held"


def test_the_table_is_made_of_the_evidence_that_is_there(tmp_path: Path):
    other = replace(CELL, name="early")
    write(RAN, here(tmp_path), tmp_path)
    table = page([CELL, other], {"claude": "1.2.3"}, tmp_path)
    assert "| cell | promise | shows | claude 1.2.3 on tmux |" in table
    assert "| `draft` | a draft is refused | B1 | held |" in table
    assert "| `early` | a draft is refused | B1 | not run |" in table


def test_a_missing_npm_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CannotRun, match=r"^claude [0-9.]+ is not in the cache and npm is not on"):
        installed(pinned()["claude"], cache_of({"XDG_CACHE_HOME": str(tmp_path)}), print)


def test_a_missing_tmux_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main([]) == 1
    assert capsys.readouterr().err == (
        "validate: tmux is not on PATH: install it with your system's package manager.\n"
    )


def test_a_cell_that_ends_early_keeps_what_it_had_shown():
    from validation.stage import Stage  # here: the rig needs no product for the rest

    stage = Stage(KINDS["claude"], here(Path()), None, 0)  # type: ignore[arg-type]  # no terminal is touched
    stage.show("one held", True)
    with pytest.raises(NotHeld, match="two held: seen nothing"):
        stage.show("two held", False, "nothing")
    assert stage.notes == ["one held"]
