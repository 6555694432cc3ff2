"""Are we inside an agent's process tree, where only some verbs are open (A65)?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tongs_agents.paths import LAUNCH_ID
from tongs_mux.ids import is_launch_id
from tongs_mux.model import LaunchRecord
from tongs_mux.process import Processes, ancestors, identity

NAMELESS = "invalid"
"""Stands for the launch where ``TONGS_AGENTS_LAUNCH_ID`` holds no launch id; is none itself."""


def agent_around(
    environ: Mapping[str, str],
    pid: int,
    records: Iterable[LaunchRecord],
    processes: Processes,
) -> str | None:
    """Id of the launch that process ``pid`` is, or is below; None outside of any.

    The nearest ancestor that is the claimed process of a record, alive and with
    the same start token, is proof. Without one the variable counts, whatever it
    holds: an agent may have detached itself from its tree, and a wrong value
    opens nothing.
    """
    claimed = {record.claim.process: record.launch_id for record in records if record.claim}
    for each in (pid, *ancestors(processes, pid)) if claimed else ():
        who = identity(processes, each)
        if who is not None and who.start_token is not None and who in claimed:
            return claimed[who]
    value = environ.get(LAUNCH_ID, "")
    if not value:
        return None
    return value if is_launch_id(value) else NAMELESS


__all__ = ["NAMELESS", "agent_around"]
