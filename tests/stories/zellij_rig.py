"""The stories' world on Zellij: launches in a session of the rig's own."""

from __future__ import annotations

import stat
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.stories.rig import PERSON, Agent, Journal, Rig, Stop
from tests.waiting import wait_for
from tests.zellij import Zellij
from tongs_agents.config import Profile
from tongs_mux.backend import Backend, Guard
from tongs_mux.backends.zellij import ZellijBackend
from tongs_mux.control import Controller
from tongs_mux.model import LaunchRecord, PaneRef

_KEYS = {"C-d": "Ctrl d", "BSpace": "Backspace", "Escape": "Esc"}
"""What tmux's names of keys are to Zellij, where they differ."""

WRITING = ("paste", "send-keys", "write", "write-chars")


@dataclass(frozen=True)
class ZellijAgent(Agent):
    """A launch in a Zellij pane."""

    rig: ZellijRig

    def screen(self) -> str:
        return self.rig.zellij.screen(self.rig.session, self.pane)

    def press(self, *keys: str) -> None:
        words = ("send-keys", "--pane-id", self.pane, *(_KEYS.get(key, key) for key in keys))
        self.rig.zellij.action(self.rig.session, *words)

    def type(self, text: str) -> None:
        words = ("write-chars", "--pane-id", self.pane, text)
        self.rig.zellij.action(self.rig.session, *words)

    def scroll(self) -> None:
        words = ("--in-place", "--pane-id", self.pane, "--name", "reading", "--", "sleep", "300")
        self.rig.command("new-pane", *words)
        session = self.rig.session
        wait_for(
            lambda: self.rig.zellij.panes(session)[self.pane]["is_suppressed"],
            what=f"another pane in place of {self.pane}",
        )

    def synchronize(self) -> None:
        tab = str(self.rig.zellij.panes(self.rig.session)[self.pane]["tab_id"])
        self.rig.command("toggle-active-sync-tab", "--tab-id", tab)
        wait_for(lambda: self.rig.zellij.synchronizes(self.rig.session), what="synchronized keys")

    def kill_pane(self) -> None:
        self.rig.command("close-pane", "--pane-id", self.pane)
        wait_for(lambda: self.pane not in self.rig.panes(), what=f"the end of {self.pane}")


class ZellijRig(Rig):
    """As `Rig`, where what the multiplexer is makes no difference; else Zellij's own way."""

    hangs = 1.0

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

    @property
    def where(self) -> PaneRef:
        return PaneRef("zellij", self.session, "", None)

    def spawn(self, profile: Profile, log: Path, *, prompt: str | None = None) -> ZellijAgent:
        return self.agent(self.starter().spawn(profile, PERSON, prompt=prompt).record, log)

    def agent(self, record: LaunchRecord, log: Path) -> ZellijAgent:
        return ZellijAgent(self, record, Journal(log))

    def panes(self) -> list[str]:
        return list(self.zellij.panes(self.session))

    def rename_session(self, name: str) -> None:
        self.command("rename-session", name)
        self.session = name

    def server_pid(self) -> int:
        return self.zellij.server(self.session).pid

    def kill_server(self) -> None:
        self.zellij.kill(self.session)

    def stops(self) -> Stop:
        return Stop(self.zellij.server(self.session))

    def command(self, *words: str) -> None:
        self.zellij.action(self.session, *words)

    def moves(self, agent: Agent, other: Agent) -> list[tuple[str, ...]]:
        return [
            ("move-pane", "--pane-id", agent.pane),
            ("toggle-pane-embed-or-floating", "--pane-id", agent.pane),
            ("rename-session", f"{self.session}-2"),  # the last: our hands know the old name only
        ]

    def backend(self, pane: PaneRef, **more: Any) -> Backend:
        settings = {"processes": self.control.processes, "environ": self.environ, **more}
        return ZellijBackend(pane.session, **settings)

    def hasty(self, seconds: float, tmux_bin: str = "") -> Controller:
        return self.backed(deadline=seconds)

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
