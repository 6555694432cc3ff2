"""The conformance kit's rig over the scripted fake."""

from __future__ import annotations

from tongs_mux.backend import Opened, OpenRequest
from tongs_mux.backends.tmux_format import plain
from tongs_mux.testing.fake import FakeBackend
from tongs_mux.testing.fake_server import FakeClient, FakePane, FakeServer
from tongs_mux.testing.rig import Feature, Given

PROGRAM = ("logger", "-")


class FakeRig:
    """Every hand is a line: the fake's server is arranged directly."""

    deadline = 0.0

    def __init__(self, *, atomic: bool = True) -> None:
        self.server = FakeServer()
        self.backend = FakeBackend(self.server, atomic=atomic)
        self.hasty = self.backend

    def _pane(self, opened: Opened) -> FakePane:
        return self.server.panes[opened.pane.pane_id]

    def has(self, feature: Feature) -> bool:
        return True

    def request(
        self, *words: str, session: str = "one", create_session: bool = True
    ) -> OpenRequest:
        argv = (*PROGRAM, *words)
        return OpenRequest(session, argv, "/work place", "name", create_session)

    def ready(self, opened: Opened) -> None:
        self._pane(opened)

    def given(self, opened: Opened) -> Given:
        pane = self._pane(opened)
        return Given(pane.argv[len(PROGRAM) :], pane.cwd, pane.environment)

    def received(self, opened: Opened) -> bytes:
        return bytes(self._pane(opened).received)

    def show(self, opened: Opened, *lines: str) -> None:
        pane = self._pane(opened)
        pane.scrollback += [plain(line) for line in lines[:-24]]
        pane.lines = [plain(line) for line in lines[-24:]]
        pane.styled = list(lines[-24:])
        pane.cursor = (len(pane.lines[-1]), len(pane.lines) - 1)

    def freeze(self) -> None:
        self.server.frozen = True

    def thaw(self) -> None:
        self.server.frozen = False

    def end_server(self) -> None:
        self.server.stop()

    def kill(self, opened: Opened) -> None:
        self.server.kill(opened.pane.pane_id)

    def respawn(self, opened: Opened) -> None:
        self.server.respawn(opened.pane.pane_id)

    def enter_mode(self, opened: Opened) -> str:
        self._pane(opened).mode = "copy-mode"
        return "copy-mode"

    def synchronize(self, first: Opened, second: Opened) -> None:
        for opened in (first, second):
            self._pane(opened).window = self._pane(first).window
            self._pane(opened).synchronized = True

    def rearrange(self, opened: Opened) -> None:
        self._pane(opened).window = "@99"
        self._pane(opened).session = "elsewhere"

    def attach(self, session: str) -> str:
        client = FakeClient(f"/dev/client{len(self.server.clients)}", session)
        self.server.clients.append(client)
        return client.name

    def detach(self, client: str) -> None:
        self.server.clients = [it for it in self.server.clients if it.name != client]

    def use(self, client: str) -> None:
        for it in self.server.clients:
            it.activity = int(it.name == client)

    def shown(self, client: str) -> str:
        (session,) = [it.session for it in self.server.clients if it.name == client]
        return self.server.current[session]

    def attach_control(self, session: str) -> None:
        self.server.clients.append(FakeClient("client-1", session, control=True))

    def buffers(self) -> tuple[str, ...]:
        return tuple(self.server.buffers)
