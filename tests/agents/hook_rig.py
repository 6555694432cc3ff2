"""A world for hooks: real places, a launch record, and a claimed process that runs commands."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tongs_agents.hooks.command import DIRECTORY, HookHarness, Source, hook_command
from tongs_agents.paths import Places, environment
from tongs_agents.sessions import Session, SessionStore
from tongs_mux.claims import LaunchStore
from tongs_mux.files import private_dir
from tongs_mux.model import Claim, LaunchRecord, PaneRef, ProcessIdentity
from tongs_mux.process import identity, system_processes

LAUNCH = "0123456789ab"
ANSWER_S = 30
"""So long a hook may take in a test before it hangs."""
STAND_IN = Path(__file__).with_name("hook_stand_in.py")
PYTHON = Path(os.path.realpath(sys.executable))
SERVER = ProcessIdentity(1, "x:1")

SHELLS = {
    "dash": ("dash", "-c"),
    "bash": ("bash", "-c"),
    "bash as sh": ("bash", "--posix", "-c"),
    "busybox": ("busybox", "ash", "-c"),
}


def shells() -> list[Any]:
    """Every shell as a parameter: dash and bash, and busybox where it is installed."""
    return [
        pytest.param(words, id=name)
        for name, words in SHELLS.items()
        if name != "busybox" or shutil.which("busybox") is not None
    ]


NESTED = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:], stdin=0).returncode)"
"""A harness inside a harness: it runs its own hooks."""


class Ended(NamedTuple):
    """How a hook ended."""

    code: int
    output: str
    errors: str


SILENT = Ended(0, "", "")


@dataclass
class World:
    """Places of one test, and the stand-in that is the claimed process."""

    root: Path
    environ: dict[str, str]
    process: subprocess.Popen[str] | None = None
    places: Places = field(init=False)

    def __post_init__(self) -> None:
        self.places = Places(
            self.root / "config.toml", self.root / "state dir", self.root / "run é"
        )

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    @property
    def pulse(self) -> Path:
        return self.places.runtime_dir / "pulses" / LAUNCH

    @property
    def bell(self) -> Path:
        return self.places.runtime_dir / "bells" / LAUNCH

    @property
    def launches(self) -> LaunchStore:
        return LaunchStore(self.places.launches)

    def sessions(self) -> tuple[Session, ...]:
        return SessionStore(self.places.sessions).all()

    def record(self, *, harness: str = "claude", **changes: Any) -> LaunchRecord:
        """Write the record of a launch that the stand-in has claimed."""
        who = identity(system_processes(), self.pid)
        assert who is not None
        values: dict[str, Any] = {
            "launch_id": LAUNCH,
            "created_at": 1.0,
            "argv": ("claude",),
            "cwd": "/",
            "labels": {"harness": harness, "hooks": "attached"},
            "places": {
                "config": str(self.places.config),
                "state_dir": str(self.places.state_dir),
                "runtime_dir": str(self.places.runtime_dir),
            },
            "pane": PaneRef("tmux", "agents", "%1", "/s"),
            "claim": Claim(who, "%1", "/s", SERVER, 2.0),
        }
        record = LaunchRecord(**{**values, **changes})
        private_dir(self.places.launches)
        self.launches.update(record)
        return record

    def start(self, *, program: Path = PYTHON, **extra: str) -> None:
        """Become the claimed process: its environment names its own pid, as a launcher does it."""
        for name in ("pulses", "bells"):
            private_dir(self.places.runtime_dir / name)
        private_dir(self.places.state_dir)
        ours = environment(self.places, LAUNCH, 0)
        ours = {name: value for name, value in ours.items() if not name.endswith("_PID")}
        script = 'export TONGS_AGENTS_LAUNCH_PID=$$; exec "$0" "$@"'
        self._start(["sh", "-c", script, str(program)], {**ours, **extra})

    def start_unlaunched(self, **extra: str) -> None:
        """A harness that nobody launched."""
        self._start([str(PYTHON)], extra)

    def _start(self, words: list[str], ours: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [*words, "-I", "-S", str(STAND_IN)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env={**self.environ, **ours},
        )

    def ask(self, argv: list[str], payload: bytes | None = None, **request: Any) -> list[Ended]:
        """Let the stand-in run ``argv``."""
        assert self.process is not None
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        file = self.root / "payload"
        if payload is not None:
            file.write_bytes(payload)
            request["payload"] = str(file)
        self.process.stdin.write(json.dumps({"argv": argv, **request}) + "\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], ANSWER_S)
        assert ready, f"no end of {argv} within {ANSWER_S} s"
        return [Ended(*one) for one in json.loads(self.process.stdout.readline())]

    def hook(
        self,
        event: str,
        payload: Any = None,
        *,
        shell: tuple[str, ...] = SHELLS["dash"],
        before: tuple[str, ...] = (),
        command: str | None = None,
        **request: Any,
    ) -> Ended:
        """Run the hook of one event as a harness does; ``before`` comes before the shell."""
        text = hook(event) if command is None else command
        data = payload if isinstance(payload, bytes) else json.dumps(told(payload)).encode("ascii")
        return self.ask([*before, *shell, text], data, **request)[0]

    def end(self) -> None:
        if self.process is None:
            return
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def hook(
    event: str,
    harness: HookHarness = "claude",
    source: Source = "attached",
    python: Path = PYTHON,
    directory: Path = DIRECTORY,
) -> str:
    """The registered command of an event."""
    return hook_command(harness, source, event, python=python, directory=directory)


def told(fields: Mapping[str, Any] | None) -> dict[str, Any]:
    """A payload as Claude Code gives it."""
    common = {"session_id": "11-22", "cwd": "/project", "transcript_path": "/t.jsonl"}
    return {**common, **(fields or {})}


@contextmanager
def world_at(root: Path) -> Iterator[World]:
    """A world below ``root``; its stand-in ends with the block."""
    made = World(root, dict(os.environ))
    try:
        yield made
    finally:
        made.end()


@contextmanager
def launched(root: Path) -> Iterator[World]:
    """A launch of harness claude, claimed by a living stand-in."""
    with world_at(root) as made:
        made.start()
        made.record()
        yield made


@contextmanager
def unlaunched(root: Path) -> Iterator[World]:
    """A harness that nobody launched, in places that do not exist yet."""
    with world_at(root) as made:
        made.start_unlaunched(TONGS_AGENTS_STATE_DIR=str(made.places.state_dir))
        yield made


def named(program: str, directory: Path) -> Path:
    """Python under another name, by which the system then knows its process."""
    path = directory / program
    path.symlink_to(PYTHON)
    return path


def pulsed(world: World) -> bool:
    """True where a tool event has left its pulse."""
    return world.pulse.exists()
