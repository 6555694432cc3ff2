"""The conformance kit's rig over a real tmux on a private socket."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.waiting import wait_for
from tongs_mux.backend import Opened, OpenRequest
from tongs_mux.backends.tmux import TmuxBackend
from tongs_mux.backends.tmux_format import plain
from tongs_mux.process import alive, system_processes
from tongs_mux.testing.rig import Feature, Given

LOGGER = (sys.executable, "-I", "-S", str(Path(__file__).with_name("byte_logger.py")))
_MARK = re.compile(rb"<mark [0-9]+>")


class TmuxRig:
    """Panes run `byte_logger`; terminals are `tmux attach` inside a second private tmux."""

    deadline = 0.4

    def __init__(self, socket: str, directory: Path) -> None:
        self.processes = system_processes()
        self.socket = socket
        self.backend = TmuxBackend(socket, processes=self.processes, environ=dict(os.environ))
        self.hasty = TmuxBackend(
            socket, processes=self.processes, environ=dict(os.environ), deadline=self.deadline
        )
        self._directory = directory
        self._outer = f"{socket}-outer"
        self._marks = 0
        self._frozen: int | None = None

    # -- speaking to tmux as a person does

    def tmux(self, *words: str, check: bool = True) -> str:
        """Run tmux on the rig's server and return what it printed."""
        return self._run(self.socket, *words, check=check)

    def _run(self, socket: str, *words: str, check: bool = True) -> str:
        argv = ["tmux", "-u", "-f", os.devnull, "-S", socket, *words]
        done = subprocess.run(
            argv, check=check, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=20
        )
        return done.stdout.decode("utf-8").rstrip("\n")

    def _server_pid(self) -> int:
        return int(self.tmux("display-message", "-p", "#{pid}"))

    # -- the rig

    def has(self, feature: Feature) -> bool:
        return True

    def request(
        self, *words: str, session: str = "one", create_session: bool = True
    ) -> OpenRequest:
        cwd = self._directory / "a #{pid}; place"
        cwd.mkdir(exist_ok=True)
        (self._directory / "logs").mkdir(exist_ok=True)
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

    def ready(self, opened: Opened) -> None:
        pid = self.tmux("display-message", "-p", "-t", opened.pane.pane_id, "#{pane_pid}")
        wait_for(lambda: self._told(opened).get("pid") == int(pid), what="the logger to start")
        wait_for(lambda: "READY" in self._screen(opened)[0], what="READY on the screen")

    def _screen(self, opened: Opened) -> list[str]:
        text = self.tmux("capture-pane", "-p", "-t", opened.pane.pane_id)
        return [line.rstrip() for line in text.split("\n")]

    def given(self, opened: Opened) -> Given:
        told = self._told(opened)
        return Given(tuple(told["words"]), told["cwd"], told["environment"])

    def received(self, opened: Opened) -> bytes:
        """Types a mark into the pane itself and waits for it: what came before is then all."""
        self._marks += 1
        mark, pane = f"<mark {self._marks}>", opened.pane.pane_id
        if self.tmux("display-message", "-p", "-t", pane, "#{pane_in_mode}") != "0":
            self.tmux("send-keys", "-t", pane, "-X", "cancel")
        self.tmux("send-keys", "-l", "-t", pane, mark)
        log = self._file(opened, "log")
        wait_for(lambda: log.read_bytes().endswith(mark.encode()), what=f"{mark} in {log}")
        return _MARK.sub(b"", log.read_bytes())

    def show(self, opened: Opened, *lines: str) -> None:
        fd = os.open(self._told(opened)["tty"], os.O_WRONLY | os.O_NOCTTY)
        with os.fdopen(fd, "wb") as tty:
            tty.write(("\x1b[2J\x1b[H" + "\r\n".join(lines)).encode("utf-8"))
        last = plain(lines[-1]).rstrip()
        wait_for(lambda: last in self._screen(opened), what=f"{last!r} on the screen")

    def freeze(self) -> None:
        self._frozen = self._server_pid()
        os.kill(self._frozen, signal.SIGSTOP)

    def thaw(self) -> None:
        if self._frozen is not None:
            os.kill(self._frozen, signal.SIGCONT)

    def end_server(self) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):
            listing = self.backend.listing()
            self.tmux("kill-server")
            if listing is not None:
                wait_for(lambda: not alive(self.processes, listing.server), what="the server's end")
        for path in (self._directory / "logs").glob("*"):
            path.unlink()

    def kill(self, opened: Opened) -> None:
        pane = opened.pane.pane_id
        self.tmux("set-option", "-w", "-t", pane, "remain-on-exit", "on")
        os.kill(self._told(opened)["pid"], signal.SIGKILL)
        dead = ("display-message", "-p", "-t", pane, "#{pane_dead}")
        wait_for(lambda: self.tmux(*dead) == "1", what="the pane to be dead")

    def respawn(self, opened: Opened) -> None:
        self.tmux("respawn-pane", "-k", "-t", opened.pane.pane_id)
        self.ready(opened)

    def enter_mode(self, opened: Opened) -> str:
        self.tmux("copy-mode", "-t", opened.pane.pane_id)
        return "copy-mode"

    def synchronize(self, first: Opened, second: Opened) -> None:
        self.tmux("join-pane", "-d", "-s", second.pane.pane_id, "-t", first.pane.pane_id)
        self.tmux("set-option", "-w", "-t", first.pane.pane_id, "synchronize-panes", "on")

    def rearrange(self, opened: Opened) -> None:
        """Swapped into another pane's window, moved to another session, and broken out again."""
        pane = opened.pane.pane_id
        other = self.tmux(
            "new-session", "-d", "-s", "elsewhere", "-P", "-F", "#{pane_id}", "sleep 300"
        )
        self.tmux("swap-pane", "-d", "-s", pane, "-t", other)
        second = self.tmux(
            "split-window", "-b", "-d", "-t", pane, "-P", "-F", "#{pane_id}", "sleep 300"
        )
        self.tmux("swap-pane", "-d", "-s", pane, "-t", second)
        self.tmux("break-pane", "-d", "-s", pane, "-t", "elsewhere:9")

    # -- terminals

    def _clients(self) -> dict[str, str]:
        rows = self.tmux("list-clients", "-F", "#{client_name} #{pane_id}").splitlines()
        return dict(row.split(" ") for row in rows)

    def attach(self, session: str) -> str:
        return self._attach("attach", "-t", f"={session}")

    def _attach(self, *words: str) -> str:
        before = set(self._clients())
        argv = ("env", "-u", "TMUX", "tmux", "-u", "-f", os.devnull, "-S", self.socket, *words)
        self._run(self._outer, "new-session", "-d", "-x", "120", "-y", "40", *argv)
        return wait_for(lambda: set(self._clients()) - before, what="the client").pop()

    def detach(self, client: str) -> None:
        self.tmux("detach-client", "-t", client)
        wait_for(lambda: client not in self._clients(), what="the client to be gone")

    def use(self, client: str) -> None:
        """Keys into the terminal until its last use is a second after any other's."""
        panes = self._run(self._outer, "list-panes", "-a", "-F", "#{pane_tty} #{pane_id}")
        terminal = dict(row.split(" ") for row in panes.splitlines())[client]

        def newest() -> bool:
            self._run(self._outer, "send-keys", "-t", terminal, "x")
            rows = self.tmux("list-clients", "-F", "#{client_activity} #{client_name}").splitlines()
            mine = next(row for row in rows if row.endswith(f" {client}"))
            return all(row.split()[0] < mine.split()[0] for row in rows if row != mine)

        wait_for(newest, what=f"{client} to be used last")

    def shown(self, client: str) -> str:
        return self._clients()[client]

    def attach_control(self, session: str) -> None:
        self._attach("-C", "attach", "-t", f"={session}")

    def buffers(self) -> tuple[str, ...]:
        return tuple(self.tmux("list-buffers", "-F", "#{buffer_name}").splitlines())
