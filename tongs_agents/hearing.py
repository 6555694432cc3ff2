"""What is known of a launch by other means than its hooks (A68, A101), harness by harness."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tongs_agents.hooks import HOOKS_LABEL
from tongs_agents.sessions import Told
from tongs_agents.status import Heard, Status, is_doubtful
from tongs_mux.model import LaunchRecord
from tongs_mux.process import Processes

if TYPE_CHECKING:
    from tongs_agents.harness.claude_agents import Said


def heard(
    record: LaunchRecord, told: Told, status: Status, now: float, processes: Processes
) -> tuple[Heard, ...]:
    """What the harness says of a turn that runs by our facts. Costs what asking it costs."""
    harness = record.labels.get("harness")
    if status.status != "working" or record.claim is None:
        return ()
    if harness == "codex":
        return _codex(told, status, now)
    if harness == "claude" and is_doubtful(status, now):
        return _claude(record.claim.process.pid, status, processes)
    return ()


def _claude(pid: int, status: Status, processes: Processes) -> tuple[Heard, ...]:
    from tongs_agents.harness.claude_agents import agents_json  # rarely asked

    environ = processes.environ(pid)
    said = agents_json("claude", environ, pid) if environ else None
    return () if said is None else (heard_from(said, status.last),)


def heard_from(said: Said, last: float) -> Heard:
    """A harness's own word as a fact, just newer than the last that its hooks told.

    Claude Code fires no hook on Escape: it then says ``idle`` where our last
    fact is a running turn, which reads as interrupted (A68).
    """
    kinds = {"idle": "interrupt", "waiting": "needs", "busy": "busy"}
    words = f"claude agents --json: {said.status}"
    if said.waiting_for:
        words += f", {said.waiting_for}"
    return Heard(kinds[said.status], last + 0.001, words)


def _codex(told: Told, status: Status, now: float) -> tuple[Heard, ...]:
    """An error of the API fires no hook; the end of a turn fires one, which is awaited first."""
    from tongs_agents.harness.codex_rollout import last_ended, tail_of  # of Codex alone

    if not told.sessions:
        return ()
    ended = last_ended(tail_of(told.sessions[0].transcript_path))
    if ended is None or ended.at < status.opened_at:
        return ()
    if ended.kind == "stop" and not is_doubtful(status, now):
        return ()
    words = f"its transcript: {ended.kind}" + (f", {ended.detail}" if ended.detail else "")
    return (Heard(ended.kind, ended.at, words),)


def is_untrusted(record: LaunchRecord, told: Told, processes: Processes) -> bool:
    """True where its program has our hooks, and does not run them before it is told to (A101).

    Only Codex asks. What was heard of once is trusted.
    """
    attached = record.labels.get(HOOKS_LABEL) == "attached"
    if record.labels.get("harness") != "codex" or not attached or record.claim is None:
        return False
    if told.sessions or told.pulse is not None:
        return False
    from tongs_agents.harness.codex_attach import hooks_in  # of Codex alone
    from tongs_agents.harness.codex_trust import are_trusted, config_of

    pid = record.claim.process.pid
    argv, environ = processes.argv(pid), processes.environ(pid)
    hooks = hooks_in(argv)
    return bool(hooks and environ) and not are_trusted(argv, hooks, config_of(environ))


__all__ = ["heard", "heard_from", "is_untrusted"]
