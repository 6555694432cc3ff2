"""What the caller left open, left closed, or said about its locale breaks no verb."""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path

import pytest

from tests.agents.cli_rig import PROGRAM, Cli
from tests.waiting import wait_for


@pytest.fixture(autouse=True)
def configured(cli: Cli) -> None:
    cli.configure()


def test_a_server_that_we_start_holds_nothing_of_our_caller(cli: Cli, tmp_path: Path):
    lock = os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    subprocess.run([PROGRAM, "spawn", "cat"], check=True, pass_fds=(lock,), cwd=cli.home)
    os.close(lock)
    with (tmp_path / "lock").open("rb") as again:
        fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert cli.tmux("list-panes", "-a")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_descriptors_break_no_act(cli: Cli, closed: str):
    def run(*words: str) -> int:
        argv = ["sh", "-c", f'exec "$0" "$@" {closed}', PROGRAM, *words]
        return subprocess.run(argv, cwd=cli.home, timeout=60).returncode

    assert run("spawn", "cat") == 0
    (launch,) = [each["launch_id"] for each in cli.ok("list")["launches"]]
    assert run("send", launch, "one word") == 0
    wait_for(lambda: "one word" in cli.screen(launch), what="the text")
    for words in (("list",), ("agent-status", launch), ("capture", launch), ("close", launch)):
        assert run(*words) == 0, words
    assert [line["action"] for line in cli.audited()] == ["spawn", "send", "close"]


@pytest.mark.case("A22")
def test_no_verb_needs_a_utf_8_locale(cli: Cli):
    bare = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    launch = str(cli.ok("spawn", "cat", environ=bare)["launch_id"])
    cli.ok("send", launch, "-", stdin="a ❯ 項".encode(), environ=bare)
    wait_for(lambda: "a ❯ 項" in cli.screen(launch), what="the text")
    assert cli.ok("list", environ=bare)["launches"][0]["state"] == "running"
    cli.ok("close", launch, environ=bare)
