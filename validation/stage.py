"""What a cell works with: the product's command line, the model's log, the person's terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tongs_mux.reader import Reading
from validation.kind import Kind
from validation.model.record import Asked, asked
from validation.terminal import SESSION, Terminal, wait_for
from validation.troubles import NotHeld
from validation.world import World

CLI = "import sys; from tongs_agents.cli.main import main; sys.exit(main())"


_AGAIN = 2.0
"""Seconds after which a key that changed nothing is pressed again."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call of the command line said: exit code, and its JSON document."""

    code: int
    document: Mapping[str, Any]
    error: str

    def __getitem__(self, key: str) -> Any:
        return self.document.get(key)

    @property
    def words(self) -> str:
        """It in a line, for a message."""
        return f"exit {self.code}: {json.dumps(self.document)} {self.error}".strip()


@dataclass(frozen=True, slots=True)
class Launch:
    """A launch of the product's, and its pane."""

    launch_id: str
    pane: str


@dataclass
class Stage:
    """One cell's run. ``notes`` become the evidence: what was shown, in order."""

    kind: Kind
    world: World
    terminal: Terminal
    port: int
    """The model server's."""
    notes: list[str] = field(default_factory=list)

    def show(self, sentence: str, held: bool, seen: object = "") -> None:
        """Note that ``sentence`` held. Raises NotHeld, with what was seen, where it did not."""
        if not held:
            raise NotHeld(f"{sentence}: seen {seen}" if seen != "" else sentence)
        self.notes.append(sentence)

    # -- the product

    def configure(
        self,
        *options: str,
        command: tuple[str, ...] | None = None,
        control: Mapping[str, Any] | None = None,
        **keys: Any,
    ) -> None:
        """Write the config: one profile ``agent``, the harness with ``options``."""
        argv = command or (*self.kind.command, *options)
        profile = {"command": list(argv), "cwd": str(self.world.project), **keys}
        place = self.world.home / ".config" / "tongs-agents"
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        lines = ["[workspace]", f'session = "{SESSION}"', *self.terminal.workspace()]
        lines += ["[control]", *(f"{key} = {_toml(it)}" for key, it in (control or {}).items())]
        lines += ["[profiles.agent]"]
        lines += [f"{key} = {_toml(value)}" for key, value in profile.items()]
        config = place / "config.toml"
        config.write_text("\n".join(lines) + "\n", encoding="utf-8")
        config.chmod(0o600)

    def environ(self) -> dict[str, str]:
        """What the product's commands run in."""
        environ = dict(self.world.environ)
        if "PYTHONPATH" in os.environ:  # a tree that is not the installed one
            environ["PYTHONPATH"] = os.environ["PYTHONPATH"]
        return environ

    def tongs(self, *words: str, stdin: str | None = None, seconds: float = 120.0) -> Answer:
        """One verb with ``--json``."""
        verb = 2 if words[0] in ("chat", "config") else 1
        environ = self.environ()
        done = subprocess.run(
            [sys.executable, "-c", CLI, *words[:verb], "--json", *words[verb:]],
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            encoding="utf-8",
            env=environ,
            cwd=self.world.project,
            timeout=seconds,
        )
        try:
            document = json.loads(done.stdout or "{}")
        except ValueError:
            document = {"no json": done.stdout}
        return Answer(done.returncode, document, done.stderr.strip()[-2000:])

    def spawn(self, *options: str) -> Launch:
        """Start the profile. Raises NotHeld where it does not run."""
        answer = self.tongs("spawn", "agent", *options)
        if answer.code or answer["state"] != "running":
            raise NotHeld(f"spawn: {answer.words}")
        return Launch(answer["launch_id"], answer["pane"]["pane_id"])

    def spawn_ready(self, *options: str) -> Launch:
        """Start it and wait until its composer is there."""
        launch = self.spawn(*options)
        self.until(launch, lambda reading: reading.composer == "empty", "an empty composer")
        return launch

    def send(self, launch: Launch, text: str) -> Answer:
        """``send``, the text by standard input."""
        return self.tongs("send", launch.launch_id, "-", stdin=text)

    def wait(self, launch: Launch, *options: str) -> Answer:
        """``wait`` for ``done`` by default."""
        return self.tongs("wait", launch.launch_id, *options)

    def status(self, launch: Launch) -> Answer:
        """``agent-status`` with its evidence."""
        return self.tongs("agent-status", launch.launch_id, "--why")

    def until_status(self, launch: Launch, status: str, seconds: float = 20.0) -> Answer:
        """``agent-status`` once it says ``status``. Raises NotHeld at the deadline."""

        def found() -> Answer | None:
            answer = self.status(launch)
            return answer if answer["status"] == status else None

        return wait_for(found, f"status {status}", seconds)

    # -- what is seen

    def reading(self, launch: Launch) -> Reading:
        """What the screen says."""
        look = self.terminal.look(launch.pane)
        assert look.pane is not None
        return self.kind.reader().read(look.screen, look.pane)

    def until(
        self, launch: Launch, holds: Callable[[Reading], bool], what: str, seconds: float = 20.0
    ) -> Reading:
        """The reading once it ``holds``. Raises NotHeld at the deadline."""

        def found() -> Reading | None:
            reading = self.reading(launch)
            return reading if holds(reading) else None

        return wait_for(found, what, seconds)

    def until_busy(self, launch: Launch) -> None:
        """Until it works: by its screen where that tells, else by its status."""
        if self.terminal.multiplexer in self.kind.silent_on:
            self.until_status(launch, "working")
        else:
            self.until(launch, lambda reading: reading.busy, "it to be busy")

    def choose(self, launch: Launch, key: str, seconds: float = 20.0) -> None:
        """A person's choice in a dialog: its key, then Enter, again where it was too new for that.

        Raises NotHeld where the dialog stays.
        """
        self.terminal.press(launch.pane, key)
        pressed = 0.0

        def closed() -> bool:
            nonlocal pressed
            if self.reading(launch).dialog is None:
                return True
            if time.monotonic() - pressed > _AGAIN:
                pressed = time.monotonic()
                self.terminal.press(launch.pane, "Enter")
            return False

        wait_for(closed, "the dialog to close", seconds)

    def asked_with(self, text: str, seconds: float = 20.0) -> Asked:
        """The first request that holds ``text``. Raises NotHeld at the deadline."""

        def found() -> Asked | None:
            return next(iter(self.all_asked_with(text)), None)

        return wait_for(found, f"the model to be asked with {text[:40]!r}", seconds)

    def all_asked_with(self, text: str) -> list[Asked]:
        """Every request so far that holds ``text``."""
        return [request for request in asked(self.world.requests) if request.holds(text)]


def _toml(value: Any) -> str:
    """A value as TOML: JSON but for tables."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_toml(each)}' for key, each in value.items())} }}"
    return json.dumps(value)


@contextmanager
def staged(kind: Kind, terminal: Terminal, port: int) -> Iterator[Stage]:
    """A stage whose config is the plain profile."""
    stage = Stage(kind, terminal.world, terminal, port)
    stage.configure()
    yield stage


__all__ = ["CLI", "Answer", "Launch", "Stage", "staged"]
