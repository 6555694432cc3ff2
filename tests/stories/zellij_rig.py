"""The stories' world on Zellij: launches in a session of the rig's own."""

from __future__ import annotations

import stat
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.stories.rig import PERSON, Agent, Journal, Rig, Stop
from tests.zellij import Zellij
from tongs_agents.config import Profile
from tongs_mux.backend import Backend, Guard
from tongs_mux.backends.zellij import ZellijBackend
from tongs_mux.control import Controller
from tongs_mux.model import PaneRef

WRITING = ("paste", "send-keys", "write", "write-chars")


@dataclass(frozen=True)
class ZellijAgent(Agent):
    """A launch in a Zellij pane."""

    rig: ZellijRig

    def screen(self) -> str:
        return self.rig.zellij.screen(self.rig.session, self.pane)

    def press(self, *keys: str) -> None:
        words = ("send-keys", "--pane-id", self.pane, *keys)
        self.rig.zellij.action(self.rig.session, *words)

    def type(self, text: str) -> None:
        words = ("write-chars", "--pane-id", self.pane, text)
        self.rig.zellij.action(self.rig.session, *words)


class ZellijRig(Rig):
    """As `Rig`, where what the multiplexer is makes no difference; else Zellij's own way."""

    def __init__(self, directory: Path, zellij: Zellij, *, session: str = "agents") -> None:
        self.zellij = zellij
        super().__init__(directory, "", session=session)
        self.environ["ZELLIJ_SOCKET_DIR"] = str(zellij.sockets)
        self.control = self.controller()

    def _write_config(self) -> None:
        super()._write_config()
        text = self.places.config.read_text(encoding="utf-8")
        text = text.replace('multiplexer = "tmux"', 'multiplexer = "zellij"')
        self.places.config.write_text(text.replace('socket = ""\n', ""), encoding="utf-8")

    def spawn(self, profile: Profile, log: Path, *, prompt: str | None = None) -> ZellijAgent:
        record = self.starter().spawn(profile, PERSON, prompt=prompt).record
        return ZellijAgent(self, record, Journal(log))

    def panes(self) -> list[str]:
        return list(self.zellij.panes(self.session))

    def server_pid(self) -> int:
        return self.zellij.server(self.session).pid

    def kill_server(self) -> None:
        self.zellij.kill(self.session)

    def stops(self) -> Stop:
        return Stop(self.zellij.server(self.session))

    # -- another zellij, or another moment

    def backed(self, kind: type[ZellijBackend] = ZellijBackend, **more: Any) -> Controller:
        """A controller over backends of another kind, or with other arguments."""
        settings = {"processes": self.control.processes, "environ": self.environ, **more}

        def backends(pane: PaneRef) -> Backend:
            return kind(pane.session, **settings)

        return replace(self.control, backends=backends)

    def instead(self, script: str, deadline: float = 5.0) -> Controller:
        """A controller to which this script is ``zellij``; ``$ZELLIJ_REAL`` is the real one."""
        path = self.directory / "instead"
        text = f"#!/bin/sh\nZELLIJ_REAL='{self.zellij.program}'\n{script}\n"
        path.write_text(text, encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return self.backed(zellij_bin=str(path), deadline=deadline)

    def just_after(self, look: Callable[[], object]) -> Controller:
        """A controller for which something happens between an act's look and the act."""

        class Disturbed(ZellijBackend):
            def _same(self, guard: Guard, *more: tuple[str, ...]) -> Any:
                found = super()._same(guard, *more)
                if more:
                    look()
                return found

        return self.backed(Disturbed)


__all__ = ["WRITING", "ZellijAgent", "ZellijRig"]
