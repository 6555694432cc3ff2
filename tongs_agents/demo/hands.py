"""The person's hands in the demo: keys, and what people do to a multiplexer, on each of them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Protocol

from tongs_agents.errors import Unsupported
from tongs_agents.harness.inherited import cleaned
from tongs_agents.multiplexers import zellij_is_usable
from tongs_mux.backend import OpenRequest
from tongs_mux.errors import BackendError, MuxError
from tongs_mux.process import Processes, system_processes

if TYPE_CHECKING:  # the demo on tmux needs none of it
    from tongs_mux.backends.zellij_server import Served

SESSION = "demo"
"""The workspace session of the demo."""

_ELSEWHERE = "elsewhere"
_STEP = 0.02
_ENDING_SECONDS = 5.0


class Hands(Protocol):
    """What a person does past the product, on a multiplexer server of the demo's own."""

    name: str
    workspace: str
    """What the config says of it."""
    own: Mapping[str, str]
    """What every program of the demo must find in its environment, to mean this server."""
    reads: bool
    """False where the installed version has no way to read back in a certain pane."""

    def begin(self) -> None:
        """Before the first command. Raises Unsupported where it is not installed."""
        ...

    def keys(self, pane: str, data: bytes) -> None:
        """Press keys in the pane."""
        ...

    def reading(self, pane: str) -> contextlib.AbstractContextManager[None]:
        """Inside, somebody reads back in the pane."""
        ...

    def move(self, pane: str) -> str:
        """Take the pane elsewhere; says where."""
        ...

    def replace(self, pane: str, argv: tuple[str, ...]) -> str:
        """Another program stands where the pane was, under its id; says how."""
        ...

    def server_pid(self) -> int:
        """The process that answers for the pane."""
        ...

    def end(self) -> None:
        """No server of the demo's is left. Never raises."""
        ...

    def ways(self) -> tuple[str, str]:
        """What to type to look at it, and what ends it."""
        ...


class TmuxHands:
    """A tmux server on a socket of its own."""

    name = "tmux"
    reads = True

    def __init__(self, directory: Path, environ: Mapping[str, str]) -> None:
        self._socket = str(directory / "tmux")
        self._environ = dict(environ)
        self.own: Mapping[str, str] = {}
        self.workspace = f'multiplexer = "tmux"\nsession = "{SESSION}"\nsocket = "{self._socket}"'

    def begin(self) -> None:
        """Start the server without the user's ``tmux.conf``, whatever that says.

        It waits for its first session, and then ends with its last as any other.
        """
        tmux = ["tmux", "-u", "-f", os.devnull, "-S", self._socket, "start-server"]
        wait = ("set-option", "-s", "exit-empty", "off")
        then = ("set-hook", "-g", "session-created", "set-option -s exit-empty on")
        start = [*tmux, ";", *wait, ";", *then]
        try:
            subprocess.run(
                start, env=cleaned(self._environ), timeout=10, check=True, capture_output=True
            )
        except FileNotFoundError:
            raise Unsupported("tmux is not installed", hint="install tmux 3.2 or newer") from None

    def _tmux(self, *words: str) -> str:
        done = subprocess.run(
            ["tmux", "-u", "-S", self._socket, *words],
            env=self._environ,
            timeout=10,
            check=True,
            capture_output=True,
        )
        return done.stdout.decode("utf-8")

    def keys(self, pane: str, data: bytes) -> None:
        """Press keys in the pane."""
        self._tmux("send-keys", "-t", pane, "-H", *(f"{byte:x}" for byte in data))

    @contextlib.contextmanager
    def reading(self, pane: str) -> Iterator[None]:
        """Copy mode."""
        self._tmux("copy-mode", "-t", pane)
        yield
        self._tmux("send-keys", "-t", pane, "-X", "cancel")

    def move(self, pane: str) -> str:
        """Into another session."""
        self._tmux("new-session", "-d", "-s", _ELSEWHERE)
        self._tmux("move-pane", "-s", pane, "-t", f"{_ELSEWHERE}:")
        return f"moved to session '{_ELSEWHERE}'"

    def replace(self, pane: str, argv: tuple[str, ...]) -> str:
        """The pane stays, and runs another program."""
        self._tmux("respawn-pane", "-k", "-t", pane, "--", *argv)
        return f"pane {pane} lives on with another process"

    def server_pid(self) -> int:
        """The server's."""
        return int(self._tmux("display-message", "-p", "#{pid}"))

    def end(self) -> None:
        """``kill-server``, and until it has ended."""
        # no server was started, or it has ended already
        with contextlib.suppress(subprocess.SubprocessError, OSError, ValueError):
            pid = self.server_pid()
            self._tmux("kill-server")
            _until(lambda: not Path(f"/proc/{pid}").exists())

    def ways(self) -> tuple[str, str]:
        """``tmux attach``, ``tmux kill-server``."""
        tmux = f"tmux -S {quote(self._socket)}"
        return f"{tmux} attach", f"{tmux} kill-server"


class ZellijHands:
    """Zellij sessions in a socket directory of their own."""

    name = "Zellij"

    def __init__(self, directory: Path, environ: Mapping[str, str]) -> None:
        self._directory = directory
        self._sockets = directory / "z"
        temporary = directory / "tmp"
        temporary.mkdir()
        self.workspace = f'multiplexer = "zellij"\nsession = "{SESSION}"'
        # Zellij writes below each of these wherever it runs: the person's own stay as they are
        self.own: Mapping[str, str] = {
            "ZELLIJ_SOCKET_DIR": str(self._sockets),
            "TMPDIR": str(temporary),
            "XDG_CACHE_HOME": str(directory / "cache"),
            "XDG_DATA_HOME": str(directory / "data"),
            "XDG_CONFIG_HOME": str(directory / "config"),
        }
        self._environ = {**environ, **self.own}
        if not zellij_is_usable(self._environ):
            from tongs_mux.backends.zellij_cli import MINIMUM

            raise Unsupported(
                f"the demo on Zellij needs Zellij {'.'.join(map(str, MINIMUM))} or newer",
                hint="install it with your package manager or `cargo install --locked zellij`, "
                "or leave --multiplexer out: the demo then runs on tmux",
            )
        # here: the demo on tmux needs none of it
        from tongs_mux.backends.zellij_cli import ZellijCli
        from tongs_mux.backends.zellij_server import Sessions

        self._processes: Processes = system_processes()
        self._sessions = Sessions(self._environ, self._processes)
        self._cli = ZellijCli(environ=self._environ)
        self.reads = self._cli.knows("new-pane", "--pane-id")

    def _served(self) -> Served:
        served = self._sessions.find(SESSION)
        if served is None:
            raise BackendError(f"there is no Zellij session {SESSION!r}")
        return served

    def _act(self, *words: str) -> None:
        self._cli.act(self._served(), *words)

    def _panes(self) -> set[str]:
        from tongs_mux.backends.zellij_cli import PANES
        from tongs_mux.backends.zellij_format import parse_commands

        return set(parse_commands(self._cli.ask(self._served(), PANES)[0]))

    def begin(self) -> None:
        """Nothing: the product starts the session."""

    def keys(self, pane: str, data: bytes) -> None:
        """Press keys in the pane."""
        self._act("write", "--pane-id", pane, *map(str, data))

    @contextlib.contextmanager
    def reading(self, pane: str) -> Iterator[None]:
        """Another pane in its place, as when its scrollback is opened in an editor."""
        before = self._panes()
        words = ("--in-place", "--pane-id", pane, "--name", "reading", "--", "sleep", "300")
        # what it says can be another's, or come before it is so: the listing tells
        self._act("new-pane", *words)
        _until(lambda: bool(self._panes() - before))
        opened = self._panes() - before
        yield
        for each in opened:
            self._act("close-pane", "--pane-id", each)
        _until(lambda: not opened & self._panes())

    def move(self, pane: str) -> str:
        """Its session gets another name."""
        self._act("rename-session", _ELSEWHERE)
        return f"its session was renamed to '{_ELSEWHERE}'"

    def replace(self, pane: str, argv: tuple[str, ...]) -> str:
        """The session ends; another takes its name, and its pane the id."""
        from tongs_mux.backends.zellij import ZellijBackend

        self.end()
        backend = ZellijBackend(SESSION, processes=self._processes, environ=self._environ)
        where, before = str(self._directory / "project"), int(pane.rpartition("_")[2])

        def opens(program: tuple[str, ...]) -> str:
            request = OpenRequest(
                SESSION, program, where, "stranger", create_session=True, environment=self._environ
            )
            return backend.open(request).pane.pane_id

        for _ in range(before):  # a new session counts its panes from the first again
            opens(("sleep", "300"))
        opened = opens(argv)
        if opened != pane:
            raise BackendError(f"the stranger is in pane {opened}, not in {pane}")
        return f"another session has its name, and a pane {pane}"

    def server_pid(self) -> int:
        """The session's."""
        return self._served().server.pid

    def end(self) -> None:
        """The session as a person ends it; then whatever was told to mean these sockets."""
        with contextlib.suppress(MuxError):
            served = self._sessions.find(SESSION)
            if served is not None:
                self._cli.kill(served)
        for pid in self._running():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        _until(lambda: not self._running())

    def _running(self) -> list[int]:
        """Every program that was told to mean these sockets: servers, clients, panes."""
        place, environ = str(self._sockets), self._processes.environ
        told = ((pid, environ(pid).get("ZELLIJ_SOCKET_DIR", "")) for pid in self._processes.pids())
        return [pid for pid, found in told if found == place or found.startswith(f"{place}/")]

    def ways(self) -> tuple[str, str]:
        """``zellij attach``, ``zellij kill-all-sessions``."""
        zellij = f"ZELLIJ_SOCKET_DIR={quote(str(self._sockets))} zellij"
        return f"{zellij} attach {SESSION}", f"{zellij} kill-all-sessions --yes"


def _until(fact: Callable[[], bool]) -> bool:
    until = time.monotonic() + _ENDING_SECONDS
    while not (seen := fact()) and time.monotonic() < until:
        time.sleep(_STEP)
    return seen


def hands_for(multiplexer: str, directory: Path, environ: Mapping[str, str]) -> Hands:
    """The hands for a multiplexer. Raises Unsupported where it is not installed."""
    kinds: dict[str, type[TmuxHands | ZellijHands]] = {"tmux": TmuxHands, "zellij": ZellijHands}
    return kinds[multiplexer](directory, environ)


__all__ = ["SESSION", "Hands", "TmuxHands", "ZellijHands", "hands_for"]
