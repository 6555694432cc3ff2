"""What a test run started, found by the run's id, and how it is ended."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import psutil

VARIABLE = "TONGS_TEST_RUN"
PLACE = os.path.realpath("/tmp")
"""Where the sockets are: a unix socket's path has at most 107 bytes."""

_KILL_S = 5.0
"""How long a killed process may take to be gone; more is the kernel's trouble, not ours."""


def new_run_id(environ: Mapping[str, str]) -> str:
    """A fresh id, part of the run that ``environ`` belongs to if there is one."""
    own = secrets.token_hex(3)
    outer = environ.get(VARIABLE)
    return f"{outer}.{own}" if outer else own


def belongs_to(run_id: str, other: str) -> bool:
    """True where ``other`` is the run ``run_id`` or one inside it."""
    return other == run_id or other.startswith(run_id + ".")


def short_directory() -> Path:
    """A fresh private directory with a short path, known to the leak check."""
    return Path(tempfile.mkdtemp(prefix=f"tg-{os.environ[VARIABLE]}-", dir=PLACE))


def directories_of(run_id: str) -> list[Path]:
    """The socket directories of a run that still exist."""
    names = (path.name for path in Path(PLACE).glob(f"tg-{run_id}*"))
    return sorted(
        Path(PLACE, name) for name in names if belongs_to(run_id, name[3:].rpartition("-")[0])
    )


def processes_of(run_id: str) -> list[psutil.Process]:
    """Every living process that the run started, itself, its parents and zombies excepted."""
    spared = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.pid not in spared and _is_of(process, run_id):
                found.append(process)
    return found


def _is_of(process: psutil.Process, run_id: str) -> bool:
    if not is_alive(process):
        return False
    if belongs_to(run_id, process.environ().get(VARIABLE, "")):
        return True
    # A program started with an emptied environment still names its socket.
    return any(f"{PLACE}/tg-{run_id}" in word for word in process.cmdline())


def is_alive(process: psutil.Process) -> bool:
    """True for a process that still runs: a zombie waits only for its parent, maybe for long."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def end_processes(processes: list[psutil.Process]) -> None:
    """SIGKILL each, stopped ones too, and wait until none runs. Never raises."""
    for process in processes:
        with contextlib.suppress(psutil.Error, OSError):
            process.kill()
    end = time.monotonic() + _KILL_S
    while any(is_alive(process) for process in processes) and time.monotonic() < end:
        time.sleep(0.002)


def end_servers_in(directory: Path) -> None:
    """End every multiplexer server whose socket is below ``directory``, and its panes.

    Works on a server that is stopped, hung, or has lost its socket file: it is
    found by its own command line or environment. Never raises.
    """
    doomed: list[psutil.Process] = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):
            if process.uids().real == os.getuid() and _serves(process, str(directory)):
                doomed += [*process.children(recursive=True), process]
    end_processes(doomed)


def _serves(process: psutil.Process, directory: str) -> bool:
    if not process.name().startswith(("tmux", "zellij")):
        return False
    words = (*process.cmdline(), *process.environ().values())
    return any(word == directory or directory + "/" in word for word in words)


def remove(directory: Path) -> None:
    """Remove a directory of ours. Never raises."""
    shutil.rmtree(directory, ignore_errors=True)


def sweep(run_id: str, *, grace_s: float) -> list[str]:
    """End and remove everything that a run left; what there was, one line each.

    A process that is ending by itself has ``grace_s`` seconds for it.
    """
    end = time.monotonic() + grace_s
    while (processes := processes_of(run_id)) and time.monotonic() < end:
        time.sleep(0.02)
    lines = [_describe(process) for process in processes]
    for _ in range(5):  # what a dying server starts in its last moment is ended too
        if not processes:
            break
        end_processes(processes)
        processes = processes_of(run_id)
    for directory in directories_of(run_id):
        lines.append(f"directory {directory}")
        remove(directory)
    return lines


def _describe(process: psutil.Process) -> str:
    with contextlib.suppress(psutil.Error, OSError):
        return f"process {process.pid}: {' '.join(process.cmdline()) or process.name()}"
    return f"process {process.pid}"
