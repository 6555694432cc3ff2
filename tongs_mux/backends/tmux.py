"""tmux behind the seam: check and act are one command list of its server (mechanism 3)."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Mapping

from tongs_mux.backend import Guard, Held, Opened, OpenRequest
from tongs_mux.backends import tmux_format as form
from tongs_mux.backends.tmux_server import DEADLINE, Answer, BoundedServer
from tongs_mux.bounded import SECOND
from tongs_mux.errors import (
    BackendError,
    BackendOutputError,
    BackendTimeout,
    SessionMissing,
    StartFailed,
)
from tongs_mux.ids import is_pane_id
from tongs_mux.model import Listing, Look, Multiplexer, PaneFacts, PaneRef, ProcessIdentity
from tongs_mux.process import Processes

WIDTH = 200
"""Columns of a session that is started detached."""

HEIGHT = 50
"""Its rows."""

_SAID = ("source-file", "-")
"""By standard input: the composer's rows in a guard are our text, and argv is anybody's to read."""

_REPORT = ('display-message -p "done"', 'display-message -p "held"')


class TmuxBackend:
    """One tmux server at one absolute socket path."""

    multiplexer: Multiplexer = "tmux"
    atomic = True

    def __init__(
        self,
        socket: str,
        *,
        processes: Processes,
        environ: Mapping[str, str],
        deadline: float = DEADLINE,
        tmux_bin: str = "tmux",
        buffer_name: Callable[[], str] = lambda: f"tongs-{secrets.token_hex(8)}",
    ) -> None:
        self._server = BoundedServer(socket, environ=environ, deadline=deadline, tmux_bin=tmux_bin)
        self._socket = socket
        self._processes = processes
        self._buffer_name = buffer_name

    def address(self) -> str | None:
        """The absolute path of the socket."""
        return self._socket

    def _identity(self, pid: int) -> ProcessIdentity:
        facts = self._processes.facts(pid)
        return ProcessIdentity(pid, facts.start_token if facts is not None else None)

    def listing(self) -> Listing | None:
        """One ``list-panes -a``."""
        answer = self._server.run("list-panes", "-a", "-F", form.PANE_FORMAT)
        if answer.no_server:
            return None
        parsed = [found for found in map(form.parse_pane, answer.lines) if found is not None]
        if not parsed and (empty := self._without_session()) is not None:
            return empty
        if answer.code != 0:
            raise BackendError(f"tmux list-panes: {answer.error or f'status {answer.code}'}")
        if not parsed:
            raise BackendOutputError("tmux listed no pane at all")
        panes: dict[str, PaneFacts] = {facts.pane_id: facts for _, facts in parsed}
        return Listing(self._identity(parsed[0][0]), panes)

    def _without_session(self) -> Listing | None:
        """A server that lives on without any pane (``exit-empty off``); None for any other."""
        answer = self._server.run(
            "display-message", "-p", "#{pid}", ";", "list-sessions", "-F", form.SESSION_FORMAT
        )
        if answer.code != 0 or len(answer.lines) != 1 or not answer.lines[0].isdigit():
            return None
        return Listing(self._identity(int(answer.lines[0])), {})

    def look(self, pane_id: str) -> Look | None:
        """The pane's facts and its screen, in one command list."""
        _must_be_id(pane_id)
        answer = self._server.run(
            *("display-message", "-p", "-t", pane_id, form.PANE_FORMAT, ";"),
            *("capture-pane", "-p", "-e", "-t", pane_id),
        )
        if answer.no_server:
            return None
        if not answer.lines:
            raise BackendError(f"tmux display-message: {answer.error or 'no answer'}")
        found = form.parse_pane(answer.lines[0])
        if found is None or found[1].pane_id != pane_id:
            return self._absent(answer)
        screen = form.parse_screen(answer.lines[1:])
        return Look(self._identity(found[0]), found[1], screen)

    def _absent(self, answer: Answer) -> Look:
        pid = answer.lines[0].split(form.SEPARATOR, 1)[0]
        server = self._identity(int(pid)) if pid.isdigit() else ProcessIdentity(0, None)
        return Look(server, None, form.parse_screen([]))

    def history(self, pane_id: str, lines: int) -> tuple[str, ...]:
        """The end of scrollback and screen, without trailing empty lines."""
        _must_be_id(pane_id)
        answer = self._server.must("capture-pane", "-p", "-S", f"-{lines}", "-t", pane_id)
        text = [form.plain(line).rstrip() for line in answer.lines]
        while text and not text[-1]:
            text.pop()
        return tuple(text[-lines:])

    def has_session(self, session: str) -> bool:
        """``list-sessions``; no server is no session."""
        return self._session_id(session) is not None

    def _session_id(self, session: str) -> str | None:
        """Even ``=name`` takes ``name:0``, ``name;`` and ``$0`` for it: names are compared here."""
        answer = self._server.run("list-sessions", "-F", form.SESSION_FORMAT)
        if answer.no_server:
            return None
        if answer.code != 0:
            raise BackendError(f"tmux list-sessions: {answer.error or f'status {answer.code}'}")
        rows = (line.partition(form.SEPARATOR) for line in answer.lines)
        return next((known for known, _, name in rows if name == session), None)

    def open(self, request: OpenRequest) -> Opened:
        """A new window in the session, or a new session with it, detached."""
        session = self._session_id(request.session)
        if session is None and not request.create_session:
            raise SessionMissing(f"there is no tmux session {request.session!r}")
        name = form.literal(request.session)
        head = (
            ("new-session", "-d", "-s", name, "-x", str(WIDTH), "-y", str(HEIGHT))
            if session is None
            else ("new-window", "-d", "-t", f"{session}:")
        )
        rest = ("-n", form.literal(request.name), "-c", form.literal(request.cwd))
        words = [*head, *rest, "-P", "-F", form.PANE_FORMAT, "--", *form.command(request.argv)]
        environ = request.environment if session is None else None
        said = [form.argument(word) for word in words]
        answer = self._server.run(
            *said, ";", "display-message", "-p", form.CLOSING_FORMAT, environ=environ
        )
        found = form.parse_pane(answer.lines[0]) if answer.code == 0 and answer.lines else None
        if found is None:
            raise BackendError(f"tmux {words[0]}: {answer.error or 'it opened no pane'}")
        pid, facts = found
        pane = PaneRef("tmux", facts.session, facts.pane_id, self._socket)
        opened = Opened(pane, facts.pid, self._identity(pid), created_session=session is None)
        self._settle(opened, answer.lines[-1])
        return opened

    def _settle(self, opened: Opened, closing: str) -> None:
        """The pane as ours are; raises StartFailed where tmux has closed it already.

        Ours close when their program ends, whatever the user's own setting
        (C12). Messages about a ``tmux.conf`` stand in the first pane of a
        server, in a mode that no person has entered: it is left.
        """
        pane = opened.pane.pane_id
        guard = Guard(opened.server, pane, opened.pid)
        ours = form.all_of([*form.same_pane(guard), "#{==:#{pane_mode},view-mode}"])
        answer = self._server.run(
            *("set-option", "-w", "-t", pane, "remain-on-exit", "off", ";"),
            *("if-shell", "-F", "-t", pane, ours, f"send-keys -t {pane} -X cancel"),
        )
        if answer.code != 0:
            settings = form.closing(closing)
            why = f"tmux closed it: {settings} is on" if settings else answer.error
            raise StartFailed(
                f"the pane was gone as soon as it was opened: {why}",
                hint=f"turn {settings} off in tmux" if settings else "",
            )

    def paste(self, guard: Guard, body: bytes) -> Held:
        """A private buffer by a descriptor, then check and bracketed paste as one act."""
        name = self._buffer_name()
        act = f"paste-buffer -d -p -r -b {name} -t {guard.pane_id} ; {_REPORT[0]}"
        otherwise = f"delete-buffer -b {name} ; {_REPORT[1]}"
        said = self._when(form.may_type(guard), guard, act, otherwise)
        words = ("load-buffer", "-b", name, SECOND, ";", *_SAID)
        try:
            return self._held(self._server.run(*words, stdin=said, second=body))
        except BackendTimeout:
            raise  # another call would only wait as long again; the list drops the buffer itself
        except BaseException:
            self._drop_buffer(name)
            raise

    def _drop_buffer(self, name: str) -> None:
        # the first error is the one to report
        with contextlib.suppress(BackendError):
            self._server.run("delete-buffer", "-b", name)

    def enter(self, guard: Guard) -> Held:
        """Look and Enter as one act."""
        act = f"send-keys -t {guard.pane_id} Enter ; {_REPORT[0]}"
        return self._act(form.may_type(guard), guard, act)

    def close(self, guard: Guard) -> Held:
        """``kill-pane`` where the pane is still the one meant."""
        act = f"{_REPORT[0]} ; kill-pane -t {guard.pane_id}"
        return self._act(form.same_pane(guard), guard, act)

    def focus(self, guard: Guard) -> tuple[Held, str]:
        """Window, pane, and the client that was used last; no other client moves."""
        clients = self._clients()
        client = max(clients, key=lambda row: row[0])[1] if clients else ""
        target = f"-t {guard.pane_id}"
        act = f"select-window {target} ; select-pane {target}"
        if client:
            act += f" ; switch-client -c {client} {target}"
        return self._act(form.same_pane(guard), guard, f"{act} ; {_REPORT[0]}"), client

    def focused(self) -> frozenset[str]:
        """The pane that each attached client shows; control clients show none."""
        return frozenset(pane for _, _, pane in self._clients())

    def _clients(self) -> list[tuple[int, str, str]]:
        answer = self._server.run("list-clients", "-F", form.CLIENT_FORMAT)
        if answer.code != 0 and not answer.no_server:
            raise BackendError(f"tmux list-clients: {answer.error or f'status {answer.code}'}")
        rows = [line.split(form.SEPARATOR) for line in answer.lines]
        return [
            (int(row[1]), row[2], row[3])
            for row in rows
            if len(row) == 4 and row[0] in ("", "0") and row[1].isdigit()
        ]

    def _act(self, conditions: list[str], guard: Guard, act: str) -> Held:
        said = self._when(conditions, guard, act, _REPORT[1])
        return self._held(self._server.run(*_SAID, stdin=said))

    @staticmethod
    def _when(conditions: list[str], guard: Guard, act: str, otherwise: str) -> bytes:
        _must_be_id(guard.pane_id)
        condition = form.all_of(conditions)
        return form.script("if-shell", "-F", "-t", guard.pane_id, condition, act, otherwise)

    @staticmethod
    def _held(answer: Answer) -> Held:
        if answer.no_server:
            return "held"  # nobody was there to do anything
        if answer.code != 0:
            raise BackendError(f"tmux: {answer.error or f'status {answer.code}'}")
        said = answer.lines[-1] if answer.lines else ""
        if said == "done":
            return "done"
        if said == "held":
            return "held"
        raise BackendOutputError(f"tmux answered {said!r} where `done` or `held` was expected")


def _must_be_id(pane_id: str) -> None:
    """tmux takes what is no id for a name, or for the pane in front (C2)."""
    if not is_pane_id("tmux", pane_id):
        raise BackendError(f"{pane_id!r} is not the id of a tmux pane")


__all__ = ["HEIGHT", "WIDTH", "TmuxBackend"]
