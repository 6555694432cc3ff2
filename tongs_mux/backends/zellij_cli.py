"""The ``zellij`` program with what it lacks: a deadline, and an environment of its own."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from tongs_mux.backends.zellij_door import DOOR_SESSION
from tongs_mux.backends.zellij_format import parse_panes, parse_version
from tongs_mux.backends.zellij_server import Served
from tongs_mux.bounded import DeadlinePassed, run
from tongs_mux.errors import BackendError, BackendTimeout, BackendUnavailable
from tongs_mux.model import PaneFacts

DEADLINE = 5.0
"""Seconds that one call may take."""

MINIMUM = (0, 44, 2)
"""The first version whose actions on a detached session do what they say (E1)."""

PANES = ("list-panes", "--all", "--json")
TABS = ("list-tabs", "--all", "--json")
CLIENTS = ("list-clients",)

_FOREIGN = ("ZELLIJ", "TMUX")


@dataclass(frozen=True, slots=True)
class Answer:
    """What one ``zellij`` process said."""

    code: int
    out: str
    error: str


class ZellijCli:
    """Runs ``zellij``; each call ends within ``deadline`` seconds, killed if need be (E3).

    ``environ`` is what it is given, less what names a session or a server: none
    but the one behind the door is ever meant (C8).
    """

    def __init__(
        self, *, environ: Mapping[str, str], deadline: float = DEADLINE, zellij_bin: str = "zellij"
    ) -> None:
        self.environ = without_session(environ)
        self.deadline = deadline
        self.program = zellij_bin
        self._version: tuple[int, ...] | None = None
        self._help: dict[str, str] = {}

    def run(self, *words: str, door: str = "") -> Answer:
        """One process. Raises BackendTimeout, BackendUnavailable."""
        environ = {**self.environ, **({"ZELLIJ_SOCKET_DIR": door} if door else {})}
        try:
            done = run([self.program, *words], environ=environ, stdin=b"", deadline=self.deadline)
        except DeadlinePassed:
            raise BackendTimeout(
                f"zellij did not answer within {self.deadline:g} s",
                hint="look whether the session's server is stopped or overloaded; "
                "nothing was concluded",
            ) from None
        except OSError as error:
            raise BackendUnavailable(
                f"{self.program} can't be run: {error.strerror}",
                hint=f'install Zellij {_dotted(MINIMUM)} or newer, or set `multiplexer = "tmux"`',
            ) from None
        return Answer(done.code, _text(done.out), _text(done.err).strip())

    def action(self, served: Served, *words: str) -> str:
        """What ``zellij action`` printed; BackendError where it says no (E6)."""
        answer = self.run("--session", DOOR_SESSION, "action", *words, door=served.door)
        if answer.code != 0:
            self.require()
            said = (answer.error or answer.out).strip().partition("\n")[0]
            raise BackendError(f"zellij {words[0]}: {said or f'status {answer.code}'}")
        return answer.out

    def together(self, served: Served, *calls: tuple[str, ...]) -> list[str]:
        """Several actions that only read, at once: they see one moment, as nearly as may be."""
        with ThreadPoolExecutor(len(calls)) as pool:
            return list(pool.map(lambda words: self.action(served, *words), calls))

    def panes(self, served: Served, session: str) -> dict[str, PaneFacts]:
        """Every terminal pane, by id."""
        panes, tabs = self.together(served, PANES, TABS)
        return parse_panes(panes, tabs, session)

    def kill(self, served: Served) -> None:
        """End the session and everything in it."""
        self.run("kill-session", DOOR_SESSION, door=served.door)

    def version(self) -> tuple[int, ...]:
        """The installed version, asked once. Raises BackendUnavailable where there is none."""
        if self._version is None:
            self._version = parse_version(self.run("--version").out)
        return self._version

    def require(self) -> None:
        """Raise BackendUnavailable where the installed version is too old."""
        version = self.version()
        if version < MINIMUM:
            raise BackendUnavailable(
                f"Zellij {_dotted(version)} is too old: {_dotted(MINIMUM)} is needed",
                hint='install a newer Zellij, or set `multiplexer = "tmux"` in [workspace]',
            )

    def knows(self, action: str, option: str) -> bool:
        """True where the installed version's action has this option, by its own help."""
        if action not in self._help:
            self._help[action] = self.run("action", action, "--help").out
        return option in self._help[action].split()


def dump(pane_id: str) -> tuple[str, ...]:
    """The action that reads a pane, what lies above its screen included."""
    return ("dump-screen", "--full", "--ansi", "--pane-id", pane_id)


def without_session(environ: Mapping[str, str]) -> dict[str, str]:
    """``environ`` without what names a multiplexer's session, pane or server."""
    return {name: value for name, value in environ.items() if not name.startswith(_FOREIGN)}


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version)) or "of an unknown version"


__all__ = [
    "CLIENTS",
    "DEADLINE",
    "MINIMUM",
    "PANES",
    "TABS",
    "Answer",
    "ZellijCli",
    "dump",
    "without_session",
]
