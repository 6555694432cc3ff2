"""A real Zellij with launches in it as their records have them, and hands of a person."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

from tests.mux.zellij_rig import LOGGER, ZellijRig
from tests.waiting import wait_for
from tests.zellij import Zellij
from tongs_mux.backend import Guard, Opened
from tongs_mux.backends.zellij import ZellijBackend
from tongs_mux.evidence import Witness
from tongs_mux.model import Claim, LaunchRecord, PaneRef, State, Verdict
from tongs_mux.process import identity, system_processes
from tongs_mux.testing.rig import guard_of


@dataclass
class World:
    """A Zellij, its rig, and launches in it as their records have them."""

    zellij: Zellij
    rig: ZellijRig
    directory: Path

    def launch(self) -> Launch:
        opened = self.rig.backend.open(self.rig.request())
        self.rig.ready(opened)
        return self.claimed(opened)

    def claimed(self, opened: Opened) -> Launch:
        told = json.loads(self.rig._file(opened, "json").read_bytes())
        process = identity(system_processes(), told["pid"])
        assert process is not None
        claim = Claim(process, opened.pane.pane_id, None, opened.server, time.time())
        record = LaunchRecord(
            "0123456789ab", time.time(), LOGGER, "/",
            pane=opened.pane, server=opened.server, claim=claim,
        )  # fmt: skip
        return Launch(self, opened, record)

    def start_raw(self, session: str) -> None:
        """A session as a person may have it: detached, with a shell, by their own settings."""
        self.zellij.run("attach", "--create-background", session)
        server = self.zellij.server(session)
        wait_for(server.children, what="its shell")

    def with_program(self, script: str) -> ZellijBackend:
        """A backend to which this script is ``zellij``."""
        program = self.directory / "zellij"
        program.write_text(script, encoding="utf-8")
        program.chmod(0o755)
        return ZellijBackend(
            "one", processes=system_processes(), environ=dict(os.environ), zellij_bin=str(program)
        )

    def beside(self, *options: str) -> Launch:
        """A launch in a pane that a person opened in the running session, in their own way."""
        logs = self.directory / "logs"
        logs.mkdir(exist_ok=True)
        before = set(self.zellij.panes("one"))
        self.zellij.action("one", "new-pane", *options, "--", *LOGGER, str(logs))
        # what it printed may be another caller's answer: the listing tells
        (pane_id,) = wait_for(lambda: set(self.zellij.panes("one")) - before, what="the new pane")
        server = identity(system_processes(), self.zellij.server("one").pid)
        assert server is not None
        opened = Opened(PaneRef("zellij", "one", pane_id, None), None, server, False)
        wait_for(lambda: self.rig._told(opened), what="the logger to start")
        return self.claimed(opened)


@dataclass
class Launch:
    mux: World
    opened: Opened
    record: LaunchRecord

    @property
    def pane(self) -> str:
        return self.opened.pane.pane_id

    @property
    def guard(self) -> Guard:
        return guard_of(self.opened)

    @property
    def claim(self) -> Claim:
        assert self.record.claim is not None
        return self.record.claim

    @property
    def pid(self) -> int:
        return self.claim.process.pid

    def verdict(self, backend: ZellijBackend | None = None) -> Verdict:
        chosen = backend or self.mux.rig.backend
        return Witness(lambda pane: chosen, system_processes(), time.time).look(self.record).verdict

    def state(self) -> State:
        return self.verdict().state

    def takes(self, body: bytes = b"in") -> bool:
        """True where a paste and an Enter reach it, whole and once."""
        backend = self.mux.rig.backend
        done = (backend.paste(self.guard, body), backend.enter(self.guard))
        expected = b"\x1b[200~" + body + b"\x1b[201~\r"
        return done == ("done", "done") and self.mux.rig.received(self.opened) == expected


def check_of(found: Verdict, name: str) -> bool | None:
    return next(check.passed for check in found.checks if check.name == name)


__all__ = ["Launch", "World", "check_of"]
