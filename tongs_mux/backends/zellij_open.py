"""Opening a pane in a Zellij session, which is started where it has to be."""

from __future__ import annotations

import contextlib
import time

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
from tongs_mux.model import PaneRef
from tongs_mux.process import Processes

START_SECONDS = 15.0
"""How long a session may take to start; it is more than one call."""

_STEP = 0.02
_LISTED_SECONDS = 0.5
"""How long a pane whose id was said may be missing in the listing."""


class Opening:
    """Opens panes by the given command, among the given sessions."""

    def __init__(self, cli: ZellijCli, sessions: Sessions, processes: Processes) -> None:
        self._cli = cli
        self._sessions = sessions
        self._processes = processes

    def open(self, request: OpenRequest) -> Opened:
        """A new pane in the session, or a new session with it, detached."""
        self._cli.require()
        served = self._sessions.find(request.session)
        if served is not None and not self.bury(served):
            return self._add(served, request)
        if not request.create_session:
            raise SessionMissing(f"there is no Zellij session {request.session!r}")
        return self._start(request)

    def bury(self, served: Served) -> bool:
        """End a session of which nothing is left and that nobody looks at; True where it was."""
        if not form.is_husk(self._cli.ask(served, TABS)[0]):
            return False
        # asked only here: its plugins answer that, and those of a new session only start
        if form.parse_clients(self._cli.ask(served, CLIENTS)[0]):
            return False
        self._end(served)
        return True

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
        pane = PaneRef("zellij", request.session, pane_id, None)
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
        seen: list[Served] = []
        found: list[tuple[Served, str]] = []

        def ready() -> bool:
            served = self._sessions.named(request.session)
            # nothing may connect before its first program runs: the server would die of it
            if served is None or not self._runs_something(served):
                return False
            seen[:] = [served]
            found.extend((served, pane) for pane in self._first_pane(served))
            return bool(found)

        try:
            start_session(
                request,
                program=self._cli.program,
                config=self._sessions.doors.keep(CONFIG),
                sockets=self._sessions.base,
                ready=ready,
                deadline=max(START_SECONDS, self._cli.deadline),
            )
        except (BackendTimeout, BackendOutputError, KeyboardInterrupt):
            # ours, for Zellij starts none where the name is taken (E6)
            for served in seen:
                with contextlib.suppress(BackendError):  # the first error is the one to report
                    self._end(served)
            raise
        served, pane_id = found[0]
        pane = PaneRef("zellij", request.session, pane_id, None)
        return Opened(pane, None, served.server, created_session=True)

    def _first_pane(self, served: Served) -> tuple[str, ...]:
        """Our pane's id, none before it is there. Raises BackendOutputError for another's."""
        try:
            panes = self._commands(served)
        except BackendError:
            return ()  # it is still starting; how long it may is the caller's to say
        if panes and not any(panes.values()):
            raise BackendOutputError("zellij started a session without the pane that was asked for")
        return tuple(pane for pane, commanded in panes.items() if commanded)

    def _runs_something(self, served: Served) -> bool:
        facts = (self._processes.facts(pid) for pid in self._processes.pids())
        return any(it is not None and it.ppid == served.server.pid for it in facts)


def _told(said: str) -> str:
    try:
        return form.parse_opened(said)
    except BackendOutputError:
        return ""


__all__ = ["START_SECONDS", "Opening"]
