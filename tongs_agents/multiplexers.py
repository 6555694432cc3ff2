"""Which multiplexer server is meant, and the backend that speaks to it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from tongs_agents.errors import Unsupported
from tongs_mux.backend import Backend
from tongs_mux.model import PaneRef
from tongs_mux.process import Processes


def tmux_socket(name: str, environ: Mapping[str, str], uid: int) -> str:
    """The absolute socket path of a tmux server (C8).

    ``name`` is an absolute path, or a socket name as ``tmux -L`` takes it:
    below ``TMUX_TMPDIR``, else ``/tmp``, in a directory of the user's own.
    """
    if os.path.isabs(name):
        return os.path.realpath(name)
    # tmux's own default place; its directory there is the user's alone
    base = environ.get("TMUX_TMPDIR") or "/tmp"  # noqa: S108 - as above
    return os.path.realpath(os.path.join(base, f"tmux-{uid}", name))


def make_socket_dir(socket: str) -> None:
    """The directory that ``tmux -L`` would have made, for a server that is to be started."""
    Path(socket).parent.mkdir(mode=0o700, parents=True, exist_ok=True)


def workspace_pane(
    multiplexer: str | None, session: str, socket: str, environ: Mapping[str, str], uid: int
) -> PaneRef:
    """Where the workspace session is, as a pane reference that names no pane yet.

    Raises Unsupported for a multiplexer that this version cannot drive.
    """
    if multiplexer not in (None, "tmux"):
        raise Unsupported(
            f"{multiplexer} can't be driven by this version",
            hint='set `multiplexer = "tmux"` in [workspace], or leave it out',
        )
    return PaneRef("tmux", session, "", tmux_socket(socket, environ, uid))


class BackendFactory:
    """Makes and keeps one backend for each multiplexer server that is asked for."""

    def __init__(self, processes: Processes, environ: Mapping[str, str]) -> None:
        self._processes = processes
        self._environ = environ
        self._made: dict[tuple[str, str | None], Backend] = {}

    def __call__(self, pane: PaneRef) -> Backend:
        """The backend for the server of ``pane``. Raises Unsupported."""
        key = (pane.multiplexer, pane.socket)
        if key not in self._made:
            self._made[key] = self._make(pane)
        return self._made[key]

    def _make(self, pane: PaneRef) -> Backend:
        # here: libtmux takes 100 ms to import, and `list` without launches needs none
        from tongs_mux.backends.tmux import TmuxBackend

        if pane.multiplexer != "tmux" or pane.socket is None:
            raise Unsupported(f"{pane.multiplexer} can't be driven by this version")
        return TmuxBackend(pane.socket, processes=self._processes, environ=self._environ)


__all__ = ["BackendFactory", "make_socket_dir", "tmux_socket", "workspace_pane"]
