"""Whether a launch can be granted chat, and what a person is told first (2.3 to 2.10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tongs_agents.doctor.platform import number
from tongs_agents.errors import Refused
from tongs_chat.model import Level
from tongs_mux.evidence import Seen
from tongs_mux.model import LaunchRecord, PaneRef

PI_MINIMUM = (0, 99, 0)
"""The first Pi that speaks MCP by itself (2.10)."""

GUIDANCE = (
    "Grant it only where you would accept a colleague steering that session's tools: what others",
    "write reaches it as data, and its chat and peer tools then run without a further question.",
    "It sees every channel that is not archived, and may message every other granted launch.",
)
"""What the docs and each confirmation say (1.32, A28)."""

WAKES = "It may also be woken: a mention then starts a turn in its idle, unwatched pane."


@dataclass(frozen=True, slots=True)
class Candidate:
    """A launch that verified just now."""

    record: LaunchRecord
    pane: PaneRef
    pid: int
    start_token: str
    note: str
    """What could not be found out, empty for nothing."""

    @property
    def profile(self) -> str:
        """Its profile, which is its handle too unless that is taken (2.6)."""
        return self.record.labels.get("profile", "launch")


def candidate(
    record: LaunchRecord,
    running: Callable[[LaunchRecord], Seen],
    pi_version: Callable[[], str],
) -> Candidate:
    """The launch, verified (2.3).

    Raises:
        Refused: ``no-start-token``, ``harness-too-old``.
        VerificationFailed: it is not claimed, replaced, exited, not listed or unknown.
    """
    claim = record.claim
    if claim is not None and claim.process.start_token is None:
        raise Refused(
            f"launch {record.launch_id} has no start token on record: nothing to verify against",
            reason="no-start-token",
            hint="this platform does not tell when a process started",
        )
    seen = running(record)
    claim, pane = seen.record.claim, seen.record.pane
    if claim is None or claim.process.start_token is None or pane is None:
        raise Refused(f"launch {record.launch_id} is not claimed", reason="not-claimed")
    harness = record.labels.get("harness", "other")
    note = _pi_note(record.launch_id, pi_version()) if harness == "pi" else ""
    return Candidate(seen.record, pane, claim.process.pid, claim.process.start_token, note)


def _pi_note(launch_id: str, said: str) -> str:
    """What is to be noted of Pi's version. Raises Refused where it is too old (2.10)."""
    found = number(said)
    if not found:
        return "the version of Pi can't be read: before 0.99.0 it has no tools for chat"
    if found < PI_MINIMUM:
        raise Refused(
            f"launch {launch_id} runs Pi {'.'.join(map(str, found))}, which has no MCP of its own",
            reason="harness-too-old",
            hint="update Pi to 0.99.0 or newer, then start it again",
        )
    return ""


def told(who: Candidate, handle: str, level: Level) -> tuple[str, ...]:
    """What is shown before the handle is to be typed (2.4)."""
    pane = who.pane
    where = f"{pane.multiplexer} {pane.session} {pane.pane_id}"
    return (
        f"pane     {where}",
        f"profile  {who.profile}",
        f"launch   {who.record.launch_id}",
        f"handle   @{handle}",
        f"level    {level}",
        "",
        *GUIDANCE,
        *((WAKES,) if level == "chat+wake" else ()),
        *((f"note: {who.note}",) if who.note else ()),
    )


__all__ = ["GUIDANCE", "PI_MINIMUM", "WAKES", "Candidate", "candidate", "told"]
