"""The stage: throw-away places and a multiplexer server of the demo's own, gone afterwards."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tongs_agents.demo.hands import Hands, hands_for
from tongs_agents.harness.inherited import cleaned

DEADLINE = 20.0
"""Seconds within which any one fact of the demo must come true."""

_CONFIG = """\
[workspace]
{workspace}

[control]
mcp_enabled = true

[profiles.worker]
command = ["{agent}", "--name", "worker"]
cwd = "{home}"
env = {{ TONGS_SCRIPTED_LOG = "{log}" }}
mcp_control = true

[profiles.lead]
command = ["{agent}", "--name", "lead"]
cwd = "{home}"
env = {{ TONGS_SCRIPTED_LOG = "{lead}" }}
mcp_control = true

[profiles.stranger]
command = ["{agent}", "--name", "stranger"]
"""


class SceneFailed(Exception):
    """A step did not hold; the message says what was seen instead."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What one command answered. ``command`` is as a person would type it."""

    command: str
    code: int
    json: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Stage:
    """Runs the product's own commands in places of its own; plays the person at the keys."""

    directory: Path
    environ: Mapping[str, str]
    say: Callable[[str], None]
    home: Path
    hands: Hands
    """The person's."""

    @property
    def log(self) -> Path:
        """The scripted worker's journal: each byte that it read, each prompt submitted."""
        return self.directory / "worker.jsonl"

    @property
    def lead_log(self) -> Path:
        """The same of the scripted lead."""
        return self.directory / "lead.jsonl"

    @property
    def audit(self) -> Path:
        """The control audit."""
        return self.directory / "state" / "audit" / "control.jsonl"

    def run(self, *words: str, stdin: str | None = None) -> Reply:
        """``tongs-agents WORDS --json`` as a process of its own, shown as a person types it."""
        shown = [stdin if word == "-" and stdin is not None else word for word in words]
        command = f"tongs-agents {' '.join(map(_short, shown))}"
        self.say(f"    $ {command}")
        return self.quietly(*words, stdin=stdin, command=command)

    def quietly(self, *words: str, stdin: str | None = None, command: str = "") -> Reply:
        """``run`` without showing it: for what is asked again and again."""
        program = (sys.executable, "-I", "-m", "tongs_agents.cli.main")
        done = subprocess.run(
            [*program, *words, "--json"],
            input=(stdin or "").encode("utf-8"),
            capture_output=True,
            timeout=60,
            env=dict(self.environ),
            cwd=self.home,
            check=False,
        )
        try:
            answer = json.loads(done.stdout)
        except ValueError:
            raise SceneFailed(
                f"`{command}` answered no JSON: {done.stderr.decode()[-300:]!r}"
            ) from None
        return Reply(command, done.returncode, answer)

    def ok(self, *words: str, stdin: str | None = None) -> Reply:
        """``run``, and SceneFailed where it does not end well."""
        reply = self.run(*words, stdin=stdin)
        if reply.code != 0 or reply.json.get("ok") is not True:
            raise SceneFailed(f"`{reply.command}` ended with {reply.code}: {reply.json}")
        return reply

    def journal(self, event: str, log: Path | None = None) -> list[dict[str, Any]]:
        """The worker's facts of one kind, oldest first, or those of another ``log``."""
        try:
            text = (log or self.log).read_text(encoding="utf-8")
        except FileNotFoundError:
            return []
        facts = [json.loads(line) for line in text.splitlines()]
        return [fact for fact in facts if fact["event"] == event]

    def typed(self) -> int:
        """How many bytes the worker has read from its terminal so far."""
        return sum(len(fact["hex"]) // 2 for fact in self.journal("bytes"))

    def audited(self, action: str, *, chat: bool = False) -> dict[str, Any]:
        """The newest outcome line of this action, in the chat audit or the control audit."""
        log = self.audit.with_name("chat.jsonl") if chat else self.audit
        lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
        found = [x for x in lines if x["action"] == action and x["phase"] == "outcome"]
        if not found:
            raise SceneFailed(f"the audit has no outcome line for {action}")
        return dict(found[-1])

    def wait(self, fact: Callable[[], Any], what: str) -> Any:
        """The fact once it is true. Raises SceneFailed at the deadline."""
        until = time.monotonic() + DEADLINE
        while not (seen := fact()):
            if time.monotonic() >= until:
                raise SceneFailed(f"{what} did not come true within {DEADLINE:g} s")
            time.sleep(0.02)
        return seen

    def screen(self, launch_id: str) -> str:
        """The launch's screen, as ``capture`` prints it."""
        return "\n".join(self.quietly("capture", launch_id).json.get("lines", []))


@contextmanager
def staged(
    environ: Mapping[str, str], say: Callable[[str], None], *, multiplexer: str, keep: bool
) -> Iterator[Stage]:
    """A stage; its server, processes and files are gone afterwards, however it ends.

    ``keep`` leaves them where they are. Raises Unsupported where the multiplexer is missing.
    """
    directory = Path(tempfile.mkdtemp(prefix="tongs-demo-", dir=_base()))
    try:
        stage = _set_up(environ, say, directory, multiplexer)
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise
    try:
        yield stage
    finally:
        if not keep:
            _strike(stage)


def _set_up(
    environ: Mapping[str, str], say: Callable[[str], None], directory: Path, multiplexer: str
) -> Stage:
    home = directory / "project"
    home.mkdir()
    own = _environment(environ, directory)
    hands = hands_for(multiplexer, directory, own)
    stage = Stage(directory, {**own, **hands.own}, say, home, hands)
    agent = Path(sys.executable).with_name("tongs-agents-scripted")
    text = _CONFIG.format(
        workspace=hands.workspace, agent=agent, home=home, log=stage.log, lead=stage.lead_log
    )
    (directory / "config.toml").write_text(text, encoding="utf-8")
    hands.begin()
    return stage


def _base() -> str:
    """The temporary directory, where a socket's path (107 bytes at most) fits below it."""
    usual = tempfile.gettempdir()
    return usual if len(usual.encode("utf-8")) <= 45 else "/tmp"  # noqa: S108 - a private one below


def _environment(environ: Mapping[str, str], directory: Path) -> dict[str, str]:
    own = {
        "TONGS_AGENTS_CONFIG": str(directory / "config.toml"),
        "TONGS_AGENTS_STATE_DIR": str(directory / "state"),
        "TONGS_AGENTS_RUNTIME_DIR": str(directory / "run"),
    }
    return cleaned(environ) | own


def _strike(stage: Stage) -> None:
    stage.hands.end()
    shutil.rmtree(stage.directory, ignore_errors=True)


def _short(word: str) -> str:
    text = word if len(word) <= 60 else f"{word[:40]}… ({len(word)} characters)"
    quoted = "'" + text.replace("\n", "⏎") + "'"
    return quoted if not word or set(word) & set(" \n'\"[]{}$#;\\…") else text


def environment_lines(stage: Stage) -> list[str]:
    """What to export to speak to a stage that was kept."""
    names = (
        *("TONGS_AGENTS_CONFIG", "TONGS_AGENTS_STATE_DIR", "TONGS_AGENTS_RUNTIME_DIR"),
        "ZELLIJ_SOCKET_DIR",
    )
    own = {name: stage.environ.get(name) for name in names}
    return [f"export {name}={value}" for name, value in own.items() if value is not None]


def process_gone(pid: int) -> bool:
    """True where no such process lives."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


__all__ = [
    "DEADLINE",
    "Reply",
    "SceneFailed",
    "Stage",
    "environment_lines",
    "process_gone",
    "staged",
]
