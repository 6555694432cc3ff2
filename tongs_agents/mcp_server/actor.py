"""Who calls, for the audit, and the line that each call gets (6.30, 6.31)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from tongs_agents.paths import LAUNCH_ID
from tongs_mux.acts import Actor, Judge
from tongs_mux.audit import AuditEntry, AuditLog
from tongs_mux.ids import is_launch_id


def named_in(environ: Mapping[str, str]) -> str | None:
    """The launch id that the environment names, None where it names none (6.8)."""
    value = environ.get(LAUNCH_ID, "")
    return value if is_launch_id(value) else None


def actor_of(environ: Mapping[str, str]) -> Actor:
    """``mcp:LAUNCH`` by the server's environment, plain ``mcp`` without a launch id there.

    It says who asked, and proves nothing: whether that is true is for the rules.
    """
    named = named_in(environ)
    return Actor("mcp") if named is None else Actor(f"mcp:{named}", named)


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


__all__ = ["actor_of", "audited", "named_in"]
