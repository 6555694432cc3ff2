"""The `zellij` program, bounded: here it is a script that does what the real one was seen to do."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tongs_mux.backends.zellij_cli import CLIENTS, PANES, ZellijCli, dump, without_session
from tongs_mux.backends.zellij_server import Served
from tongs_mux.errors import (
    BackendError,
    BackendOutputError,
    BackendTimeout,
    BackendUnavailable,
)
from tongs_mux.model import ProcessIdentity

SERVED = Served(ProcessIdentity(1, "boot:1"), "/the/door")
QUICK = 0.4
SLACK = 4.0


def cli(directory: Path, script: str, *, deadline: float = 5.0, **environ: str) -> ZellijCli:
    program = directory / "zellij"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    given = {"PATH": os.environ["PATH"], **environ}
    return ZellijCli(environ=given, deadline=deadline, zellij_bin=str(program))


def calls(directory: Path) -> int:
    return len((directory / "calls").read_text(encoding="utf-8").splitlines())


def test_only_the_session_behind_the_door_is_ever_meant(tmp_path: Path):
    found = cli(
        tmp_path, 'echo "$*"; env', ZELLIJ="0", ZELLIJ_SESSION_NAME="mine", ZELLIJ_PANE_ID="3",
        ZELLIJ_SOCKET_DIR="/elsewhere", TMUX="/s,1,0", TMUX_PANE="%1", HOME="/nowhere",
    )  # fmt: skip
    first, *environ = found.act(SERVED, "paste", "--", "a b").splitlines()
    assert first == "--session s action paste -- a b"
    names = {line.partition("=")[0]: line.partition("=")[2] for line in environ}
    assert {it for it in names if it.startswith(("ZELLIJ", "TMUX"))} == {"ZELLIJ_SOCKET_DIR"}
    assert (names["ZELLIJ_SOCKET_DIR"], names["HOME"]) == ("/the/door", "/nowhere")


def test_what_names_a_session_is_left_out_and_nothing_else():
    kept = {"HOME": "/h", "XDG_RUNTIME_DIR": "/r", "MY_ZELLIJ": "x"}
    assert without_session({**kept, "TMUX": "t", "ZELLIJ_AUTO_ATTACH": "true"}) == kept


@pytest.mark.case("E3")
def test_one_that_hangs_is_ended_at_the_deadline(tmp_path: Path):
    hanging = cli(tmp_path, "exec sleep 1000", deadline=QUICK)
    for attempt in (lambda: hanging.ask(SERVED, PANES, CLIENTS), lambda: hanging.act(SERVED, "x")):
        begun = time.monotonic()
        with pytest.raises(BackendTimeout) as raised:
            attempt()
        assert time.monotonic() - begun < QUICK + SLACK
        assert "server" in raised.value.hint


@pytest.mark.case("E6")
def test_a_no_is_an_error_with_what_was_said(tmp_path: Path):
    refusing = cli(
        tmp_path, '[ "$1" = --version ] && echo zellij 0.45.1; echo "no: $6" >&2; exit 2'
    )
    with pytest.raises(BackendError, match="close-pane: no: terminal_3"):
        refusing.act(SERVED, "close-pane", "--pane-id", "terminal_3")


LISTED = '[{"id": 1, "is_plugin": false}]'
OTHERS = {
    "nothing": "",
    "a new pane's": "terminal_3",
    "a list of tabs": '[{"tab_id": 0, "is_sync_panes_active": false}]',
    "a screen": "[1] 4711",
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
def test_an_answer_of_nothing_or_of_anothers_is_asked_for_again(tmp_path: Path, other: str):
    lost = f"[ $(wc -l <{tmp_path}/calls) -lt 3 ] && {{ printf %s '{other}'; exit 0; }}"
    script = f"echo x >>{tmp_path}/calls; {lost}; echo '{LISTED}'"
    assert cli(tmp_path, script).ask(SERVED, PANES) == [f"{LISTED}\n"]
    assert calls(tmp_path) == 3


def test_an_answer_that_never_comes_is_asked_for_again(tmp_path: Path):
    script = (
        f"echo x >>{tmp_path}/calls; [ $(wc -l <{tmp_path}/calls) -gt 1 ] || exec sleep 60; "
        f"echo '{LISTED}'"
    )
    assert cli(tmp_path, script, deadline=1.5).ask(SERVED, PANES) == [f"{LISTED}\n"]


def test_a_no_to_what_only_reads_is_asked_again_for_it_can_be_anothers(tmp_path: Path):
    script = (
        f"echo x >>{tmp_path}/calls; [ $(wc -l <{tmp_path}/calls) -gt 1 ] || "
        f"{{ echo 'Timeout listing tabs' >&2; exit 2; }}; echo '{LISTED}'"
    )
    script = f'[ "$1" = --version ] && {{ echo zellij 0.45.1; exit; }}; {script}'
    assert cli(tmp_path, script).ask(SERVED, PANES) == [f"{LISTED}\n"]
    assert calls(tmp_path) == 2


def test_a_screen_is_read_from_a_file_of_the_calls_own_never_from_an_answer(tmp_path: Path):
    """What is printed can be any pane's screen: nothing in it would tell."""
    served = Served(SERVED.server, str(tmp_path))
    script = (
        f"echo x >>{tmp_path}/calls; echo the screen of another; "
        f'[ $(wc -l <{tmp_path}/calls) -gt 1 ] || exit 0; printf "mine>" >"$9"'
    )
    assert cli(tmp_path, script).ask(served, dump("terminal_1")) == ["mine>\n"]
    assert calls(tmp_path) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["calls", "zellij"]


def test_one_that_never_says_anything_is_no_answer(tmp_path: Path):
    with pytest.raises(BackendOutputError, match="nothing"):
        cli(tmp_path, "exit 0").ask(SERVED, PANES)


def test_an_act_that_said_nothing_is_not_done_again(tmp_path: Path):
    assert cli(tmp_path, f"echo x >>{tmp_path}/calls").act(SERVED, "paste") == ""
    assert calls(tmp_path) == 1


def test_an_act_that_was_not_sent_is_sent_again(tmp_path: Path):
    """It asks first whether the session is there, and misses the answer at times."""
    script = (
        f"echo x >>{tmp_path}/calls; [ $(wc -l <{tmp_path}/calls) -gt 2 ] && exit 0; "
        'echo "There is no active session!" >&2; exit 1'
    )
    cli(tmp_path, script).act(SERVED, "paste")
    assert calls(tmp_path) == 3


def test_a_session_that_is_not_there_is_an_error_in_the_end(tmp_path: Path):
    script = (
        f'[ "$1" = --version ] && {{ echo zellij 0.45.1; exit; }}; echo x >>{tmp_path}/calls; '
        'echo "There is no active session!" >&2; exit 1'
    )
    with pytest.raises(BackendError, match="no active session"):
        cli(tmp_path, script).act(SERVED, "paste")
    assert calls(tmp_path) == 5


@pytest.mark.case("E1")
@pytest.mark.parametrize("version", ["0.43.1", "0.44.1", "0.9.9"])
def test_an_old_one_is_unsupported(tmp_path: Path, version: str):
    with pytest.raises(BackendUnavailable, match="too old") as raised:
        cli(tmp_path, f"echo zellij {version}").require()
    assert raised.value.reason == "unsupported"


@pytest.mark.parametrize("version", ["0.44.2", "0.44.10", "0.45.1", "1.0.0"])
def test_a_new_one_is_enough(tmp_path: Path, version: str):
    cli(tmp_path, f"echo zellij {version}").require()


def test_an_old_ones_ignorance_of_an_action_is_its_age(tmp_path: Path):
    script = (
        '[ "$1" = --version ] && { echo zellij 0.43.1; exit; }; echo "unknown action" >&2; exit 2'
    )
    with pytest.raises(BackendUnavailable, match=r"0\.43\.1 is too old"):
        cli(tmp_path, script).ask(SERVED, PANES)


def test_one_that_tells_no_version_is_unsupported(tmp_path: Path):
    with pytest.raises(BackendUnavailable):
        cli(tmp_path, "echo something else").require()


def test_one_that_is_missing_is_unsupported(tmp_path: Path):
    missing = ZellijCli(environ={}, zellij_bin=str(tmp_path / "nothing"))
    with pytest.raises(BackendUnavailable, match="can't be run"):
        missing.version()


def test_options_are_asked_for_once_and_not_assumed(tmp_path: Path):
    script = f"echo x >>{tmp_path}/calls; echo '      --no-focus  if set'"
    found = cli(tmp_path, script)
    assert found.knows("new-pane", "--no-focus")
    assert not found.knows("new-pane", "--no")
    assert calls(tmp_path) == 1
