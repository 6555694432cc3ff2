"""``gc`` removes what is over, every file of it, and nothing that may live."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.agents.cli_rig import Cli
from tests.waiting import wait_for
from tongs_mux.files import locked


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


def _leave(path: Path, *, hours: float = 2) -> Path:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.touch(mode=0o600)
    then = time.time() - hours * 3600
    os.utime(path, (then, then))
    return path


def test_what_a_kill_left_behind_goes_after_an_hour(cli: Cli):
    launch = cli.spawn("cat")
    cli.ok("send", launch, "x")
    half = ".tmp-0123456789abcdef"
    old = [
        _leave(cli.state / "launches" / half),
        _leave(cli.state / "launches" / "a-gone-launch.lock"),
        _leave(cli.state / "sessions" / half),
        _leave(cli.state / "sessions" / "v1-gone.lock"),
        _leave(cli.runtime / "sends" / half),
        _leave(cli.runtime / "locks" / "a-gone-launch.send"),
        _leave(cli.runtime / "mcp-rate" / "a-gone-launch.json"),
        _leave(cli.runtime / "mcp-rate" / "a-gone-launch.tree.lock"),
    ]
    _edit(cli, launch, labels={"profile": "cat", "root": "a-gone-root"})
    kept = [
        _leave(cli.runtime / "mcp-rate" / f"{launch}.json"),
        _leave(cli.runtime / "mcp-rate" / "a-gone-root.tree.json"),
        _leave(cli.state / "launches" / ".tmp-fedcba9876543210", hours=0.9),
        _leave(cli.state / "launches" / ".tmp-of-somebody-else"),
        _leave(cli.state / "launches" / "another-launch.lock", hours=0.9),
        _leave(cli.state / "launches" / f"{launch}.lock"),
        _leave(cli.runtime / "locks" / f"{launch}.send"),
        _leave(cli.state / "audit" / half),
    ]
    link = cli.state / "launches" / ".tmp-00000000000000ff"
    link.symlink_to(kept[0])
    os.utime(link, (0, 0), follow_symlinks=False)
    assert cli.text("gc", "--dry-run").err == "would sweep up 8 left-over files\n"
    assert all(path.exists() for path in old)
    assert cli.text("gc").err == "swept up 8 left-over files\n"
    assert [path for path in old if path.exists()] == []
    assert [path for path in (*kept, link) if not path.is_symlink() and not path.exists()] == []
    assert cli.ok("agent-status", launch)["state"] == "running"
    assert cli.text("gc").err == ""


def test_a_lock_that_is_held_is_not_swept_up(cli: Cli):
    path = _leave(cli.state / "launches" / "a-gone-launch.lock")
    cli.state.chmod(0o700)
    with locked(path, deadline=1):
        cli.ok("gc")
        assert path.exists()
    cli.ok("gc")
    assert not path.exists()


BROKEN: list[dict[str, Any]] = [
    {"created_at": "x"},
    {"created_at": None},
    {"labels": None},
    {"launch_id": 5},
    {"claim": {"process": {"pid": [1], "start_token": "x"}}},
    {"pane": {"multiplexer": "tmux", "session": "s", "pane_id": "%0", "socket": None}},
]


@pytest.mark.parametrize("change", BROKEN, ids=[next(iter(each)) for each in BROKEN])
def test_one_broken_record_stops_no_verb_for_the_others(cli: Cli, change: dict[str, Any]):
    healthy, broken = cli.spawn("cat"), cli.spawn("cat")
    _edit(cli, broken, **change)
    listed = cli.run("list")
    assert [each["launch_id"] for each in listed.json["launches"]] == [healthy]
    assert broken in listed.err
    assert cli.ok("agent-status", healthy)["state"] == "running"
    assert cli.ok("gc")["removed"] == []
    assert cli.ok("send", healthy, "x")["receipt"] == "pasted"
    for verb in ("agent-status", "close"):
        answer = cli.run(verb, broken)
        assert (answer.code, "is not a launch record" in answer.json["error"]) == (1, True)
    assert cli.ok("close", healthy)["launch_id"] == healthy


def test_a_server_that_stays_without_any_pane_hides_no_end(cli: Cli):
    launch = cli.spawn("cat")
    cli.tmux("set-option", "-s", "exit-empty", "off")
    pid = cli.ok("agent-status", launch)["pid"]
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: cli.run("agent-status", launch).code == 3)
    wait_for(lambda: not cli.tmux("list-sessions"), what="the last pane to close")
    assert [each["state"] for each in cli.ok("list")["launches"]] == ["exited"]
    assert cli.ok("gc")["removed"] == [launch]
