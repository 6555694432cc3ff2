"""Which answer is to which question, and the private sheet that a screen is read from."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from tongs_mux.backends.zellij_answers import is_answer, sheet, written
from tongs_mux.backends.zellij_cli import CLIENTS, PANES, TABS
from tongs_mux.errors import BackendError

SAID = {
    PANES: '[{"id": 0, "is_plugin": false}, {"id": 1, "is_plugin": true}]\n',
    TABS: '[{"tab_id": 0, "is_sync_panes_active": false}]\n',
    CLIENTS: "CLIENT_ID ZELLIJ_PANE_ID RUNNING_COMMAND\n",
    ("new-pane",): "terminal_3\n",
}


@pytest.mark.parametrize("asked", [PANES, TABS, CLIENTS], ids=lambda words: words[0])
def test_each_listing_is_told_from_every_other_answer(asked: tuple[str, ...]):
    answers = [said for said in (*SAID.values(), "", "null", "{}", "[1]") if is_answer(asked, said)]
    assert answers == [SAID[asked]]


def test_an_empty_listing_is_an_answer():
    assert is_answer(PANES, "[]")


def test_a_sheet_is_private_and_leaves_nothing(tmp_path: Path):
    with sheet(str(tmp_path)) as path:
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert written(path) is None
        path.write_bytes("a\n項".encode() + b"\xff")
        assert written(path) == "a\n項\ufffd\n"
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError):
        path.write_text("what comes late", encoding="ascii")


def test_an_empty_screen_is_a_screen(tmp_path: Path):
    with sheet(str(tmp_path)) as path:
        path.touch()
        assert written(path) == "\n"


def test_what_a_killed_process_left_is_removed_by_the_next_and_no_others(tmp_path: Path):
    with subprocess.Popen(["true"]) as ended:
        ended.wait()
    left = tmp_path / f"screen-{ended.pid}-x"
    others = [tmp_path / f"screen-{os.getppid()}-x", tmp_path / "screen-x", tmp_path / "1-2"]
    for directory in (left, *others):
        directory.mkdir()
        (directory / "screen").write_text("secret", encoding="ascii")
    with sheet(str(tmp_path)):
        pass
    assert sorted(tmp_path.iterdir()) == sorted(others)


def test_no_place_for_a_sheet_is_a_failure_of_the_call(tmp_path: Path):
    with pytest.raises(BackendError, match="no place"), sheet(str(tmp_path / "none")):
        pass
