"""The demo: a newcomer's first minute holds step by step, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.belongings import VARIABLE, processes_of
from tests.pages import alike, blocks
from tests.waiting import wait_for
from tests.zellij import need_zellij
from tongs_agents.demo.scenes import SCENES

COMMAND = [sys.executable, "-I", "-m", "tongs_agents.cli.main", "demo"]


@pytest.fixture(params=["tmux", "zellij"])
def multiplexer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "zellij":
        monkeypatch.setenv("PATH", f"{Path(need_zellij()).parent}:{os.environ['PATH']}")
    return str(request.param)


def test_each_step_holds_and_names_the_audit_line_that_proves_it(
    multiplexer: str, short_dir: Path, world: Path
) -> None:
    command = [*COMMAND, "--multiplexer", multiplexer, "--json"]
    environ = {**os.environ, "TMPDIR": str(short_dir)}
    done = subprocess.run(command, capture_output=True, check=False, timeout=240, env=environ)
    document: dict[str, Any] = json.loads(done.stdout)
    assert (done.returncode, document["ok"]) == (0, True), document
    assert [step["name"] for step in document["steps"]] == [
        scene.__name__.replace("_", "-") for scene in SCENES
    ]
    for step in document["steps"]:
        assert step["ok"] is True
        assert step["seconds"] >= 0
        assert step["audit"]["phase"] == "outcome", step
    if multiplexer == "tmux":
        (excerpt,) = blocks("README.md", "text")
        said = "\n".join(alike(done.stderr.decode()))
        for part in "\n".join(alike(excerpt)).split("\n …\n"):
            assert part in said, "the README shows another demo"
    refused = [s["audit"]["reason"] for s in document["steps"] if "reason" in s["audit"]]
    assert refused == [
        "not-opted-in",
        "draft",
        "dialog",
        "copy-mode",
        "not-granted",
        "unknown",
        "replaced",
    ]
    assert list(short_dir.iterdir()) == []
    assert [path for path in world.rglob("*") if path.is_file()] == []
    assert _left(short_dir) == []


def _left(directory: Path) -> list[str]:
    """What still runs of a demo that had its places there."""
    found: list[str] = []
    for process in processes_of(os.environ[VARIABLE]):
        with contextlib.suppress(psutil.NoSuchProcess):
            found.append(" ".join(process.cmdline()))
    return [words for words in found if f"{directory}/tongs-demo-" in words]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_demo_that_is_interrupted_leaves_nothing_behind(
    number: signal.Signals, multiplexer: str, short_dir: Path
) -> None:
    environ = {**os.environ, "TMPDIR": str(short_dir)}
    command = [*COMMAND, "--multiplexer", multiplexer]
    demo = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environ)
    assert demo.stdout is not None
    for line in demo.stdout:
        if " 2. " in line:
            break
    stage = next(short_dir.glob("tongs-demo-*"))
    demo.send_signal(number)
    demo.stdout.read()
    demo.stdout.close()
    assert demo.wait(timeout=60) == 128 + number
    assert not stage.exists()
    wait_for(lambda: _left(short_dir) == [], what="the end of what the demo started")


def test_without_zellij_the_demo_on_it_is_unsupported_and_says_what_to_install(
    short_dir: Path,
) -> None:
    environ = {**os.environ, "PATH": "/nowhere", "TMPDIR": str(short_dir)}
    command = [*COMMAND, "--multiplexer", "zellij", "--json"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60, env=environ)
    document = json.loads(done.stdout)
    assert (done.returncode, document["reason"]) == (6, "unsupported")
    assert "0.44.2" in document["error"]
    assert "install" in document["hint"]
    assert list(short_dir.iterdir()) == []
