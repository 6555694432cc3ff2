"""Many verified launches in a server of their own, one of them the scripted agent."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tongs_agents.config import load
from tongs_agents.launches import Starter, reader_of
from tongs_agents.multiplexers import BackendFactory
from tongs_agents.paths import Places
from tongs_agents.scripted_agent.options import MCP_VARIABLE
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
from validation.bench.bare import Bare

BENCH = Actor("cli")
NO_WAITS = Pauses(between_looks=0.0, before_enter=0.0, settle=0.0, step=0.0005)
"""The guards without their deliberate waits, and without the look after Enter."""

_CONFIG = """\
[workspace]
multiplexer = "{multiplexer}"
session = "bench"
{socket}

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
    bare: Bare
    """The multiplexer's own commands, as the floors take them."""

    @property
    def control(self) -> Controller:
        """The controller, without deliberate waits."""
        return self.starter.control

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
        """The floor: paste and Enter, looking at nothing."""
        self.bare.send(self.target.pane.pane_id if self.target.pane else "", text)


@contextmanager
def farm(bare_of: Callable[[Path], Bare]) -> Iterator[Farm]:
    """A farm with its target ready, on the multiplexer of these; everything is gone afterwards."""
    directory = Path(tempfile.mkdtemp(prefix="tongs-bench-", dir="/tmp"))
    bare = bare_of(directory)
    agent = Path(sys.executable).with_name("tongs-agents-scripted")
    config = directory / "config.toml"
    names = {"multiplexer": bare.multiplexer, "socket": bare.setting}
    text = _CONFIG.format(agent=agent, log=directory / "agent.jsonl", **names)
    config.write_text(text, encoding="utf-8")
    places = Places(config, directory / "state", directory / "run")
    private_dir(places.state_dir)
    private_dir(places.runtime_dir)
    environ = {**bare.environ, MCP_VARIABLE: "on-demand"}
    starter = _starter(places, directory, environ)
    try:
        target = starter.spawn(starter.config.profiles["agent"], BENCH).record
        made = Farm(directory, starter, target, environ, bare)
        _until_ready(made)
        yield made
    finally:
        bare.end()
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
