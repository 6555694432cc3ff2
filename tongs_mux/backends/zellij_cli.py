"""The ``zellij`` program with what it lacks: a deadline, and an environment of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tongs_mux.backends.zellij_answers import DUMP, is_answer, sheet, written
from tongs_mux.backends.zellij_door import DOOR_SESSION
from tongs_mux.backends.zellij_format import parse_panes, parse_version
from tongs_mux.backends.zellij_server import Served
from tongs_mux.bounded import DeadlinePassed, run
from tongs_mux.errors import BackendError, BackendOutputError, BackendTimeout, BackendUnavailable
from tongs_mux.model import PaneFacts

DEADLINE = 5.0
"""Seconds that one call may take."""

MINIMUM = (0, 44, 2)
"""The first version whose actions on a detached session do what they say (E1)."""

PANES = ("list-panes", "--all", "--json")
TABS = ("list-tabs", "--all", "--json")
CLIENTS = ("list-clients",)

_NOT_SENT = "There is no active session"
_TRIES = 5
_WAITS = 3
"""How often a silent one is asked within a deadline."""

_STEP = 0.02
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

    def run(self, *words: str, door: str = "", deadline: float | None = None) -> Answer:
        """One process. Raises BackendTimeout, BackendUnavailable."""
        environ = {**self.environ, **({"ZELLIJ_SOCKET_DIR": door} if door else {})}
        seconds = self.deadline if deadline is None else deadline
        try:
            done = run([self.program, *words], environ=environ, stdin=b"", deadline=seconds)
        except DeadlinePassed:
            raise BackendTimeout(
                f"zellij {' '.join(words[2:4])} did not answer within {self.deadline:g} s",
                hint="look whether the session's server is stopped or overloaded; "
                "nothing was concluded",
            ) from None
        except OSError as error:
            raise BackendUnavailable(
                f"{self.program} can't be run: {error.strerror}",
                hint=f'install Zellij {_dotted(MINIMUM)} or newer, or set `multiplexer = "tmux"`',
            ) from None
        return Answer(done.code, _text(done.out), _text(done.err).strip())

    def until(self) -> float:
        """The moment by which what is asked now has to be answered."""
        return time.monotonic() + self.deadline

    def ask(self, served: Served, *calls: tuple[str, ...], until: float | None = None) -> list[str]:
        """What actions that only read printed, all of them within one deadline.

        One after the other: two at once take each other's answers away. What got
        none, a "no", or another's is asked again as long as there is time.
        """
        last = self.until() if until is None else until
        return [self._asked(served, words, last) for words in calls]

    def _asked(self, served: Served, words: tuple[str, ...], until: float) -> str:
        if words[0] != DUMP:
            return self._repeated(served, words, until, lambda said: _if_answer(words, said))
        with sheet(served.door) as path:
            to_file = (*words, "--path", str(path))
            return self._repeated(served, to_file, until, lambda said: written(path))

    def _repeated(
        self,
        served: Served,
        words: tuple[str, ...],
        until: float,
        taken: Callable[[str], str | None],
    ) -> str:
        trouble = BackendError("")
        for _ in range(_TRIES):
            share = time.monotonic() + self.deadline / _WAITS
            try:
                found = taken(self._action(served, words, min(until, share)))
                trouble = BackendOutputError(f"zellij {words[0]} answered nothing, {_TRIES} times")
            except BackendUnavailable:
                raise
            except BackendError as error:
                if _NOT_SENT in error.message:
                    raise  # that was asked often enough
                # any other "no" can be another's
                trouble, found = error, None
            if found is not None:
                return found
            if time.monotonic() >= until:
                break
            time.sleep(_STEP)
        raise trouble

    def act(self, served: Served, *words: str) -> str:
        """What an action that changes something printed; once it was sent it is not sent again."""
        return self._action(served, words, self.until())

    def _action(self, served: Served, words: tuple[str, ...], until: float) -> str:
        """Raises BackendError where it says no (E6), BackendTimeout."""
        answer = self._sent(served, words, until)
        if answer.code != 0:
            self.require()
            said = (answer.error or answer.out).strip().partition("\n")[0]
            raise BackendError(f"zellij {words[0]}: {said or f'status {answer.code}'}")
        return answer.out

    def _sent(self, served: Served, words: tuple[str, ...], until: float) -> Answer:
        """It first asks whether the session is there, and can miss that answer: then ask again."""
        command = ("--session", DOOR_SESSION, "action", *words)
        tries = 0
        while True:
            left = max(until - time.monotonic(), 0.0)
            answer = self.run(*command, door=served.door, deadline=left)
            tries += 1
            missed = answer.code == 1 and answer.error.startswith(_NOT_SENT)
            if not missed or tries == _TRIES:
                return answer
            time.sleep(_STEP)

    def panes(self, served: Served, session: str) -> dict[str, PaneFacts]:
        """Every terminal pane, by id."""
        panes, tabs = self.ask(served, PANES, TABS)
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


def dump(pane_id: str, *options: str) -> tuple[str, ...]:
    """The action that reads a pane's screen. Without the id it reads none, or another (E8)."""
    return (DUMP, *options, "--ansi", "--pane-id", pane_id)


def without_session(environ: Mapping[str, str]) -> dict[str, str]:
    """``environ`` without what names a multiplexer's session, pane or server."""
    return {name: value for name, value in environ.items() if not name.startswith(_FOREIGN)}


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version)) or "of an unknown version"


def _if_answer(words: tuple[str, ...], said: str) -> str | None:
    return said if is_answer(words, said) else None


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
