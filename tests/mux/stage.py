"""A launch in a fake pane, with a program that behaves as agents do, and time at a word."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tongs_mux.acts import Actor
from tongs_mux.audit import AuditLog
from tongs_mux.audit_lines import lines
from tongs_mux.claims import LaunchStore
from tongs_mux.control import Controller
from tongs_mux.leftover import Leftover, LeftoverStore
from tongs_mux.model import Claim, LaunchRecord, PaneFacts, PaneRef, Receipt, Screen
from tongs_mux.reader import Reader, Reading
from tongs_mux.send import Pauses
from tongs_mux.testing.fake import SOCKET, FakeBackend
from tongs_mux.testing.fake_server import FakePane, FakeServer

RULE = "-" * 20
QUESTION = "Allow it (y or n)"
START, END, ENTER = b"\x1b[200~", b"\x1b[201~", b"\r"
LAUNCH = "0123456789ab"
PERSON = Actor("cli")
PAUSES = Pauses(between_looks=0.3, before_enter=0.2, echo=2.0, settle=1.0, step=0.02)
CLAIMED_AT = 1_000.0


def pasted(text: str) -> bytes:
    return START + text.encode() + END


class Clock:
    """Stands still but for `pause`; what is set for a time happens when that is reached."""

    def __init__(self) -> None:
        self.now = CLAIMED_AT + 100.0
        self._later: list[tuple[float, Callable[[], object]]] = []

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        end = self.now + seconds
        for due, act in sorted(self._later, key=lambda item: item[0]):
            if due <= end:
                self.now = max(self.now, due)
                self._later.remove((due, act))
                act()
        self.now = end

    def after(self, seconds: float, act: Callable[[], object]) -> None:
        self._later.append((self.now + seconds, act))


class Composer:
    """What the pane's program does: a paste fills its composer, Enter submits it.

    Enter while a dialog is open approves the call that it asks about, as real
    harnesses do.
    """

    def __init__(self, pane: FakePane, clock: Clock) -> None:
        self.pane = pane
        self.clock = clock
        self.text = ""
        self.output: list[str] = ["hello"]
        self.dialog = False
        self.over = False
        """Its dialogs leave the composer on the screen."""
        self.approved = 0
        self.submitted: list[str] = []
        self.deaf = 0
        """How many Enters are yet to be lost."""
        self.blank = False
        """It takes what is typed and shows nothing of it."""
        self.times: list[tuple[bytes, float]] = []
        pane.program = self.read
        self.draw()

    def read(self, data: bytes) -> None:
        self.times.append((data, self.clock.now))
        if data != ENTER:
            self.text += data.removeprefix(START).removesuffix(END).decode()
        elif self.dialog:
            self.approved += 1
        elif self.deaf:
            self.deaf -= 1
        else:
            self.submitted.append(self.text)
            self.text = ""
        self.draw()

    def draw(self) -> None:
        if self.blank:
            self.pane.lines = []
        elif self.dialog and not self.over:
            self.pane.lines = [*self.output, QUESTION, "> yes"]
        else:
            first, *rest = self.text.split("\n")
            rows = [f"> {first}", *(f"  {row}" for row in rest)]
            dialog = [QUESTION] if self.dialog else []
            self.pane.lines = [*self.output, *dialog, RULE, *rows, RULE]
            self.pane.cursor = (len(rows[-1]), len(self.pane.lines) - 2)

    # what happens to it

    def ask(self, *, over: bool = False) -> None:
        self.dialog, self.over = True, over
        self.draw()

    def answer(self) -> None:
        self.dialog = False
        self.draw()

    def person_types(self, text: str = "no, wait") -> None:
        self.text += text
        self.draw()

    def go_blank(self) -> None:
        self.blank = True
        self.draw()

    def come_back(self) -> None:
        self.blank = False
        self.draw()


class ComposerReader:
    """Reads a `Composer`'s screen."""

    name = "composer"
    guarded = True
    multiline = True
    dialogs: tuple[str, ...] = ("^Allow it",)

    def read(self, screen: Screen, pane: PaneFacts) -> Reading:
        lines = [line.rstrip() for line in screen.lines]
        if any(line.startswith(QUESTION) for line in lines):
            return Reading(dialog="permission", composer="unseen")
        rules = [number for number, line in enumerate(lines) if line == RULE]
        if len(rules) < 2:
            return Reading(dialog=None, composer="unseen")
        rows = lines[rules[-2] + 1 : rules[-1]]
        text = "\n".join(row[2:] for row in rows)
        steady = tuple(f"^{''.join(map(_any, row))}$" for row in rows if row)
        return Reading(None, "draft" if text else "empty", text, steady=steady)


class UnsteadyReader(ComposerReader):
    """One that gives the server nothing to search for: then a second look is made."""

    def read(self, screen: Screen, pane: PaneFacts) -> Reading:
        found = super().read(screen, pane)
        return Reading(found.dialog, found.composer, found.text)


class BusyReader(ComposerReader):
    """One that sees the program at work."""

    def read(self, screen: Screen, pane: PaneFacts) -> Reading:
        return replace(super().read(screen, pane), busy=True)


class CursorReader(ComposerReader):
    """One whose empty composer is told by the cursor, and by nothing that could be searched."""

    def read(self, screen: Screen, pane: PaneFacts) -> Reading:
        found = super().read(screen, pane)
        if found.composer != "empty":
            return found
        return Reading(found.dialog, found.composer, found.text, cursor=pane.cursor)


def _any(char: str) -> str:
    return char if char == " " or (char.isascii() and char.isalnum()) else "."


class Stage:
    """One verified launch. `send` sends to it; the rest is there to look at and to disturb."""

    def __init__(self, directory: Path, *, atomic: bool = True) -> None:
        self.server = FakeServer()
        self.processes = self.server.processes
        self.pane = self.server.add_pane("one", "/usr/bin/agent")
        self.server.add_pane("one", "/usr/bin/another")
        self.clock = Clock()
        self.program = Composer(self.pane, self.clock)
        self.backend = FakeBackend(self.server, atomic=atomic)
        self.store = LaunchStore(directory / "launches")
        self.log = directory / "audit" / "control.jsonl"
        self.runtime = directory / "run"
        self.control = Controller(
            store=self.store,
            backends=lambda pane: self.backend,
            audit=AuditLog(self.log, clock=self.clock),
            processes=self.processes,
            runtime=self.runtime,
            clock=self.clock,
            monotonic=self.clock,
            pause=self.clock.pause,
            pauses=PAUSES,
        )
        self.record = self._claimed()

    def _claimed(self) -> LaunchRecord:
        ref = PaneRef("tmux", "one", self.pane.pane_id, SOCKET)
        server, process = self.server.start(), self.processes.identity(self.pane.pid)
        self.store.create(LaunchRecord(LAUNCH, CLAIMED_AT, ("/usr/bin/agent",), "/"))
        self.store.opened(LAUNCH, ref, self.pane.pid, server)
        claim = Claim(process, ref.pane_id, ref.socket, server, CLAIMED_AT)
        return self.store.claim(LAUNCH, claim)

    def send(self, text: str = "do it", reader: Reader | None = None, **options: Any) -> Receipt:
        return self.control.send(
            self.record, text, ComposerReader() if reader is None else reader, PERSON, **options
        )

    @property
    def received(self) -> bytes:
        return bytes(self.pane.received)

    @property
    def leftover(self) -> Leftover | None:
        return LeftoverStore(self.runtime / "leftovers").recall(LAUNCH)

    @property
    def audit(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in lines(self.log)]


def evidence(receipt: Receipt) -> dict[str, str]:
    """Each check of a receipt and what was last seen of it."""
    return {fact.check: fact.seen for fact in receipt.evidence}
