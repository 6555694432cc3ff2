"""Real Zellij for the tests: where it is, and hands to arrange it as a person does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.belongings import end_processes
from tests.waiting import wait_for
from tongs_mux.backends.zellij_answers import is_answer, sheet, written
from tongs_mux.backends.zellij_cli import MINIMUM
from tongs_mux.backends.zellij_format import parse_clients, parse_version

_CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
"""Read at once: a test's own home hides it."""

_MISSING = f"no Zellij {'.'.join(map(str, MINIMUM))} or newer: `sh scripts/need-zellij` builds one"


def _version(program: str) -> tuple[int, ...]:
    try:
        done = subprocess.run([program, "--version"], capture_output=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ()
    return parse_version(done.stdout.decode("utf-8", "replace"))


@cache
def _find() -> str | None:
    """On PATH, else where ``scripts/need-zellij`` builds it; None where neither is new enough."""
    built = sorted(_CACHE.glob("tongs-agents/zellij/*/bin/zellij"), reverse=True)
    candidates = [shutil.which("zellij"), *map(str, built)]
    return next((it for it in candidates if it and _version(it) >= MINIMUM), None)


def need_zellij() -> str:
    """The program's path. Skips where there is none; fails where skipping would hide it."""
    program = _find()
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail(_MISSING)
        pytest.skip(_MISSING)
    return program


@dataclass
class Zellij:
    """Zellij's own commands on the sockets of one test, past everything of ours."""

    program: str
    sockets: Path
    terminals: str
    """Socket of a private tmux, whose panes are the terminals of attached clients."""

    def run(self, *words: str) -> str:
        ran = _ran((self.program, *words))
        assert ran.returncode == 0, (words, ran.stdout, ran.stderr)
        return ran.stdout

    def action(self, session: str, *words: str) -> str:
        """One action; asked again where Zellij overlooked its own session, as it does at times.

        It can return before it is carried out: wait for its effect.
        """
        argv = (self.program, "--session", session, "action", *words)

        def done() -> list[subprocess.CompletedProcess[str]]:
            ran = _ran(argv)
            return [] if "no active session" in ran.stderr else [ran]

        (ran,) = wait_for(done, what=f"an answer to {words}")
        assert ran.returncode == 0, (words, ran.stdout, ran.stderr)
        return ran.stdout

    def answer(self, session: str, *words: str) -> str:
        """What an action that only reads says; where that is another's it is asked again."""

        def said() -> list[str]:
            ran = _ran((self.program, "--session", session, "action", *words))
            return [ran.stdout] if ran.returncode == 0 and is_answer(words, ran.stdout) else []

        return wait_for(said, what=f"an answer to {words}")[0]

    def knows(self, option: str) -> bool:
        """True where this version's ``new-pane`` has the option."""
        return option in self.run("action", "new-pane", "--help").split()

    def panes(self, session: str) -> dict[str, dict[str, Any]]:
        """Its terminal panes by id, as Zellij lists them."""
        rows = json.loads(self.answer(session, "list-panes", "--all", "--json"))
        return {f"terminal_{it['id']}": it for it in rows if not it["is_plugin"]}

    def synchronizes(self, session: str) -> bool:
        """True where the keys for a pane of its go to the others of its tab too."""
        rows = json.loads(self.answer(session, "list-tabs", "--all", "--json"))
        return any(tab["is_sync_panes_active"] for tab in rows)

    def screen(self, session: str, pane: str) -> str:
        """Read from a file: a screen that is printed can be another pane's."""
        with sheet(str(self.sockets.parent)) as path:

            def seen() -> list[str]:
                self.action(session, "dump-screen", "--pane-id", pane, "--path", str(path))
                screen = written(path)
                return [] if screen is None else [screen]

            return wait_for(seen, what=f"the screen of {pane}")[0]

    def clients(self, session: str) -> dict[str, str]:
        """Each attached client and the pane that it shows."""
        return parse_clients(self.answer(session, "list-clients"))

    def server(self, session: str) -> psutil.Process:
        """The process that was last started to serve a session of this name."""
        found = [it for it in self.servers() if it.cmdline()[2].endswith(f"/{session}")]
        return max(found, key=lambda it: (it.create_time(), it.pid))

    def servers(self) -> list[psutil.Process]:
        """Every server whose socket is in this test's directory."""
        found = []
        for process in psutil.process_iter():
            try:
                words = process.cmdline()
            except psutil.Error:
                continue
            if words[1:2] == ["--server"] and words[2].startswith(f"{self.sockets}/"):
                found.append(process)
        return found

    def kill(self, session: str) -> None:
        """``kill-session``, again where it got lost, until its server has ended."""
        server = self.server(session)
        for _ in range(5):
            _ran((self.program, "kill-session", session))
            with suppress(AssertionError):
                wait_for(lambda: not _runs(server), deadline=2.0)
                return
        raise AssertionError(f"session {session} does not end")

    # -- people

    def tmux(self, *words: str) -> str:
        ran = self._tmux(*words)
        assert ran.returncode == 0, (words, ran.stderr)
        return ran.stdout.rstrip("\n")

    def _tmux(self, *words: str) -> subprocess.CompletedProcess[str]:
        return _ran(("tmux", "-u", "-f", os.devnull, "-S", self.terminals, *words))

    def attach(self, session: str, *, columns: int = 120, rows: int = 40) -> Client:
        """A person's terminal that shows the session.

        Zellij can cut off one that just attaches, in the place of a command that has
        left: so nothing is asked while it attaches, and it is opened again as a person would.
        """
        before = set(self.clients(session))
        size = ("-x", str(columns), "-y", str(rows))
        words = ("env", "-u", "TMUX", "-u", "TMUX_PANE", self.program, "attach", session)
        for _ in range(5):
            pane = self.tmux("new-session", "-d", *size, "-P", "-F", "#{pane_id}", *words)
            shown = self._until_shown(session, pane, before)
            if shown:
                return Client(self, session, shown.pop(), pane)
        raise AssertionError(f"zellij attach {session} is cut off time and again")

    def _until_shown(self, session: str, pane: str, before: set[str]) -> set[str]:
        """The name of the client in this terminal; none where it was cut off."""

        def ended() -> bool:
            return self._tmux("capture-pane", "-p", "-t", pane).returncode != 0

        def drawn() -> bool:
            return bool(self._tmux("capture-pane", "-p", "-t", pane).stdout.strip())

        # attached is not drawn yet: a key that comes before would be lost
        wait_for(lambda: drawn() or ended(), what="a screen")
        wait_for(lambda: ended() or set(self.clients(session)) - before, what="the client")
        return set() if ended() else set(self.clients(session)) - before


@dataclass(frozen=True)
class Client:
    """A terminal that is attached to a session."""

    zellij: Zellij
    session: str
    name: str
    terminal: str

    def shows(self) -> str:
        return self.zellij.clients(self.session)[self.name]

    def type(self, text: str) -> None:
        self.zellij.tmux("send-keys", "-t", self.terminal, "-l", "--", text)

    def leave(self) -> None:
        self.zellij.tmux("kill-pane", "-t", self.terminal)
        wait_for(lambda: self.name not in self.zellij.clients(self.session), what="its end")


def _ran(argv: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv, encoding="utf-8", capture_output=True, stdin=subprocess.DEVNULL, timeout=20
    )


def _runs(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@contextmanager
def private_zellij(directory: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Zellij]:
    """Zellij with sockets and logs below a short ``directory``; nothing of it is left behind.

    Skips where there is none.
    """
    program = need_zellij()
    sockets, temporary = directory / "zellij", directory / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("PATH", f"{Path(program).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("ZELLIJ_SOCKET_DIR", str(sockets))
    monkeypatch.setenv("TMPDIR", str(temporary))
    found = Zellij(program, sockets, str(directory / "terminals"))
    try:
        yield found
    finally:
        # panes too: a program that ignores the hang-up of its terminal outlives its server
        servers = found.servers()
        panes = [child for server in servers for child in server.children(recursive=True)]
        end_processes([*panes, *servers])


__all__ = ["Client", "Zellij", "need_zellij", "private_zellij"]
