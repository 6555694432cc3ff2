"""``gc`` removes what is over, every file of it, and nothing that may live."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import Any

import pytest

from tests.agents.cli_rig import Cli
from tests.waiting import wait_for


@pytest.fixture(autouse=True)
def configured(cli: Cli) -> None:
    cli.configure()


def _edit(cli: Cli, launch: str, **changes: Any) -> None:
    path = cli.state / "launches" / f"{launch}.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**record, **changes}), encoding="utf-8")


def _named(cli: Cli, launch: str) -> list[str]:
    return sorted(name for name in cli.files() if launch in name)


def test_an_ended_launch_is_removed_with_every_file_of_it(cli: Cli):
    ended, alive = cli.spawn("worker"), cli.spawn("cat")
    cli.wait_ready(ended)
    cli.ok("send", ended, "x")
    cli.ok("close", ended)
    for name in (f"leftovers/{ended}.json", f"parcels/{ended}.json"):
        path = cli.runtime / name
        path.touch(mode=0o600)
    assert len(_named(cli, ended)) == 7
    assert cli.ok("gc", "--dry-run") == {"ok": True, "removed": [ended], "orphans": []}
    assert len(_named(cli, ended)) == 7
    assert cli.text("gc", "--dry-run").out == f"would remove worker {ended}\n"
    assert cli.ok("gc") == {"ok": True, "removed": [ended]}
    assert _named(cli, ended) == []
    assert cli.ok("agent-status", alive)["state"] == "running"
    line = cli.audited()[-1]
    assert (line["action"], line["target"], line["outcome"]) == ("gc", ended, "ok")
    assert cli.ok("gc") == {"ok": True, "removed": []}
    assert cli.text("gc").out == "nothing to remove\n"


def test_one_that_never_claimed_goes_after_a_minute(cli: Cli):
    launch = cli.spawn("cat")
    _edit(cli, launch, claim=None)
    assert cli.ok("gc")["removed"] == []
    _edit(cli, launch, created_at=time.time() - 61)
    assert cli.ok("gc")["removed"] == [launch]


def test_a_launch_whose_pane_was_taken_stays_while_its_process_lives(cli: Cli):
    launch = cli.spawn("cat")
    record = json.loads((cli.state / "launches" / f"{launch}.json").read_text(encoding="utf-8"))
    _edit(cli, launch, opened_pid=record["opened_pid"] + 1)
    assert cli.ok("agent-status", launch)["state"] == "replaced"
    assert cli.ok("gc")["removed"] == []


def test_no_answer_removes_nothing(cli: Cli):
    launch = cli.spawn("cat")
    server = int(cli.tmux("display-message", "-p", "#{pid}"))
    pid = cli.ok("agent-status", launch)["pid"]
    os.kill(server, signal.SIGSTOP)
    os.kill(pid, signal.SIGKILL)
    assert cli.ok("gc")["removed"] == []
    assert cli.ok("list")["launches"][0]["state"] == "unknown"
    os.kill(server, signal.SIGCONT)
    wait_for(lambda: cli.ok("gc")["removed"] == [launch])


def test_a_start_that_failed_is_removed(cli: Cli):
    assert cli.run("spawn", "missing").code == 1
    assert len(cli.ok("gc")["removed"]) == 1
