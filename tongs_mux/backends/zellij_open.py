"""Opening a pane in a Zellij session, which is started where it has to be."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from dataclasses import replace

from tongs_mux.backend import Opened, OpenRequest
from tongs_mux.backends import zellij_format as form
from tongs_mux.backends.zellij_cli import CLIENTS, PANES, TABS, ZellijCli
from tongs_mux.backends.zellij_layout import CONFIG
from tongs_mux.backends.zellij_server import Served, Sessions
from tongs_mux.backends.zellij_start import start_session
from tongs_mux.errors import (
    BackendError,
    BackendOutputError,
    BackendTimeout,
    SessionMissing,
)
from tongs_mux.model import PaneRef, ProcessIdentity
from tongs_mux.process import Processes

START_SECONDS = 15.0
"""How long a session may take to start; it is more than one call."""

_STARTED = "TONGS_STARTED"
"""In the environment of a server that we start: by its value it is known as this very one."""

_STEP = 0.02
_LISTED_SECONDS = 0.5
"""How long a pane whose id was said may be missing in the listing."""


class Opening:
    """Opens panes by the given command, among the given sessions."""

    def __init__(
        self,
        cli: ZellijCli,
        sessions: Sessions,
        processes: Processes,
        random: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self._cli = cli
        self._sessions = sessions
        self._processes = processes
        self._random = random

    def open(self, request: OpenRequest) -> Opened:
        """A new pane in the session, or a new session with it, detached."""
        self._cli.require()
        served = self._sessions.find(request.session)
        if served is not None and not self.bury(served):
            self._await_panes(served, request.session)
            return self._add(served, request)
        if not request.create_session:
            raise SessionMissing(f"there is no Zellij session {request.session!r}")
        return self._start(request)

    def bury(self, served: Served) -> bool:
        """End a session that we started once nothing is left of it and nobody looks at it.

        True where it was ended. Another's is never ended: one that is only
        starting looks the same.
        """
        ours = self._sessions.doors.was_started(served.door, served.server)
        if not ours or not form.is_husk(self._cli.ask(served, TABS)[0]):
            return False
        # asked only here: its plugins answer that, and those of a new session only start
        if form.parse_clients(self._cli.ask(served, CLIENTS)[0]):
            return False
        self._end(served)
        return True

    def _await_panes(self, served: Served, session: str) -> None:
        """Wait for the first pane of a session that somebody has just started.

        Raises BackendError where none comes: in a session of which nothing is
        left, a pane comes to nothing.
        """
        until = self._cli.until()
        while self._is_empty(served):
            if time.monotonic() >= until:
                raise BackendError(
                    f"nothing is left in Zellij session {session!r}: a new pane would come to "
                    "nothing there, and as we did not start it, it is not ended",
                    hint=f"end it with `zellij kill-session {session}`, then call again",
                )
            time.sleep(_STEP)

    def _is_empty(self, served: Served) -> bool:
        try:
            return form.is_husk(self._cli.ask(served, TABS)[0])
        except BackendOutputError:
            return True  # it has no tab yet

    def _end(self, served: Served) -> None:
        """End a session; what was asked can get lost, so its server's end decides (E7).

        Raises BackendTimeout where it still runs after several requests.
        """
        for last in (False, False, True):
            self._cli.kill(served)
            try:
                self._sessions.await_end(served, self._cli.deadline / 3)
            except BackendTimeout:
                if last:
                    raise
            else:
                return

    def _add(self, served: Served, request: OpenRequest) -> Opened:
        before = self._commands(served)
        quiet = ("--no-focus",) if self._cli.knows("new-pane", "--no-focus") else ()
        said = self._cli.act(
            served,
            *("new-pane", *quiet, "--close-on-exit", "--cwd", request.cwd),
            *("--name", request.name, "--", *request.argv),
        )
        pane_id = self._opened(served, request, said, before)
        pane = PaneRef("zellij", request.session, pane_id, str(self._sessions.base))
        return Opened(pane, None, served.server, created_session=False)

    def _commands(self, served: Served) -> dict[str, str]:
        return form.parse_commands(self._cli.ask(served, PANES)[0])

    def _opened(
        self, served: Served, request: OpenRequest, said: str, before: dict[str, str]
    ) -> str:
        """The new pane's id: what was said counts only for a pane that is there (E1).

        It must run the requested command too: what was said can be another's answer,
        and where ours got lost, the one new pane with this command is meant.
        """
        told = _told(said)
        command = " ".join(request.argv)
        begun = time.monotonic()
        while True:
            panes = self._commands(served).items()
            found = [it for it, what in panes if it not in before and what == command]
            if told in found or len(found) == 1:
                return told if told in found else found[0]
            if time.monotonic() - begun >= (_LISTED_SECONDS if told else self._cli.deadline):
                raise BackendError(
                    f"zellij opened no pane in session {request.session!r} that is there",
                    hint="its program may have ended at once",
                )
            time.sleep(_STEP)

    def _start(self, request: OpenRequest) -> Opened:
        self._sessions.socket_of(request.session)
        secret = self._random(16).hex()
        found: list[tuple[Served, str]] = []

        def ready() -> bool:
            server = self._sessions.server_of(request.session)
            if server is not None and not self._is_own(server, secret):
                raise BackendError(
                    f"another Zellij session {request.session!r} was started at the same time",
                    hint="call again: the pane is then opened in that one",
                )
            # nothing may connect before its first program runs: the server would die of it
            if server is None or not self._sessions.runs_something(server):
                return False
            served = self._sessions.named(request.session)
            if served is not None and served.server == server:
                found.extend((served, pane) for pane in self._first_pane(served, request))
            return bool(found)

        try:
            start_session(
                replace(request, environment={**request.environment, _STARTED: secret}),
                program=self._cli.program,
                config=self._sessions.doors.keep(CONFIG),
                sockets=self._sessions.base,
                ready=ready,
                deadline=max(START_SECONDS, self._cli.deadline),
            )
            served, pane_id = found[0]
            self._sessions.doors.note_started(served.door, served.server)
        except BaseException:
            with contextlib.suppress(BackendError):  # the first error is the one to report
                self._undo(request.session, secret)
            raise
        pane = PaneRef("zellij", request.session, pane_id, str(self._sessions.base))
        return Opened(pane, None, served.server, created_session=True)

    def _is_own(self, server: ProcessIdentity, secret: str) -> bool:
        """True for the server that this very start has started (E6)."""
        return self._processes.environ(server.pid).get(_STARTED) == secret

    def _undo(self, session: str, secret: str) -> None:
        """End what a start that failed has left, and nothing else."""
        server = self._sessions.server_of(session)
        if server is None or not self._is_own(server, secret):
            return
        served = self._sessions.named(session)
        if served is not None and served.server == server:
            self._end(served)

    def _first_pane(self, served: Served, request: OpenRequest) -> tuple[str, ...]:
        """Our pane's id, none before it is there. Raises BackendOutputError for another's."""
        try:
            panes = self._commands(served)
        except BackendError:
            return ()  # it is still starting; how long it may is the caller's to say
        found = tuple(it for it, what in panes.items() if what == " ".join(request.argv))
        if panes and not found:
            raise BackendOutputError("zellij started a session without the pane that was asked for")
        return found


def _told(said: str) -> str:
    try:
        return form.parse_opened(said)
    except BackendOutputError:
        return ""


__all__ = ["START_SECONDS", "Opening"]
