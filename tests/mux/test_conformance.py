"""Every backend passes the kit; so does the fake, or it would prove nothing of what uses it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.mux.fake_rig import FakeRig
from tests.mux.tmux_rig import TmuxRig
from tests.mux.zellij_rig import ZellijRig
from tests.zellij import private_zellij
from tongs_mux.testing import CHECKS, NotApplicable, Rig

RIGS: dict[str, Callable[[str, Path], Rig]] = {
    "fake": lambda socket, directory: FakeRig(),
    "fake-not-atomic": lambda socket, directory: FakeRig(atomic=False),
    "tmux": TmuxRig,
}

TWO_SESSIONS = {
    "pane_refs_are_whole",
    "open_says_what_it_opened",
    "open_beside_a_longer_name",
    "focus_shows_the_pane",
}
"""What is about two sessions of one server; `test_zellij_states` has these for Zellij's two."""

CASES = {
    "look_at_no_pane_finds_none": ("C2",),
    "history_of_no_pane_is_an_error": ("C2",),
    "targets_that_are_no_ids_reach_no_pane": ("C2",),
    "sessions_are_exact": ("C4",),
    "open_needs_its_session": ("C4",),
    "open_beside_a_longer_name": ("C4",),
    "close_ends_only_the_meant_pane": ("C4",),
    "titles_and_names_are_only_text": ("A22",),
    "paste_arrives_exact_and_bracketed": ("A2", "A5", "A7", "A10", "A12", "A17", "F7"),
    "paste_of_32_kib_arrives_whole": ("A14",),
    "enter_is_one_return": ("A1", "A6"),
    "a_moved_pane_is_still_reached": ("C6",),
    "another_server_holds": ("C1",),
    "another_process_holds": ("C1",),
    "a_respawned_pane_holds": ("C1",),
    "a_restarted_servers_pane_holds": ("C1",),
    "a_dead_pane_holds_and_the_server_lives": ("C12",),
    "a_mode_holds": ("B10",),
    "synchronized_panes_hold": ("B12",),
    "a_pattern_on_the_screen_holds": ("B3",),
    "a_pattern_not_on_the_screen_holds": ("B1", "B11"),
    "open_passes_argv_exactly": ("C11",),
    "open_steals_no_focus": ("C11",),
    "a_silent_server_is_a_timeout": ("D8", "E3"),
}
"""The field's cases that a check holds."""


def test_the_table_of_cases_names_checks_that_exist():
    assert set(CASES) <= set(CHECKS)


@pytest.mark.parametrize(
    "check",
    [pytest.param(name, marks=pytest.mark.case(*CASES.get(name, ()))) for name in CHECKS],
)
@pytest.mark.parametrize("rig", [*RIGS, "zellij"])
def test_backend(
    rig: str, check: str, tmux_socket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    if rig == "zellij" and check in TWO_SESSIONS:
        pytest.skip("a Zellij session is a server of its own")
    try:
        with made(rig, tmux_socket, tmp_path, monkeypatch) as ready:
            if check == "open_steals_no_focus" and not _can_leave_the_focus(ready):
                pytest.skip("before 0.45 Zellij has no --no-focus")
            CHECKS[check](ready)
    except NotApplicable as lacking:
        pytest.skip(f"{rig} has no {lacking}")


def _can_leave_the_focus(rig: Rig) -> bool:
    return not isinstance(rig, ZellijRig) or rig.zellij.knows("--no-focus")


@contextmanager
def made(rig: str, socket: str, directory: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    if rig == "zellij":
        with private_zellij(Path(socket).parent, monkeypatch) as zellij:
            yield ZellijRig(zellij, directory)
    else:
        yield RIGS[rig](socket, directory)


def test_the_kit_needs_neither_a_test_framework_nor_a_multiplexer():
    code = "import sys, tongs_mux.testing; print({'pytest', 'libtmux'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8")
    assert (done.stdout.strip(), done.returncode) == ("set()", 0), done.stderr
