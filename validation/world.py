"""The world of one cell: a home, a project, places and an environment that hold nothing else."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from validation.ending import MARK, end_all
from validation.troubles import CannotRun

_PLACE = os.path.realpath("/tmp")
"""Sockets go below it: a unix socket's path has at most 107 bytes."""


@dataclass(frozen=True, slots=True)
class World:
    """``environ`` is all that a program in it is given, as ``env -i`` would."""

    directory: Path
    environ: Mapping[str, str]

    @property
    def home(self) -> Path:
        return self.directory / "home"

    @property
    def project(self) -> Path:
        return self.directory / "app"

    @property
    def requests(self) -> Path:
        """What the model server was asked."""
        return self.directory / "asked"

    @property
    def socket(self) -> str:
        """The tmux server's."""
        return str(self.directory / "s")

    @property
    def zellij(self) -> str:
        """The Zellij that is found in it, by its path; empty where there is none."""
        return shutil.which("zellij", path=self.environ["PATH"]) or ""


@contextmanager
def world(
    *programs: Path,
    beside: Callable[[Path], Path],
    directory: Path | None = None,
    keep: bool = False,
) -> Iterator[World]:
    """Make one, ``programs`` first on its PATH; at the end all in it is ended and removed.

    ``beside`` says what the harness makes outside of the home that it is given.
    Raises CannotRun where tmux is missing.
    """
    need_tmux()
    if directory is None:
        directory = Path(tempfile.mkdtemp(prefix="tg-v-", dir=_PLACE))
    made = World(directory, _environ(directory, programs))
    for place in (made.home, made.project, made.requests, directory / "run", directory / "tmp"):
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        yield made
    finally:
        if not keep:
            end_all(directory)
            for place in (directory, beside(made.home)):
                shutil.rmtree(place, ignore_errors=True)


def need_tmux() -> None:
    """Raises CannotRun where tmux is missing."""
    if shutil.which("tmux") is None:
        raise CannotRun("tmux is not on PATH: install it with your system's package manager.")


def _environ(directory: Path, programs: Sequence[Path]) -> dict[str, str]:
    tmux = os.path.dirname(shutil.which("tmux") or "")
    places = dict.fromkeys([*map(str, programs), tmux, "/usr/local/bin", "/usr/bin", "/bin"])
    return {
        "HOME": str(directory / "home"),
        "PATH": os.pathsep.join(places),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "SHELL": "/bin/sh",
        "TMPDIR": str(directory / "tmp"),
        "XDG_RUNTIME_DIR": str(directory / "run"),
        "ZELLIJ_SOCKET_DIR": str(directory / "z"),
        MARK: str(directory),
    }


__all__ = ["World", "need_tmux", "world"]
