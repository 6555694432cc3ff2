"""The launcher: claims its launch from inside the pane, then becomes the profile's command.

Run as ``python -I -m tongs_agents.launcher STATE_DIR LAUNCH_ID``, never by
hand: it is the argv of the pane. The claimed process is the harness itself,
same pid, same start token (mechanism 1).
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tongs_agents.harness.inherited import for_launch
from tongs_agents.hooks import HOOKS_LABEL
from tongs_agents.parcel import Parcel, parcel_path, take
from tongs_agents.paths import Places, environment
from tongs_mux.audit import AuditEntry, AuditLog
from tongs_mux.claims import LaunchStore
from tongs_mux.errors import ClaimConflict, MuxError
from tongs_mux.files import private_dir
from tongs_mux.ids import zellij_pane
from tongs_mux.model import Claim, LaunchRecord, ProcessIdentity
from tongs_mux.process import Processes, identity, system_processes

MODULE = "tongs_agents.launcher"
"""By this word in its command line a launcher is known from what it becomes."""


def own_pane(environ: Mapping[str, str], parent: int) -> tuple[str, str | None, int]:
    """(pane id, socket, server pid) of the pane that a program is the first process of.

    Ids are empty where it is in none. The environment says only where to look: a
    claim is compared with what the opener recorded (A88). It may tell of two
    multiplexers, one inside the other: the one that started us is our ``parent``
    (A84), and on Zellij no other may be.
    """
    socket, _, rest = environ.get("TMUX", "").partition(",")
    pid = rest.partition(",")[0]
    zellij = zellij_pane(environ)
    if zellij and pid != str(parent):
        return zellij, None, parent
    return (
        environ.get("TMUX_PANE", ""),
        os.path.realpath(socket) if socket else None,
        int(pid) if pid.isdigit() else 0,
    )


def own_claim(environ: Mapping[str, str], processes: Processes, pid: int, at: float) -> Claim:
    """The statement of process ``pid`` about the pane it stands in."""
    facts = processes.facts(pid)
    pane_id, socket, server_pid = own_pane(environ, facts.ppid if facts is not None else 0)
    me = identity(processes, pid) or ProcessIdentity(pid, None)
    server = identity(processes, server_pid) or ProcessIdentity(server_pid, None)
    return Claim(process=me, pane_id=pane_id, socket=socket, server=server, at=at)


def start_error(argv: tuple[str, ...], cwd: str, environ: Mapping[str, str]) -> str:
    """Why ``argv`` can't be executed, empty where it can as far as can be told before."""
    if not Path(cwd).is_dir():
        return f"the working directory {cwd} does not exist"
    if shutil.which(argv[0], path=environ.get("PATH", os.defpath)) is None:
        return f"{argv[0]}: no such command in PATH"
    return ""


def _audit_refusal(record: LaunchRecord, error: MuxError) -> None:
    log = AuditLog(Path(record.places["state_dir"]) / "audit" / "control.jsonl", clock=time.time)
    entry = AuditEntry(
        actor=f"launcher:{os.getpid()}", action="claim", target=record.launch_id,
        outcome="refused", exit_code=5, reason=error.reason,
    )  # fmt: skip
    log.outcome(None, entry)


def _make_room(runtime: Path) -> None:
    """Directories of the front, which makes none; without them it is silent, no more."""
    for name in ("pulses", "bells"):
        with suppress(OSError, MuxError):
            private_dir(runtime / name)


def _become(store: LaunchStore, record: LaunchRecord, parcel: Parcel) -> int:
    """Exec the command; returns only where that fails, with the exit status."""
    places = Places(**{name: Path(value) for name, value in record.places.items()})
    _make_room(places.runtime_dir)
    ours = environment(
        places,
        record.launch_id,
        os.getpid(),
        wrapper=record.labels.get("wrapper") == "yes",
        attached=record.labels.get(HOOKS_LABEL) == "attached",
    )
    environ = for_launch(os.environ, parcel.environ, parcel.profile_env, ours)
    error = start_error(parcel.argv, record.cwd, environ)
    if not error:
        # Python ignores these two, and an ignored signal survives exec
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        try:
            os.chdir(record.cwd)
            environ["PWD"] = record.cwd
            os.execvpe(parcel.argv[0], parcel.argv, environ)
        except (OSError, ValueError) as failure:
            error = f"{parcel.argv[0]}: {failure}"
    store.fail(record.launch_id, error)
    sys.stderr.write(f"tongs-agents: {error}\n")
    return 127


def main(arguments: list[str]) -> int:
    """Claim, then become the command. 5 where the launch is not this pane's."""
    state_dir, launch_id = arguments
    store = LaunchStore(Path(state_dir) / "launches")
    claim = own_claim(os.environ, system_processes(), os.getpid(), time.time())
    try:
        record = store.claim(launch_id, claim)
        parcel = take(parcel_path(Path(record.places["runtime_dir"]), launch_id))
    except ClaimConflict as conflict:
        _audit_refusal(store.read(launch_id), conflict)
        sys.stderr.write(f"tongs-agents: refused: {conflict.message}\n")
        return 5
    except (MuxError, OSError) as error:
        sys.stderr.write(f"tongs-agents: {error}\n")
        return 1
    return _become(store, record, parcel)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

__all__ = ["MODULE", "main", "own_claim", "own_pane", "start_error"]
