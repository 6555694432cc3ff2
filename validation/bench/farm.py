"""A private tmux server with many verified launches, one of them the scripted agent."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tongs_agents.config import load
from tongs_agents.harness.inherited import cleaned
from tongs_agents.launches import Starter, reader_of
from tongs_agents.multiplexers import BackendFactory
from tongs_agents.paths import Places
from tongs_agents.sessions import SessionStore
from tongs_agents.watching import Watch
from tongs_mux.acts import Actor
from tongs_mux.audit import AuditLog
from tongs_mux.claims import LaunchStore
from tongs_mux.control import Controller
from tongs_mux.files import private_dir
from tongs_mux.model import LaunchRecord
from tongs_mux.process import system_processes
from tongs_mux.send import Pauses

BENCH = Actor("cli")
NO_WAITS = Pauses(between_looks=0.0, before_enter=0.0, settle=0.0, step=0.0005)
"""The guards without their deliberate waits, and without the look after Enter."""

_CONFIG = """\
[workspace]
multiplexer = "tmux"
session = "bench"
socket = "{socket}"

[profiles.agent]
command = ["{agent}"]
env = {{ TONGS_SCRIPTED_LOG = "{log}" }}

[profiles.idle]
command = ["sleep", "100000"]
"""


@dataclass
class Farm:
    """Launches in one session; ``target`` is the scripted agent."""

    directory: Path
    starter: Starter
    target: LaunchRecord
    environ: dict[str, str]

    @property
    def control(self) -> Controller:
        """The controller, without deliberate waits."""
        return self.starter.control

    @property
    def socket(self) -> str:
        """The tmux server's socket."""
        return str(self.directory / "tmux")

    def grow(self, total: int) -> None:
        """Start idle launches until there are ``total`` in all."""
        profile = self.starter.config.profiles["idle"]
        while len(self.control.store.ids()) < total:
            self.starter.spawn(profile, BENCH)

    def records(self) -> tuple[LaunchRecord, ...]:
        """Every launch record."""
        return self.control.store.all()

    def read_after(self, act: Callable[[], object]) -> float:
        """Seconds from the start of ``act`` until the target program has read an Enter.

        Waits for the end of its turn before it returns.
        """
        with (self.directory / "agent.jsonl").open("rb") as log:
            log.seek(0, os.SEEK_END)
            start = time.time()
            act()
            new: list[dict[str, Any]] = []
            while not any(fact["event"] == "turn-end" for fact in new):
                line = log.readline()
                if line.endswith(b"\n"):
                    new.append(json.loads(line))
                else:
                    log.seek(-len(line), os.SEEK_CUR)
                    time.sleep(0.001)
        enters = [x["t"] for x in new if x["event"] == "bytes" and x["hex"].endswith("0d")]
        return float(enters[-1]) - start

    def send(self, text: str) -> None:
        """The product's send, all guards on."""
        self.control.send(self.target, text, reader_of(self.target), BENCH)

    def raw_send(self, text: str) -> None:
        """The floor: one tmux process that pastes and presses Enter, looking at nothing."""
        pane = self.target.pane.pane_id if self.target.pane else ""
        words = ["load-buffer", "-b", "raw", "-", ";", "paste-buffer", "-d", "-p", "-r", "-b"]
        words += ["raw", "-t", pane, ";", "send-keys", "-t", pane, "Enter"]
        self.tmux(*words, stdin=text.encode("utf-8"))

    def tmux(self, *words: str, stdin: bytes = b"") -> bytes:
        """One bare tmux process."""
        command = ["tmux", "-u", "-S", self.socket, *words]
        return subprocess.run(command, input=stdin, capture_output=True, check=True).stdout


@contextmanager
def farm() -> Iterator[Farm]:
    """A farm with its target ready; everything is gone afterwards."""
    directory = Path(tempfile.mkdtemp(prefix="tongs-bench-", dir="/tmp"))
    agent = Path(sys.executable).with_name("tongs-agents-scripted")
    config = directory / "config.toml"
    text = _CONFIG.format(socket=directory / "tmux", agent=agent, log=directory / "agent.jsonl")
    config.write_text(text, encoding="utf-8")
    places = Places(config, directory / "state", directory / "run")
    private_dir(places.state_dir)
    private_dir(places.runtime_dir)
    environ = cleaned(os.environ)
    starter = _starter(places, directory, environ)
    try:
        target = starter.spawn(starter.config.profiles["agent"], BENCH).record
        made = Farm(directory, starter, target, environ)
        _until_ready(made)
        yield made
    finally:
        kill = ["tmux", "-S", str(directory / "tmux"), "kill-server"]
        subprocess.run(kill, capture_output=True, check=False)
        shutil.rmtree(directory, ignore_errors=True)


def _starter(places: Places, directory: Path, environ: dict[str, str]) -> Starter:
    processes = system_processes()
    control = Controller(
        store=LaunchStore(places.launches),
        backends=BackendFactory(processes, environ),
        audit=AuditLog(places.control_audit, clock=time.time),
        processes=processes,
        runtime=places.runtime_dir,
    )
    control = replace(control, pauses=NO_WAITS)
    sessions = SessionStore(places.sessions)
    return Starter(
        control=control,
        watch=Watch(control, sessions, places.runtime_dir, time.time),
        places=places,
        config=load(places.config, home=directory),
        environ=environ,
        uid=os.getuid(),
        home=directory,
        cwd=directory,
        random_hex=secrets.token_hex,
    )


def _until_ready(made: Farm) -> None:
    reader = reader_of(made.target)
    until = time.monotonic() + 10
    while made.control.sight(made.target, reader).reading.composer != "empty":
        if time.monotonic() > until:
            raise TimeoutError("the scripted agent did not become ready")
        time.sleep(0.01)
