"""Runs the installed ``tongs-agents`` as a person or a script would, and looks at what it left."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tests.waiting import wait_for
from tongs_agents.cli.main import cli as root

BIN = Path(sys.executable).parent
PROGRAM = str(BIN / "tongs-agents")
SCRIPTED = str(BIN / "tongs-agents-scripted")

CONFIG = """\
[workspace]
{workspace}
session = "agents"

[profiles.worker]
command = ["{scripted}", "--name", "worker"]
env = {{ TONGS_SCRIPTED_LOG = "{home}/worker.jsonl" }}

[profiles.cat]
command = ["cat"]

[profiles.opaque]
command = ["cat"]
harness = "claude"

[profiles.missing]
command = ["no-such-command-anywhere"]
"""


@dataclass(frozen=True)
class Answer:
    """How one run ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one document on standard output."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


class Cli:
    """The program in a home of its own. ``run`` asks for JSON, ``text`` for people's lines."""

    def __init__(self, home: Path, socket: str, multiplexer: str = "tmux") -> None:
        self.home = home
        self.socket = socket
        self.multiplexer = multiplexer
        self.config = home / "config" / "tongs-agents" / "config.toml"
        self.state = home / "state" / "tongs-agents"
        self.runtime = home / "run" / "tongs-agents"

    def configure(self, more: str = "") -> None:
        """Write the config: a profile each for what the tests start."""
        self.config.parent.mkdir(parents=True, exist_ok=True)
        where = f'multiplexer = "{self.multiplexer}"'
        if self.multiplexer == "tmux":
            where += f'\nsocket = "{self.socket}"'
        text = CONFIG.format(workspace=where, scripted=SCRIPTED, home=self.home) + more
        self.config.write_text(text, encoding="utf-8")
        self.config.chmod(0o600)

    def text(
        self,
        *words: str | bytes,
        stdin: bytes = b"",
        environ: Mapping[str, str] | None = None,
        umask: int = -1,
    ) -> Answer:
        """One run, as it is."""
        done = subprocess.run(
            [PROGRAM, *words],
            input=stdin,
            capture_output=True,
            timeout=60,
            env={**os.environ, **(environ or {})},
            cwd=self.home,
            umask=umask,
        )
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())

    def run(self, verb: str, *words: str | bytes, **more: Any) -> Answer:
        """One run with ``--json``; ``verb`` may be two words. Nothing but notes beside it."""
        answer = self.text(*verb.split(), "--json", *words, **more)
        assert answer.json["ok"] is (answer.code == 0)
        if answer.code:
            assert answer.json["exit_code"] == answer.code
        return answer

    def ok(self, verb: str, *words: str | bytes, **more: Any) -> dict[str, Any]:
        """The document of a run that must end well."""
        answer = self.run(verb, *words, **more)
        assert answer.code == 0, answer
        return answer.json

    def refused(self, verb: str, *words: str | bytes, **more: Any) -> str:
        """The reason of a run that must end with 5."""
        answer = self.run(verb, *words, **more)
        assert (answer.code, answer.json["outcome"]) == (5, "refused"), answer
        return str(answer.json["reason"])

    def spawn(self, profile: str, *words: str | bytes) -> str:
        """A running launch's id."""
        found = self.ok("spawn", profile, *words)
        assert found["state"] == "running"
        return str(found["launch_id"])

    def tmux(self, *words: str) -> str:
        """A tmux command, by hand."""
        argv = ["tmux", "-u", "-S", self.socket, *words]
        return subprocess.run(argv, capture_output=True, check=True, text=True).stdout

    def screen(self, launch: str) -> str:
        """What ``capture`` shows."""
        return "\n".join(self.ok("capture", launch)["lines"])

    def wait_ready(self, launch: str) -> None:
        """Until the scripted agent shows its empty composer."""
        wait_for(lambda: "? for shortcuts" in self.screen(launch), what="an empty composer")

    def audited(self) -> list[dict[str, Any]]:
        """The outcome lines of the control audit, oldest first."""
        path = self.state / "audit" / "control.jsonl"
        if not path.exists():
            return []
        lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        return [line for line in lines if line["phase"] == "outcome"]

    def files(self) -> dict[str, str]:
        """Every file and directory of ours with its mode, by its path below the home."""
        places = (self.state, self.runtime)
        found = [each for place in places for each in (place, *place.rglob("*"))]
        return {
            str(each.relative_to(self.home)): oct(stat.S_IMODE(each.lstat().st_mode))
            for each in found
            if each.exists()
        }


def commands(
    group: click.Command = root, words: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command that can be called, groups too, with its words."""
    yield words, group
    if isinstance(group, click.Group):
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield from commands(command, (*words, name))


def arguments(command: click.Command) -> list[str]:
    """Something for each argument that a command needs."""
    return ["no-such" for each in command.params if isinstance(each, click.Argument)
            and each.required]  # fmt: skip
