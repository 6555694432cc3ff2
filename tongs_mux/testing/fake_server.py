"""A multiplexer server in memory, which a test arranges, watches and disturbs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from tongs_mux.errors import BackendOutputError, BackendTimeout
from tongs_mux.model import PaneFacts, ProcessIdentity, Screen
from tongs_mux.testing.fake_processes import FakeProcesses

Call = Literal[
    "close",
    "enter",
    "focus",
    "focused",
    "has_session",
    "history",
    "listing",
    "look",
    "open",
    "paste",
]
"""Name of a backend's method."""

Moment = Literal["before", "within", "after"]
"""Of a call. ``within``: between guard and act, on a backend that is not atomic."""


@dataclass
class FakePane:
    """A pane whose every side is written and read directly."""

    pane_id: str
    pid: int
    session: str
    window: str
    argv: tuple[str, ...] = ()
    cwd: str = "/"
    environment: Mapping[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    styled: list[str] | None = None
    """The screen with its SGR codes; None: ``lines`` have none."""
    scrollback: list[str] = field(default_factory=list)
    mode: str = ""
    dead: bool = False
    synchronized: bool = False
    title: str = ""
    cursor: tuple[int, int] | None = None
    received: bytearray = field(default_factory=bytearray)
    program: Callable[[bytes], None] | None = None
    """Called with each paste or key after it is in ``received``."""

    def facts(self) -> PaneFacts:
        """The pane as a listing has it."""
        return PaneFacts(
            pane_id=self.pane_id,
            pid=self.pid,
            session=self.session,
            window=self.window,
            dead=self.dead,
            mode=self.mode,
            synchronized=self.synchronized,
            command=(self.argv[0] if self.argv else "program").rpartition("/")[2],
            title=self.title,
            width=80,
            height=24,
            cursor=self.cursor,
        )

    def screen(self) -> Screen:
        """What it shows now."""
        styled = self.lines if self.styled is None else self.styled
        return Screen(tuple(self.lines), tuple(styled))

    def type(self, data: bytes) -> None:
        """Give the program bytes; nobody reads those for a dead one."""
        if self.dead:
            return
        self.received += data
        if self.program is not None:
            self.program(data)


@dataclass
class FakeClient:
    """A terminal attached to a session. Of two, the one with more ``activity`` was used last."""

    name: str
    session: str
    activity: int = 0
    control: bool = False
    """A control client shows nothing to anybody."""


@dataclass
class _Hook:
    moment: Moment
    call: Call
    countdown: int
    run: Callable[[FakeServer], None]


class FakeServer:
    """Panes, clients and sessions; and hooks, by which a test disturbs the nth call.

    ``identity`` is None while no server runs. ``frozen`` stops it from answering.
    """

    def __init__(self, processes: FakeProcesses | None = None) -> None:
        self.processes = FakeProcesses() if processes is None else processes
        self.identity: ProcessIdentity | None = None
        self.panes: dict[str, FakePane] = {}
        self.clients: list[FakeClient] = []
        self.current: dict[str, str] = {}
        """The pane that each session shows."""
        self.buffers: list[str] = []
        self.frozen = False
        self.calls: list[Call] = []
        """Every call that a backend has made."""
        self._hooks: list[_Hook] = []
        self._opened = 0

    # -- arranging

    def start(self) -> ProcessIdentity:
        """Make the server run; no harm where it does."""
        if self.identity is None:
            self.identity = self.processes.identity(self.processes.start("multiplexer"))
            self._opened = 0
        return self.identity

    def stop(self) -> None:
        """End the server, its panes and their programs; its next pane ids start anew."""
        for pane in self.panes.values():
            self.processes.end(pane.pid)
        if self.identity is not None:
            self.processes.end(self.identity.pid)
        self.identity, self.panes, self.clients, self.current = None, {}, [], {}

    def add_pane(self, session: str = "one", *argv: str) -> FakePane:
        """Open a pane; it is in front only where its session is new."""
        server = self.start()
        number, self._opened = self._opened, self._opened + 1
        pid = self.processes.start(*argv, ppid=server.pid)
        pane = FakePane(f"%{number}", pid, session, f"@{number}", argv)
        self.panes[pane.pane_id] = pane
        self.current.setdefault(session, pane.pane_id)
        return pane

    def remove_pane(self, pane_id: str) -> None:
        """Remove a pane and its program; a server without panes ends."""
        pane = self.panes.pop(pane_id)
        self.processes.end(pane.pid)
        rest = [other.pane_id for other in self.panes.values() if other.session == pane.session]
        if not rest:
            self.current.pop(pane.session, None)
            self.clients = [it for it in self.clients if it.session != pane.session]
        elif self.current[pane.session] == pane_id:
            self.current[pane.session] = rest[-1]
        if not self.panes:
            self.stop()

    def kill(self, pane_id: str) -> None:
        """End a pane's program; the pane stays, dead."""
        self.panes[pane_id].dead = True
        self.processes.end(self.panes[pane_id].pid)

    def respawn(self, pane_id: str) -> int:
        """Another program in the same pane; returns its pid."""
        pane = self.panes[pane_id]
        self.processes.end(pane.pid)
        pane.pid = self.processes.start(*pane.argv, ppid=self.start().pid)
        pane.dead = False
        return pane.pid

    # -- disturbing

    def before(self, call: Call, run: Callable[[FakeServer], None], *, nth: int = 1) -> None:
        """Run a hook right before the ``nth`` such call from now; it may raise in its place."""
        self._hooks.append(_Hook("before", call, nth, run))

    def within(self, call: Call, run: Callable[[FakeServer], None], *, nth: int = 1) -> None:
        """Run a hook between guard and act of a call; only where the backend isn't atomic."""
        self._hooks.append(_Hook("within", call, nth, run))

    def after(self, call: Call, run: Callable[[FakeServer], None], *, nth: int = 1) -> None:
        """Run a hook when the call is done; one that raises hides that it was."""
        self._hooks.append(_Hook("after", call, nth, run))

    def reach(self, moment: Moment, call: Call) -> None:
        """What a backend says of itself: run the hooks that are due."""
        due = []
        for hook in self._hooks:
            if (hook.moment, hook.call) == (moment, call):
                hook.countdown -= 1
                due += [hook] if hook.countdown == 0 else []
        self._hooks = [hook for hook in self._hooks if hook.countdown > 0]
        for hook in due:
            hook.run(self)


def no_answer(server: FakeServer) -> None:
    """A hook: the deadline passes."""
    raise BackendTimeout("the fake server did not answer", hint="a fault that a test staged")


def empty_answer(server: FakeServer) -> None:
    """A hook: the multiplexer says nothing at all."""
    raise BackendOutputError("the fake server listed no pane at all")


__all__ = [
    "Call",
    "FakeClient",
    "FakePane",
    "FakeServer",
    "Moment",
    "empty_answer",
    "no_answer",
]
