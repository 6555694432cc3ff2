"""Starting a Zellij session: with a configuration of its own, a size, and nobody attached.

A session that Zellij itself starts in the background is 50 columns wide until
somebody attaches. So it is started as a person would, on a terminal of our own
which then hangs up: the session keeps the size.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tongs_mux.backend import OpenRequest
from tongs_mux.backends.zellij_cli import without_session
from tongs_mux.backends.zellij_format import plain
from tongs_mux.backends.zellij_layout import layout
from tongs_mux.errors import BackendError, BackendTimeout, BackendUnavailable

COLUMNS = 300
"""Of a session that nobody is attached to: wide enough for many panes beside each other."""

ROWS = 100

_STEP = 0.01
_HANG_UP_SECONDS = 3.0


@dataclass
class _Terminal:
    """A terminal that nobody looks at, and what was written to it last."""

    master: int
    slave: int
    tail: bytes = b""

    def read(self) -> None:
        """Take what was written; a program stops at a terminal that nobody reads."""
        if select.select([self.master], [], [], _STEP)[0]:
            with contextlib.suppress(OSError):
                self.tail = (self.tail + os.read(self.master, 1 << 16))[-4096:]


def start_session(
    request: OpenRequest,
    *,
    program: str,
    config: Path,
    sockets: Path,
    ready: Callable[[], bool],
    deadline: float,
) -> None:
    """Start ``request.session`` with the requested pane in it, detached.

    ``ready`` says whether its pane is there: the terminal hangs up only then. A
    session of that name, a dead one too, is never attached to. Raises
    BackendError, BackendTimeout, BackendUnavailable.
    """
    with _plan(request) as plan, _terminal() as terminal:
        words = (
            # without a directory of configurations it reads no layout, and does not say so
            *(program, "--config-dir", str(config.parent), "--config", str(config)),
            f"--session={request.session}",
            *("--new-session-with-layout", plan),
        )
        environ = _environment(request.environment, sockets)
        client = _spawn(words, environ, terminal, request.cwd)
        try:
            _await(client, terminal, ready, time.monotonic() + deadline)
        finally:
            _hang_up(client, terminal)


def _environment(given: Mapping[str, str], sockets: Path) -> dict[str, str]:
    environ = {**without_session(given), "ZELLIJ_SOCKET_DIR": str(sockets)}
    if environ.get("TERM", "dumb") in ("", "dumb"):
        environ["TERM"] = "xterm-256color"
    return environ


@contextlib.contextmanager
def _plan(request: OpenRequest) -> Iterator[str]:
    """The layout's file; it is read once, before the session is ready."""
    try:
        text = layout(request.argv, request.cwd, request.name).encode("utf-8")
    except UnicodeEncodeError as error:
        raise BackendError(f"Zellij starts nothing whose words are not UTF-8: {error}") from error
    with tempfile.NamedTemporaryFile(prefix="tongs-", suffix=".kdl") as file:
        file.write(text)
        file.flush()
        yield file.name


@contextlib.contextmanager
def _terminal() -> Iterator[_Terminal]:
    master, slave = os.openpty()
    try:
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        yield _Terminal(master, slave)
    finally:
        os.close(master)
        os.close(slave)


def _spawn(
    words: tuple[str, ...], environ: dict[str, str], terminal: _Terminal, cwd: str
) -> subprocess.Popen[bytes]:
    end = terminal.slave
    try:
        # a session of its own: it must not find our own terminal
        return subprocess.Popen(
            words, stdin=end, stdout=end, stderr=end, env=environ, cwd=cwd, start_new_session=True
        )
    except OSError as error:
        raise BackendUnavailable(f"{words[0]} can't be run: {error}") from error


def _await(
    client: subprocess.Popen[bytes], terminal: _Terminal, ready: Callable[[], bool], until: float
) -> None:
    while not ready():
        terminal.read()
        if client.poll() is not None:
            terminal.read()
            said = " ".join(plain(terminal.tail.decode("utf-8", "replace")).split())
            raise BackendError(
                f"zellij started no session: {said[-300:] or f'status {client.returncode}'}",
                hint="see `zellij list-sessions`; a dead session of that name is never "
                "brought back to life: `zellij delete-session` removes it",
            )
        if time.monotonic() >= until:
            raise BackendTimeout(
                "zellij did not start the session in time",
                hint="another session that hangs stops every start: see `zellij list-sessions`",
            )


def _hang_up(client: subprocess.Popen[bytes], terminal: _Terminal) -> None:
    """The terminal is gone: the client leaves, and its session goes on."""
    client.send_signal(signal.SIGHUP)
    until = time.monotonic() + _HANG_UP_SECONDS
    while client.poll() is None and time.monotonic() < until:
        terminal.read()
    if client.poll() is None:
        client.kill()
        client.wait()


__all__ = ["COLUMNS", "ROWS", "start_session"]
