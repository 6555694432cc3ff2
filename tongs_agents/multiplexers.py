"""Which multiplexer server is meant, and the backend that speaks to it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from tongs_agents.errors import Unsupported
from tongs_mux.backend import Backend
from tongs_mux.errors import BackendError
from tongs_mux.files import private_dir
from tongs_mux.model import Multiplexer, PaneRef
from tongs_mux.process import Processes, ancestors, system_processes


def tmux_socket(name: str, environ: Mapping[str, str], uid: int) -> str:
    """The absolute socket path of a tmux server (C8).

    ``name`` is an absolute path, or a socket name as ``tmux -L`` takes it:
    below ``TMUX_TMPDIR``, else ``/tmp``, in a directory of the user's own.
    Raises PlaceRefused where that is a link, foreign or open to others, as
    ``tmux -L`` does: by default anybody can make it first.
    """
    if os.path.isabs(name):
        return os.path.realpath(name)
    # tmux's own default place; its directory there is the user's alone
    base = environ.get("TMUX_TMPDIR") or "/tmp"  # noqa: S108 - as above
    directory = Path(os.path.realpath(base), f"tmux-{uid}")
    with suppress(FileNotFoundError):
        private_dir(directory, create=False)
    return os.path.realpath(directory / name)


def make_socket_dir(socket: str) -> None:
    """The directory that ``tmux -L`` would have made, for a server that is to be started.

    Whether one that is there already can be trusted is asked by whoever uses it.
    """
    directory = Path(socket).parent
    if not directory.exists():
        private_dir(directory)


def around(
    environ: Mapping[str, str], parents: Callable[[], tuple[int, ...]]
) -> Multiplexer | None:
    """The multiplexer in whose pane we are, None outside of any.

    One started inside the other leaves the variables of both; a server is
    nobody's child, so the one that is found among our ``parents`` is the inner
    one (A84).
    """
    tmux, zellij = environ.get("TMUX", ""), "ZELLIJ" in environ
    if tmux and zellij:
        server = tmux.split(",")[1:2]
        return "tmux" if server in [[str(pid)] for pid in parents()] else "zellij"
    return "tmux" if tmux else "zellij" if zellij else None


def _own_parents() -> tuple[int, ...]:
    return ancestors(system_processes(), os.getpid())


def zellij_is_usable(environ: Mapping[str, str]) -> bool:
    """True where a Zellij that is new enough is installed; asked of the program itself."""
    found = shutil.which("zellij", path=environ.get("PATH", os.defpath))
    if found is None:
        return False
    # here: `list` without launches needs none of it
    from tongs_mux.backends.zellij_cli import ZellijCli

    try:
        ZellijCli(environ=environ, zellij_bin=found).require()
    except BackendError:
        return False
    return True


def workspace_pane(
    multiplexer: str | None, session: str, socket: str, environ: Mapping[str, str], uid: int
) -> PaneRef:
    """Where the workspace session is, as a pane reference that names no pane yet.

    ``multiplexer`` None: the one we are inside, else an installed Zellij, else
    tmux. Raises Unsupported for one that this version cannot drive.
    """
    chosen = multiplexer or around(environ, _own_parents)
    if chosen is None:
        chosen = "zellij" if zellij_is_usable(environ) else "tmux"
    if chosen == "zellij":
        return PaneRef("zellij", session, "", None)
    if chosen == "tmux":
        return PaneRef("tmux", session, "", tmux_socket(socket, environ, uid))
    raise Unsupported(
        f"{chosen} can't be driven by this version",
        hint='set `multiplexer` in [workspace] to "tmux" or "zellij", or leave it out',
    )


class BackendFactory:
    """Makes and keeps one backend for each multiplexer server that is asked for."""

    def __init__(self, processes: Processes, environ: Mapping[str, str]) -> None:
        self._processes = processes
        self._environ = environ
        self._made: dict[tuple[str, str, str | None], Backend] = {}

    def __call__(self, pane: PaneRef) -> Backend:
        """The backend for the server of ``pane``. Raises Unsupported."""
        # to Zellij each session is a server of its own
        session = pane.session if pane.multiplexer == "zellij" else ""
        key = (pane.multiplexer, session, pane.socket)
        if key not in self._made:
            self._made[key] = self._make(pane)
        return self._made[key]

    def _make(self, pane: PaneRef) -> Backend:
        # here: libtmux takes 100 ms to import, and `list` without launches needs none
        if pane.multiplexer == "zellij":
            from tongs_mux.backends.zellij import ZellijBackend

            recorded = {} if pane.socket is None else {"ZELLIJ_SOCKET_DIR": pane.socket}
            environ = {**self._environ, **recorded}
            return ZellijBackend(pane.session, processes=self._processes, environ=environ)
        from tongs_mux.backends.tmux import TmuxBackend

        if pane.socket is None:
            raise Unsupported("this tmux pane has no socket on record")
        return TmuxBackend(pane.socket, processes=self._processes, environ=self._environ)


__all__ = [
    "BackendFactory",
    "around",
    "make_socket_dir",
    "tmux_socket",
    "workspace_pane",
    "zellij_is_usable",
]
