"""libtmux's server with what it lacks: a deadline, standard input and a clean environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from libtmux import Server
from libtmux.common import tmux_cmd

from tongs_mux import bounded
from tongs_mux.backends.tmux_place import check_socket
from tongs_mux.errors import BackendError, BackendTimeout, BackendUnavailable

DEADLINE = 5.0
"""Seconds that one tmux call may take."""

_GONE = ("no server running on ", "error connecting to ")
_REFUSED = ("No such file or directory", "Connection refused")


@dataclass(frozen=True, slots=True)
class Answer:
    """What one tmux process said. ``lines`` have no trailing empty line."""

    code: int
    lines: list[str]
    error: str

    @property
    def no_server(self) -> bool:
        """True where it is certain that no server listens on the socket."""
        if self.code == 0 or not self.error.startswith(_GONE):
            return False
        return self.error.startswith(_GONE[0]) or any(why in self.error for why in _REFUSED)


class BoundedServer(Server):
    """A tmux server at an absolute socket path (C8).

    Every call ends within ``deadline`` seconds, its tmux process killed if need
    be: libtmux itself waits for ever on a server that does not answer.
    ``environ`` is what the tmux processes are given; ``TMUX`` and ``TMUX_PANE``
    never are, so that no ambient server can be meant.
    """

    def __init__(
        self,
        socket_path: str,
        *,
        environ: Mapping[str, str],
        deadline: float = DEADLINE,
        tmux_bin: str = "tmux",
    ) -> None:
        super().__init__(socket_path=socket_path, tmux_bin=tmux_bin)
        self.deadline = deadline
        self.environ = {k: v for k, v in environ.items() if k not in ("TMUX", "TMUX_PANE")}

    def run(
        self,
        *args: str,
        stdin: bytes = b"",
        second: bytes | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> Answer:
        """One tmux process; ``second`` is what ``bounded.SECOND`` holds for it.

        Raises SocketRefused, BackendTimeout, BackendUnavailable.
        """
        check_socket(str(self.socket_path))
        command = [str(self.tmux_bin), "-u", "-S", str(self.socket_path), *args]
        try:
            done = bounded.run(
                command,
                environ=self.environ if environ is None else environ,
                stdin=stdin,
                second=second,
                deadline=self.deadline,
            )
        except bounded.DeadlinePassed:
            raise BackendTimeout(
                f"tmux at {self.socket_path} did not answer within {self.deadline:g} s",
                hint="look whether its server is stopped or overloaded; nothing was concluded",
            ) from None
        except FileNotFoundError:
            raise BackendUnavailable(
                "tmux is not installed", hint="install tmux 3.2 or newer"
            ) from None
        lines = done.out.decode("utf-8", "replace").split("\n")
        if lines and not lines[-1]:
            lines.pop()
        return Answer(done.code, lines, done.err.decode("utf-8", "replace").strip())

    def must(self, *args: str, stdin: bytes = b"") -> Answer:
        """``run``, and BackendError where tmux says no."""
        answer = self.run(*args, stdin=stdin)
        if answer.code != 0:
            raise BackendError(f"tmux {args[0]}: {answer.error or f'status {answer.code}'}")
        return answer

    def cmd(self, cmd: str, *args: Any, target: str | int | None = None) -> tmux_cmd:
        """libtmux's own choke point, bounded, so that its objects are as well."""
        words = [cmd, *(["-t", str(target)] if target is not None else []), *map(str, args)]
        answer = self.run(*words)
        result = tmux_cmd.__new__(tmux_cmd)
        result.cmd = words
        result.returncode = answer.code
        result.stdout = answer.lines
        result.stderr = answer.error.splitlines()
        return result


__all__ = ["DEADLINE", "Answer", "BoundedServer"]
