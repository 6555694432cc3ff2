"""A backend over a server in memory: the seam without a multiplexer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tongs_mux.backend import Guard, Held, Opened, OpenRequest
from tongs_mux.errors import BackendError, BackendTimeout, SessionMissing
from tongs_mux.ids import is_pane_id
from tongs_mux.model import Listing, Look, Multiplexer, PaneRef, ProcessIdentity, Screen
from tongs_mux.testing.fake_server import Call, FakeClient, FakePane, FakeServer

SOCKET = "/fake/socket"
"""Address of the fake server."""


class FakeBackend:
    """Answers as a multiplexer would, out of a FakeServer, and runs that server's hooks.

    ``atomic=False`` behaves as a multiplexer whose guard and act are two calls.
    """

    multiplexer: Multiplexer = "tmux"

    def __init__(self, server: FakeServer, *, atomic: bool = True) -> None:
        self.server = server
        self.atomic = atomic

    def address(self) -> str | None:
        """A path that no file has."""
        return SOCKET

    @contextmanager
    def _call(self, name: Call) -> Iterator[ProcessIdentity | None]:
        self.server.calls.append(name)
        if self.server.frozen:
            raise BackendTimeout("the fake server is frozen")
        self.server.reach("before", name)
        yield self.server.identity
        self.server.reach("after", name)

    def listing(self) -> Listing | None:
        """Every pane, None while no server runs."""
        with self._call("listing") as identity:
            if identity is None:
                return None
            return Listing(identity, {it.pane_id: it.facts() for it in self._panes()})

    def _panes(self) -> tuple[FakePane, ...]:
        return tuple(self.server.panes.values())

    def look(self, pane_id: str) -> Look | None:
        """One pane and its screen."""
        with self._call("look") as identity:
            if identity is None:
                return None
            pane = self.server.panes.get(pane_id)
            if pane is None:
                return Look(identity, None, Screen((), ()))
            return Look(identity, pane.facts(), pane.screen())

    def history(self, pane_id: str, lines: int) -> tuple[str, ...]:
        """The end of scrollback and screen, without trailing empty lines."""
        with self._call("history"):
            pane = self.server.panes.get(pane_id)
            if pane is None:
                raise BackendError(f"can't find pane: {pane_id}")
            text = [line.rstrip() for line in (*pane.scrollback, *pane.lines)]
            while text and not text[-1]:
                text.pop()
            return tuple(text[-lines:])

    def has_session(self, session: str) -> bool:
        """True where a pane is in exactly this session."""
        with self._call("has_session"):
            return self._has_session(session)

    def _has_session(self, session: str) -> bool:
        return any(pane.session == session for pane in self._panes())

    def open(self, request: OpenRequest) -> Opened:
        """Add a pane behind what is shown."""
        with self._call("open"):
            exists = self._has_session(request.session)
            if not exists and not request.create_session:
                raise SessionMissing(f"there is no session {request.session!r}")
            fresh = self.server.identity is None
            pane = self.server.add_pane(request.session, *request.argv)
            pane.cwd = request.cwd
            pane.environment = dict(request.environment) if fresh else {}
            ref = PaneRef(self.multiplexer, pane.session, pane.pane_id, SOCKET)
            return Opened(ref, pane.pid, self.server.start(), created_session=not exists)

    def paste(self, guard: Guard, body: bytes) -> Held:
        """Check and bracketed paste."""
        paste = b"\x1b[200~" + body + b"\x1b[201~"
        return self._act("paste", guard, may_type, lambda pane: pane.type(paste))

    def enter(self, guard: Guard) -> Held:
        """Check and one Enter."""
        return self._act("enter", guard, may_type, lambda pane: pane.type(b"\r"))

    def close(self, guard: Guard) -> Held:
        """Check and removal of the pane."""
        return self._act("close", guard, same_pane, lambda it: self.server.remove_pane(it.pane_id))

    def focus(self, guard: Guard) -> tuple[Held, str]:
        """Show the pane to the client that was used last."""
        screens = self._screens()
        client = max(screens, key=lambda it: it.activity) if screens else None

        def show(pane: FakePane) -> None:
            self.server.current[pane.session] = pane.pane_id
            if client is not None:
                client.session = pane.session

        held = self._act("focus", guard, same_pane, show)
        return held, client.name if client is not None else ""

    def focused(self) -> frozenset[str]:
        """What the attached clients show."""
        with self._call("focused"):
            return frozenset(self.server.current[it.session] for it in self._screens())

    def _screens(self) -> list[FakeClient]:
        return [it for it in self.server.clients if not it.control]

    def _act(
        self,
        name: Call,
        guard: Guard,
        allowed: Callable[[FakeServer, Guard], bool],
        act: Callable[[FakePane], None],
    ) -> Held:
        with self._call(name) as identity:
            if identity is None:
                raise BackendError("no server is running")
            if not is_pane_id(self.multiplexer, guard.pane_id) or not allowed(self.server, guard):
                return "held"
            if not self.atomic:
                self.server.reach("within", name)
            pane = self.server.panes.get(guard.pane_id)
            if pane is not None:  # where it vanished meanwhile, the act succeeds silently (E7)
                act(pane)
            return "done"


def same_pane(server: FakeServer, guard: Guard) -> bool:
    """True where the guard's pane is still this pane, of this server, with this process."""
    pane, identity = server.panes.get(guard.pane_id), server.identity
    if pane is None or identity is None or identity.pid != guard.server.pid:
        return False
    return guard.pane_pid is None or guard.pane_pid == pane.pid


def may_type(server: FakeServer, guard: Guard) -> bool:
    """``same_pane``, and alive, in no mode, not synchronized, and the screen as it must be."""
    if not same_pane(server, guard):
        return False
    pane = server.panes[guard.pane_id]
    if pane.dead or pane.mode or pane.synchronized or guard.cursor not in {None, pane.cursor}:
        return False
    lines = [line.rstrip() for line in pane.lines]
    absent = [p for p in guard.absent if any(re.search(p, line) for line in lines)]
    steady = [p for p in guard.steady if any(re.search(p, line) for line in lines)]
    return not absent and len(steady) == len(guard.steady)


__all__ = ["SOCKET", "FakeBackend", "may_type", "same_pane"]
