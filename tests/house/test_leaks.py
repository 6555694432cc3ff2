"""The leak check of `tests/leaks.py`, seen to work on runs that leave things behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.belongings import VARIABLE, directories_of, new_run_id, processes_of
from tests.waiting import wait_for

ROOT = Path(__file__).parents[2]

LEAKY = """
import os, pathlib, signal, subprocess, sys
from tests.belongings import short_directory

def test_leaves_things_behind():
    socket = short_directory() / "s"
    tmux = ["tmux", "-f", "/dev/null", "-S", str(socket)]
    subprocess.run([*tmux, "new-session", "-d", "trap '' HUP; sleep 300; :"], check=True)
    if "stopped" in ENDS:
        server = subprocess.check_output([*tmux, "display-message", "-p", "#{pid}"])
        os.kill(int(server), signal.SIGSTOP)
    subprocess.Popen(["sleep", "300"], start_new_session=True)
    # Without the variable it is known by the socket in its arguments.
    subprocess.Popen(["sh", "-c", "sleep 300; : " + str(socket)], env={}, start_new_session=True)
    pathlib.Path("ready").touch()
    if "waits" in ENDS:
        signal.pause()
    assert "passes" in ENDS

def test_is_clean():
    pass
"""


class Run(NamedTuple):
    """How a leaky run ends, on how many workers, and the signal that ends it."""

    test_id: str
    ends: str
    workers: int
    number: signal.Signals | None = None
    whole_group: bool = False


RUNS = [
    Run("a test that passes", "passes", 0),
    Run("a test that fails", "fails", 0),
    Run("a test that fails in a worker, its server stopped", "fails stopped", 2),
    Run("interrupted", "waits", 0, signal.SIGINT),
    Run("Ctrl-C on workers, which reaches them all", "waits", 2, signal.SIGINT, whole_group=True),
    Run("terminated", "waits", 0, signal.SIGTERM),
    Run("hung up", "waits stopped", 0, signal.SIGHUP),
]


@pytest.fixture
def inner_run(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The id that encloses the run that a test starts, so that it finds that run's things."""
    run_id = new_run_id(os.environ)
    monkeypatch.setenv(VARIABLE, run_id)
    yield run_id
    for process in processes_of(run_id):
        process.kill()


def _start(folder: Path, workers: int) -> subprocess.Popen[str]:
    argv = [sys.executable, "-m", "pytest", "-p", "tests.leaks", "-p", "no:cacheprovider"]
    return subprocess.Popen(
        [
            *argv,
            "-o",
            "leak_grace_s=0.1",
            "-c",
            os.devnull,
            "--rootdir",
            str(folder),
            "-n",
            str(workers),
            str(folder),
        ],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        start_new_session=True,
    )


@pytest.mark.parametrize("run", [pytest.param(run, id=run.test_id) for run in RUNS])
def test_a_run_that_leaves_things_behind_fails_and_they_are_gone(
    run: Run, tmp_path: Path, inner_run: str
):
    (tmp_path / "test_leaky.py").write_text(f"ENDS = {run.ends!r}\n{LEAKY}", encoding="utf-8")
    pytest_process = _start(tmp_path, run.workers)
    wait_for(
        lambda: (tmp_path / "ready").exists() or pytest_process.poll() is not None,
        deadline=30,
        what="the leaky test to get going",
    )
    if run.number is not None:
        send = os.killpg if run.whole_group else os.kill
        send(pytest_process.pid, run.number)
    output, _ = pytest_process.communicate(timeout=60)

    assert pytest_process.returncode != 0, output
    assert "the tests left this behind" in output
    assert "sleep 300" in output
    assert "tmux -f /dev/null -S" in output
    assert processes_of(inner_run) == []
    assert directories_of(inner_run) == []


def test_a_clean_run_passes(tmp_path: Path, inner_run: str):
    (tmp_path / "test_clean.py").write_text("def test_nothing(): pass\n", encoding="utf-8")
    pytest_process = _start(tmp_path, workers=0)
    output, _ = pytest_process.communicate(timeout=60)
    assert (pytest_process.returncode, "left" in output) == (0, False), output
