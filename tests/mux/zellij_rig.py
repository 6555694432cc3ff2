"""The conformance kit's rig over a real Zellij, whose every session is a server of its own."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import psutil

from tests.waiting import wait_for
from tests.zellij import Client, Zellij
from tongs_mux.backend import Opened, OpenRequest
from tongs_mux.backends.zellij import ZellijBackend
from tongs_mux.backends.zellij_format import plain
from tongs_mux.process import system_processes
from tongs_mux.testing.rig import Feature, Given

LOGGER = (sys.executable, "-I", "-S", str(Path(__file__).with_name("byte_logger.py")))

_HAS: frozenset[Feature] = frozenset(
    {"clients", "copy-mode", "rearrange", "starts-servers", "synchronize"}
)


class ZellijRig:
    """Panes run `byte_logger`; terminals are `zellij attach` inside a private tmux.

    The first session that is asked for is the rig's server. A pane that a check
    puts into another one is put beside the rest: here no server has two.
    """

    deadline = 0.6

    def __init__(self, zellij: Zellij, directory: Path) -> None:
        self.zellij = zellij
        self._directory = directory
        self._session: str | None = None
        self._clients: dict[str, Client] = {}
        self._frozen: psutil.Process | None = None
        self._marks = 0

    @property
    def session(self) -> str:
        return self._session or "one"

    @property
    def backend(self) -> ZellijBackend:
        return self._backend()

    @property
    def hasty(self) -> ZellijBackend:
        return self._backend(deadline=self.deadline)

    def _backend(self, **more: Any) -> ZellijBackend:
        return ZellijBackend(
            self.session, processes=system_processes(), environ=dict(os.environ), **more
        )

    def has(self, feature: Feature) -> bool:
        if feature == "copy-mode" and not self.zellij.knows("--pane-id"):
            return False
        return feature in _HAS

    def request(
        self, *words: str, session: str = "one", create_session: bool = True
    ) -> OpenRequest:
        cwd = self._directory / "a #{pid}; place"
        cwd.mkdir(exist_ok=True)
        (self._directory / "logs").mkdir(exist_ok=True)
        if create_session or self._frozen is not None:
            self._session = self._session or session
            session = self._session
        argv = (*LOGGER, str(self._directory / "logs"), *words)
        return OpenRequest(session, argv, str(cwd), "a name;", create_session, dict(os.environ))

    def _file(self, opened: Opened, kind: str) -> Path:
        return self._directory / "logs" / f"{opened.pane.pane_id}.{kind}"

    def _told(self, opened: Opened) -> dict[str, Any]:
        try:
            told: dict[str, Any] = json.loads(self._file(opened, "json").read_bytes())
        except FileNotFoundError:
            return {}
        return told

    def _screen(self, opened: Opened) -> list[str]:
        return self.zellij.screen(opened.pane.session, opened.pane.pane_id).split("\n")

    def ready(self, opened: Opened) -> None:
        wait_for(lambda: self._told(opened), what="the logger to start")
        wait_for(lambda: "READY" in "".join(self._screen(opened)), what="READY on the screen")

    def given(self, opened: Opened) -> Given:
        told = self._told(opened)
        return Given(tuple(told["words"]), told["cwd"], told["environment"])

    def received(self, opened: Opened) -> bytes:
        """Types a mark into the pane and waits for it: what came before is then all."""
        self._leave_mode(opened)
        self._marks += 1
        mark = f"<mark {self._marks}>"
        words = ("write-chars", "--pane-id", opened.pane.pane_id, mark)
        self.zellij.action(opened.pane.session, *words)
        log = self._file(opened, "log")
        wait_for(lambda: log.read_bytes().endswith(mark.encode()), what=f"{mark} in {log}")
        data = log.read_bytes()
        for number in range(1, self._marks + 1):
            data = data.replace(f"<mark {number}>".encode(), b"")
        return data

    def _leave_mode(self, opened: Opened) -> None:
        panes = self.zellij.panes(self.session)
        if panes[opened.pane.pane_id]["is_suppressed"]:
            (reading,) = [pane for pane, facts in panes.items() if facts["title"] == "reading"]
            self.zellij.action(self.session, "close-pane", "--pane-id", reading)
            self._wait_listed(opened, "is_suppressed", False)

    def _wait_listed(self, opened: Opened, field: str, value: object) -> None:
        pane = opened.pane.pane_id
        wait_for(
            lambda: self.zellij.panes(self.session)[pane][field] is value,
            what=f"{field} of {pane} to be {value}",
        )

    def show(self, opened: Opened, *lines: str) -> None:
        # the pane's terminal itself: the kernel has no other name for it
        fd = os.open(self._told(opened)["tty"], os.O_WRONLY | os.O_NOCTTY)
        with os.fdopen(fd, "wb") as tty:
            tty.write(("\x1b[2J\x1b[H" + "\r\n".join(lines)).encode("utf-8"))
        last = plain(lines[-1]).rstrip()
        wait_for(
            lambda: last in [line.rstrip() for line in self._screen(opened)],
            what=f"{last!r} on the screen",
        )

    def freeze(self) -> None:
        self._frozen = self.zellij.server(self.session)
        self._frozen.suspend()

    def thaw(self) -> None:
        if self._frozen is not None:
            self._frozen.resume()
            self._frozen = None

    def end_server(self) -> None:
        if self.zellij.servers():
            self.zellij.kill(self.session)
        for path in (self._directory / "logs").glob("*"):
            path.unlink()

    def kill(self, opened: Opened) -> None:
        """Its program ends; ours close then, so this one is opened as a person would."""
        raise NotImplementedError

    def respawn(self, opened: Opened) -> None:
        raise NotImplementedError

    def enter_mode(self, opened: Opened) -> str:
        """Another pane in its place, as when a person reads its scrollback in an editor."""
        pane = opened.pane.pane_id
        words = ("--in-place", "--pane-id", pane, "--name", "reading", "--", "sleep", "300")
        self.zellij.action(self.session, "new-pane", *words)
        self._wait_listed(opened, "is_suppressed", True)
        return "suppressed"

    def synchronize(self, first: Opened, second: Opened) -> None:
        window = str(self.zellij.panes(self.session)[first.pane.pane_id]["tab_id"])
        self.zellij.action(self.session, "toggle-active-sync-tab", "--tab-id", window)
        wait_for(lambda: self.zellij.synchronizes(self.session), what="a synchronized tab")

    def rearrange(self, opened: Opened) -> None:
        """Moved about among others, and made to float."""
        pane = opened.pane.pane_id
        self.zellij.action(self.session, "new-pane", "--", "sleep", "300")
        self.zellij.action(self.session, "move-pane", "--pane-id", pane)
        self.zellij.action(self.session, "toggle-pane-embed-or-floating", "--pane-id", pane)
        self._wait_listed(opened, "is_floating", True)

    # -- terminals

    def attach(self, session: str) -> str:
        client = self.zellij.attach(self.session)
        self.adopt(client)
        return client.name

    def adopt(self, *clients: Client) -> None:
        """Terminals that were attached by hand are the rig's, too."""
        self._clients.update((client.name, client) for client in clients)

    def detach(self, client: str) -> None:
        self._clients.pop(client).leave()

    def use(self, client: str) -> None:
        """A key, and until it has arrived: before that nobody has typed."""
        log = self._directory / "logs" / f"{self._clients[client].shows()}.log"
        before = log.read_bytes()
        self._clients[client].type("x")
        wait_for(lambda: log.read_bytes() != before, what=f"a key in {log}")

    def shown(self, client: str) -> str:
        return self._clients[client].shows()

    def attach_control(self, session: str) -> None:
        raise NotImplementedError

    def buffers(self) -> tuple[str, ...]:
        raise NotImplementedError
