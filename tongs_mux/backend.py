"""The one seam to a multiplexer: what a backend must be able to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from tongs_mux.model import Listing, Look, Multiplexer, PaneRef, ProcessIdentity


@dataclass(frozen=True, slots=True)
class Guard:
    """Facts that must hold at the very moment of an act.

    ``absent`` and ``steady`` are POSIX extended regular expressions searched
    on the visible screen: none of the first may match a line, each of the
    second must. ``cursor`` is the cell that the terminal's cursor must stand in,
    None for anywhere.
    """

    server: ProcessIdentity
    pane_id: str
    pane_pid: int | None
    absent: tuple[str, ...] = ()
    steady: tuple[str, ...] = ()
    cursor: tuple[int, int] | None = None


Held = Literal["done", "held"]
"""``held``: the guard did not hold, and nothing was done."""


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """A pane to open: ``argv`` is executed, never typed (C11)."""

    session: str
    argv: tuple[str, ...]
    cwd: str
    name: str
    create_session: bool
    environment: Mapping[str, str] = field(default_factory=dict)
    """Environment of a server that has to be started for it (A89)."""


@dataclass(frozen=True, slots=True)
class Opened:
    """The pane that was opened. ``pid`` is None where the multiplexer does not say."""

    pane: PaneRef
    pid: int | None
    server: ProcessIdentity
    created_session: bool


class Backend(Protocol):
    """A multiplexer server, addressed for good; each call has a deadline.

    Every method raises BackendTimeout without an answer, BackendUnavailable
    where the program is missing, BackendError where it failed otherwise.
    """

    multiplexer: Multiplexer
    atomic: bool
    """True where guard and act are one act of the server; else ``window: open``."""

    def address(self) -> str | None:
        """What a PaneRef carries as its socket: on Zellij the directory of the sockets."""
        ...

    def listing(self) -> Listing | None:
        """Every pane; None where it is certain that no server runs there."""
        ...

    def look(self, pane_id: str) -> Look | None:
        """One pane and its screen in one act; None as for ``listing``."""
        ...

    def history(self, pane_id: str, lines: int) -> tuple[str, ...]:
        """The last ``lines`` lines of the pane, scrollback included, plain text."""
        ...

    def has_session(self, session: str) -> bool:
        """True where exactly this session runs; prefixes don't count (C4)."""
        ...

    def open(self, request: OpenRequest) -> Opened:
        """Open a pane without moving anybody's focus."""
        ...

    def paste(self, guard: Guard, body: bytes) -> Held:
        """Check and bracketed paste."""
        ...

    def enter(self, guard: Guard) -> Held:
        """Check and one Enter."""
        ...

    def focus(self, guard: Guard) -> tuple[Held, str]:
        """Bring the pane to the front; the second value says for which client."""
        ...

    def close(self, guard: Guard) -> Held:
        """Remove the pane and what runs in it."""
        ...

    def focused(self) -> frozenset[str]:
        """Panes that an attached client shows and types into (A43)."""
        ...


__all__ = ["Backend", "Guard", "Held", "OpenRequest", "Opened"]
