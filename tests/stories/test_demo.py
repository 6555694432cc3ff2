"""The demo: a newcomer's first minute holds step by step, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.pages import alike, blocks
from tongs_agents.demo.scenes import SCENES

COMMAND = [sys.executable, "-I", "-m", "tongs_agents.cli.main", "demo"]


def test_each_step_holds_and_names_the_audit_line_that_proves_it() -> None:
    done = subprocess.run([*COMMAND, "--json"], capture_output=True, check=False, timeout=120)
    document: dict[str, Any] = json.loads(done.stdout)
    assert (done.returncode, document["ok"]) == (0, True), document
    assert [step["name"] for step in document["steps"]] == [
        scene.__name__.replace("_", "-") for scene in SCENES
    ]
    for step in document["steps"]:
        assert step["ok"] is True
        assert step["seconds"] >= 0
        assert step["audit"]["phase"] == "outcome", step
    (excerpt,) = blocks("README.md", "text")
    said = "\n".join(alike(done.stderr.decode()))
    for part in "\n".join(alike(excerpt)).split("\n …\n"):
        assert part in said, "the README shows another demo"
    refused = [s["audit"]["reason"] for s in document["steps"] if "reason" in s["audit"]]
    assert refused == ["draft", "dialog", "copy-mode", "unknown", "replaced"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_demo_that_is_interrupted_leaves_nothing_behind(
    number: signal.Signals, short_dir: Path
) -> None:
    environ = {**os.environ, "TMPDIR": str(short_dir)}
    demo = subprocess.Popen(COMMAND, stdout=subprocess.PIPE, text=True, env=environ)
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
