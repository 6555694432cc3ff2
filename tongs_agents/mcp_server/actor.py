"""Who calls, for the audit, and the line that each call gets (6.30, 6.31)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from tongs_agents.paths import LAUNCH_ID
from tongs_mux.acts import Actor, Judge
from tongs_mux.audit import AuditEntry, AuditLog
from tongs_mux.ids import is_launch_id


def actor_of(environ: Mapping[str, str]) -> Actor:
    """``mcp:LAUNCH`` by the server's environment, plain ``mcp`` without a launch id there.

    It says who asked, and proves nothing: whether that is true is for the rules.
    """
    launch_id = environ.get(LAUNCH_ID, "")
    if not is_launch_id(launch_id):
        return Actor("mcp")
    return Actor(f"mcp:{launch_id}", launch_id)


@contextmanager
def audited(
    log: AuditLog, judge: Judge, action: str, by: Actor, target: str | None = None
) -> Iterator[None]:
    """One outcome line for a call that acts on nothing, however it ends.

    Raises AuditFailed in the place of the reply where the line can't be written.
    """
    entry = AuditEntry(by.name, action, caller=by.caller, target=target)
    try:
        yield
    except Exception as error:
        outcome, code = judge(error)
        reason = getattr(error, "reason", "failed")
        log.outcome(None, replace(entry, outcome=outcome, exit_code=code, reason=reason))
        raise
    log.outcome(None, replace(entry, outcome="ok", exit_code=0))


__all__ = ["actor_of", "audited"]
