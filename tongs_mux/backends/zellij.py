"""Zellij behind the seam: each act is guarded by a look before it and one after it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping

from tongs_mux.backend import Guard, Held, Opened, OpenRequest
from tongs_mux.backends import zellij_format as form
from tongs_mux.backends.zellij_answers import DUMP
from tongs_mux.backends.zellij_cli import CLIENTS, DEADLINE, PANES, TABS, ZellijCli, dump
from tongs_mux.backends.zellij_open import Opening
from tongs_mux.backends.zellij_server import Served, Sessions
from tongs_mux.errors import BackendError, BackendOutputError, BackendTimeout
from tongs_mux.ids import is_pane_id
from tongs_mux.model import Listing, Look, Multiplexer, PaneFacts, Screen
from tongs_mux.process import Processes, alive

_STEP = 0.01
_MOVE_SECONDS = 0.3

_Call = tuple[str, ...]
_Same = tuple[Served, PaneFacts, list[str]]


class ZellijBackend:
    """One Zellij session: to Zellij each is a server of its own.

    A read is two or three ``zellij`` processes, an act such a read, one process
    that writes, and a read again.
    """

    multiplexer: Multiplexer = "zellij"
    atomic = False

    def __init__(
        self,
        session: str,
        *,
        processes: Processes,
        environ: Mapping[str, str],
        deadline: float = DEADLINE,
        zellij_bin: str = "zellij",
    ) -> None:
        self._session = session
        self._processes = processes
        self._sessions = Sessions(environ, processes)
        self._cli = ZellijCli(environ=environ, deadline=deadline, zellij_bin=zellij_bin)
        self._opening = Opening(self._cli, self._sessions, processes)

    def address(self) -> str | None:
        """The directory in which the session is found by its name."""
        return str(self._sessions.base)

    # -- reading

    def _ask(self, *calls: _Call, until: float | None = None) -> tuple[Served, list[str]] | None:
        """The server and what it said; None where it is certain that it runs no more."""
        served = self._sessions.find(self._session)
        if served is None:
            return None
        try:
            return served, self._cli.ask(served, *calls, until=until)
        except BackendError:
            if not alive(self._processes, served.server):
                return None
            raise

    def _ask_pane(
        self, pane_id: str, *more: _Call
    ) -> tuple[Served, PaneFacts | None, list[str]] | None:
        """The server, the pane where it is listed, and what was then said to ``more``."""
        until = self._cli.until()
        try:
            return self._asked_pane(pane_id, more, until)
        except BackendOutputError:
            # of a pane that went away after it was listed nothing is said; the list knows
            return self._asked_pane(pane_id, more, until)

    def _asked_pane(
        self, pane_id: str, more: tuple[_Call, ...], until: float
    ) -> tuple[Served, PaneFacts | None, list[str]] | None:
        asked = self._ask(PANES, TABS, until=until)
        if asked is None:
            return None
        served, (panes, tabs) = asked
        pane = form.parse_panes(panes, tabs, self._session).get(pane_id)
        if pane is None or not more:
            return served, pane, []
        # a suppressed pane has no screen, and none is written for it
        blank = {call for call in more if pane.mode and call[0] == DUMP}
        asked = self._ask(*(call for call in more if call not in blank), until=until)
        if asked is None or asked[0].server != served.server:
            return None
        said = iter(asked[1])
        return served, pane, ["\n" if call in blank else next(said) for call in more]

    def listing(self) -> Listing | None:
        """Its panes."""
        asked = self._ask(PANES, TABS)
        if asked is None:
            return None
        served, (panes, tabs) = asked
        return Listing(served.server, form.parse_panes(panes, tabs, self._session))

    def look(self, pane_id: str) -> Look | None:
        """The pane's facts and its screen, as far down as somebody has scrolled."""
        asked = self._ask_pane(pane_id, *_reading(pane_id))
        if asked is None:
            return None
        served, pane, said = asked
        if pane is None:
            return Look(served.server, None, Screen((), ()))
        return Look(served.server, pane, form.parse_screen(said[0], pane.width, pane.height))

    def history(self, pane_id: str, lines: int) -> tuple[str, ...]:
        """The end of scrollback and screen, without trailing empty lines."""
        asked = self._ask_pane(pane_id, *_reading(pane_id, "--full"))
        # a dump of a pane that is not there is empty, and no error (E7)
        if asked is None or asked[1] is None:
            raise BackendError(f"Zellij session {self._session!r} has no pane {pane_id!r}")
        return form.parse_history(asked[2][0], lines)

    def has_session(self, session: str) -> bool:
        """True where exactly this session answers, and has a pane left."""
        served = self._sessions.named(session)
        return served is not None and not form.is_husk(self._cli.ask(served, TABS)[0])

    def focused(self) -> frozenset[str]:
        """The pane that each attached client shows."""
        asked = self._ask(CLIENTS)
        if asked is None:
            return frozenset()
        shown = form.parse_clients(asked[1][0]).values()
        return frozenset(pane for pane in shown if is_pane_id("zellij", pane))

    # -- acting

    def open(self, request: OpenRequest) -> Opened:
        """A new pane in the session, or a new session with it, detached."""
        return self._opening.open(request)

    def paste(self, guard: Guard, body: bytes) -> Held:
        """Look, paste, look again. The text is an argument: others can see it (mechanism 4)."""
        text = body.decode("utf-8")
        return self._type(guard, ("paste", "--pane-id", guard.pane_id, "--", text))

    def enter(self, guard: Guard) -> Held:
        """Look, one Enter, look again."""
        return self._type(guard, ("send-keys", "--pane-id", guard.pane_id, "Enter"))

    def _same(self, guard: Guard, *more: _Call) -> _Same | None:
        """The guard's pane, where this server still has it, and what was said to ``more``."""
        if not is_pane_id("zellij", guard.pane_id):
            return None
        asked = self._ask_pane(guard.pane_id, *more)
        if asked is None or asked[0].server != guard.server or asked[1] is None:
            return None
        return asked[0], asked[1], asked[2]

    def _type(self, guard: Guard, act: _Call) -> Held:
        same = self._same(guard, dump(guard.pane_id))
        if same is None or not _may_type(same, guard):
            return "held"
        self._cli.act(same[0], *act)
        after = self._same(guard)
        # an act on a pane that is gone is no error either (E7)
        if after is None or after[1].dead:
            raise BackendError(f"pane {guard.pane_id} went away while it was typed into")
        return "done"

    def close(self, guard: Guard) -> Held:
        """Close the pane; a session of ours of which nothing is left then ends as well (E12).

        Of one that another stands in the place of, Zellij ends the program and
        lists the pane for ever: whether it ended is asked of the process alone.
        """
        same = self._same(guard)
        if same is None:
            return "held"
        served = same[0]
        trouble = ""
        with self._unless_ended(served):
            trouble = self._try(served, "close-pane", "--pane-id", guard.pane_id)
        if not same[1].mode:
            self._until(
                lambda: self._same(guard) is None, f"pane {guard.pane_id} does not close: {trouble}"
            )
        if alive(self._processes, served.server):
            with self._unless_ended(served):
                self._opening.bury(served)
        return "done"

    @contextlib.contextmanager
    def _unless_ended(self, served: Served) -> Iterator[None]:
        """A session that ends while it is spoken to fails the call, and that is all right."""
        try:
            yield
        except BackendError:
            if alive(self._processes, served.server):
                raise

    def _until(self, done: Callable[[], bool], trouble: str) -> None:
        until = time.monotonic() + self._cli.deadline
        while not done():
            if time.monotonic() >= until:
                raise BackendTimeout(f"{trouble} within {self._cli.deadline:g} s")
            time.sleep(_STEP)

    def focus(self, guard: Guard) -> tuple[Held, str]:
        """Tab and pane, for the client that typed last; that a client shows it is the proof."""
        same = self._same(guard, CLIENTS)
        if same is None:
            return "held", ""
        served, pane, said = same
        before = form.parse_clients(said[0])
        shown, trouble = before, ""
        for step in self._ways(served, pane):
            trouble = self._try(served, *step)
            shown = self._shown(served, shown, 0.0 if trouble else _MOVE_SECONDS)
            if not shown or guard.pane_id in shown.values():
                break
        showing = [client for client, pane in shown.items() if pane == guard.pane_id]
        if shown and not showing:
            raise BackendError(f"no client shows pane {guard.pane_id}: {trouble or 'none moved'}")
        moved = [client for client in showing if before.get(client) != guard.pane_id]
        return "done", (moved or showing or [""])[0]

    def _ways(self, served: Served, pane: PaneFacts) -> Iterator[_Call]:
        """Steps to a pane; the first moves only a client that somebody has typed into."""
        yield ("focus-pane-id", pane.pane_id)
        yield ("go-to-tab-by-id", pane.window)
        for _ in self._cli.panes(served, self._session):
            yield ("focus-next-pane",)

    def _try(self, served: Served, *words: str) -> str:
        """Why not, where it says no: to what is so already too."""
        try:
            self._cli.act(served, *words)
        except BackendTimeout:
            raise
        except BackendError as error:
            return error.message
        return ""

    def _shown(self, served: Served, before: dict[str, str], seconds: float) -> dict[str, str]:
        """What each client shows, as soon as that is another than before, else after a while.

        A command can return before it is carried out; a next step would then undo it.
        """
        until = time.monotonic() + seconds
        while True:
            shown = form.parse_clients(self._cli.ask(served, CLIENTS)[0])
            if not shown or shown != before or time.monotonic() >= until:
                return shown
            time.sleep(_STEP)


def _reading(pane_id: str, *options: str) -> tuple[_Call, ...]:
    """The dump that goes with a look; none where ``pane_id`` is no id and must reach no command."""
    return (dump(pane_id, *options),) if is_pane_id("zellij", pane_id) else ()


def _may_type(same: _Same, guard: Guard) -> bool:
    """True where everything that the guard asks for is so."""
    _, pane, (screen, *_) = same
    if pane.dead or pane.synchronized or pane.mode or guard.cursor not in {None, pane.cursor}:
        return False
    lines = form.parse_screen(screen, pane.width, pane.height).lines
    return form.holds(lines, guard.absent, guard.steady)


__all__ = ["ZellijBackend"]
