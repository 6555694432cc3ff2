"""Are we inside an agent's process tree, where only some verbs are open (A65)?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from tongs_agents.paths import LAUNCH_ID, STATE_DIR
from tongs_mux.ids import is_launch_id
from tongs_mux.model import LaunchRecord
from tongs_mux.process import Processes, ancestors, identity

NAMELESS = "invalid"
"""Stands for the launch where no one launch id is known; is none itself."""


def agent_around(
    environ: Mapping[str, str],
    pid: int,
    records: Iterable[LaunchRecord],
    processes: Processes,
    state_dir: Path,
) -> str | None:
    """Id of the launch that process ``pid`` is, or is below; None outside of any.

    The nearest ancestor that is the claimed process of a record, alive and with
    the same start token, is proof. Without one ``TONGS_AGENTS_LAUNCH_ID`` counts,
    whatever it holds: here, for an agent may have detached itself from its tree,
    and in what any ancestor was started with, for an agent may have dropped it,
    and have spoiled or removed its own record. A wrong value opens nothing.
    """
    tree = (pid, *ancestors(processes, pid))
    claimed = {record.claim.process: record.launch_id for record in records if record.claim}
    for each in tree if claimed else ():
        who = identity(processes, each)
        if who is not None and who.start_token is not None and who in claimed:
            return claimed[who]
    values = {environ.get(LAUNCH_ID, "")}
    values.update(_started_as(processes.environ(each), state_dir) for each in tree)
    values.discard("")
    if not values:
        return None
    value = values.pop()
    # of several ids one or more are lies, and by none of them is a launch one's own
    return value if not values and is_launch_id(value) else NAMELESS


def _started_as(environ: Mapping[str, str], state_dir: Path) -> str:
    """The launch that an ancestor's environment names in the state dir in use, or nothing."""
    value = environ.get(LAUNCH_ID, "")
    there = environ.get(STATE_DIR, "")
    if not value or not there:
        return value
    return value if _same(there, state_dir) else ""


def _same(there: str, state_dir: Path) -> bool:
    """True too for another way to the same directory, by a link above it."""
    try:
        return os.path.samefile(there, state_dir)
    except (OSError, ValueError):
        return os.path.realpath(there) == os.path.realpath(state_dir)


__all__ = ["NAMELESS", "agent_around"]
