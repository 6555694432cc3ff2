"""What a launch is doing, and since when: folded in one place from what is known of it. Pure.

Hooks tell facts, each with its time: a newer one beats an older one (mechanism 7).
Verification tells the end. A screen is no fact here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, cast

from tongs_agents.hooks import HOOKS_LABEL
from tongs_agents.hooks.record import AHEAD_SECONDS
from tongs_agents.hooks.turns import Turn
from tongs_agents.hooks.turns import fold as turn_of
from tongs_agents.sessions import Session, Told
from tongs_mux.evidence import Seen
from tongs_mux.model import Fact, LaunchRecord, Verdict
from tongs_mux.process import Processes, alive

Word = Literal["started", "working", "done", "waiting", "error", "ended", "discovered"]
"""What an agent is doing (A5). ``discovered`` is a session that nobody launched."""

WORDS: tuple[Word, ...] = ("started", "working", "done", "waiting", "error", "ended")
"""What a launch can be doing, and what can be waited for (A6)."""

DOUBT_SECONDS = 60.0
"""A ``working`` whose last fact is older is looked at by other means first (A68)."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A fact by other means than a hook: the harness's own list, its transcript (A68).

    ``kind`` is one of ``hooks.turns``, or ``busy``, which like a pulse only
    refreshes an open turn.
    """

    kind: str
    at: float
    seen: str


@dataclass(frozen=True, slots=True)
class Status:
    """What a launch is doing. ``status`` is None for a program without hooks."""

    status: Word | None
    since: float | None
    evidence: tuple[Fact, ...] = ()
    """Every fact that is known, the newest first."""
    hooked: bool = False
    prompt_sha256: str | None = None
    prompt_at: float | None = None
    opened_at: float = 0.0
    """When a prompt, a person's or not, last opened a turn; 0 for never."""
    turn_open: bool = False
    last: float = 0.0
    """When the newest fact came, a pulse included."""
    needs: str = ""
    detail: str = ""
    tool: str = ""
    session_id: str | None = None
    untrusted: bool = False
    """True where its program does not run our hooks before a person trusts them (A101)."""


def is_hooked(record: LaunchRecord, told: Told) -> bool:
    """True where hooks tell of this launch: registered with it, or heard from."""
    return HOOKS_LABEL in record.labels or bool(told.sessions)


def _has_ended(verdict: Verdict) -> bool:
    """True where the claimed program has surely ended, whoever is in its pane by now."""
    if verdict.state == "exited":
        return True
    return any(check.name == "process" and check.passed is False for check in verdict.checks)


def fold(
    record: LaunchRecord, verdict: Verdict, told: Told, now: float, heard: tuple[Heard, ...] = ()
) -> Status:
    """What all that is known amounts to; ``verdict`` is what verification says.

    ``started`` is set by the claim (A76). A session's end is no end of the
    launch while its process lives: ``/clear`` ends one and begins another.
    """
    hooked = is_hooked(record, told)
    began = record.created_at if record.claim is None else record.claim.at
    if record.ended_at is not None or _has_ended(verdict):
        return Status("ended", _ended_at(record, told), _evidence(record, told, heard), hooked)
    if not hooked or record.claim is None:
        return Status(None, began, hooked=hooked)
    facts = _facts(began, told, heard, now)
    pulse = max((told.pulse or 0.0, *(one.at for one in heard if one.kind == "busy")))
    turn = turn_of(facts, pulse) or Turn("started", began, "", is_open=False, opened_at=0.0)
    prompted = max(told.sessions, key=lambda one: one.prompt_at or 0.0, default=None)
    decider = _decider(told, turn)
    return Status(
        status=cast(Word, turn.status),
        since=turn.since,
        evidence=_evidence(record, told, heard),
        hooked=True,
        prompt_sha256=prompted.prompt_sha256 if prompted else None,
        prompt_at=prompted.prompt_at if prompted else None,
        opened_at=turn.opened_at,
        turn_open=turn.is_open,
        last=max(pulse, *facts.values()),
        needs=decider.needs if decider else "",
        detail=decider.detail if decider else "",
        tool=decider.tool if decider else "",
        session_id=told.sessions[0].session_id if told.sessions else None,
    )


def _facts(began: float, told: Told, heard: tuple[Heard, ...], now: float) -> dict[str, float]:
    """The newest time of each kind, over all sessions; a session's end begins afresh."""
    facts = {"session-start": began}
    pairs = [pair for one in told.sessions for pair in one.facts.items()]
    pairs += [(one.kind, one.at) for one in heard]
    for kind, at in pairs:
        name = "session-start" if kind == "session-end" else kind
        if at <= now + AHEAD_SECONDS:
            facts[name] = max(facts.get(name, 0.0), at)
    return facts


def _decider(told: Told, turn: Turn) -> Session | None:
    """The session whose fact decided."""
    return next((one for one in told.sessions if one.facts.get(turn.fact) == turn.since), None)


def _ended_at(record: LaunchRecord, told: Told) -> float | None:
    """When it ended, where that is known: by us, by its last session, or before it began."""
    if record.ended_at is not None:
        return record.ended_at
    if record.start_error is not None:
        return record.created_at if record.claim is None else record.claim.at
    return max((one.facts.get("session-end", 0.0) for one in told.sessions), default=0.0) or None


_SEEN = {
    "session-start": "a session began",
    "compacted": "the session was compacted, and its turn goes on",
    "prompt": "a prompt came",
    "notified": "a turn began without a person's prompt",
    "needs": "it asks its user",
    "idle": "it says that it waits for a prompt",
    "stop": "the turn ended",
    "failure": "the turn failed",
    "answered": "what it asked is answered, or was taken back",
    "interrupt": "the turn was interrupted",
    "session-end": "a session ended",
}
_CHECKS = {"notified": "no-prompt", "needs": "asks", "interrupt": "interrupted"}


def _evidence(record: LaunchRecord, told: Told, heard: tuple[Heard, ...]) -> tuple[Fact, ...]:
    """Every fact as a line of ``--why``: what was checked, what was seen, when."""
    lines = [_line(kind, at, one) for one in told.sessions for kind, at in one.facts.items()]
    lines += [Fact(_CHECKS.get(one.kind, one.kind), one.seen, one.at) for one in heard]
    if told.pulse is not None:
        lines.append(Fact("pulse", "a tool event", told.pulse))
    if record.claim is not None:
        lines.append(Fact("claim", f"pid {record.claim.process.pid}", record.claim.at))
    return tuple(sorted(lines, key=lambda fact: -fact.at))


def _line(kind: str, at: float, session: Session) -> Fact:
    more = [session.needs, session.tool, session.detail] if kind == session.last_event else []
    words = ", ".join(word for word in more if word)
    seen = _SEEN.get(kind, kind) + (f": {words}" if words else "")
    return Fact(_CHECKS.get(kind, kind), seen, at)


def untrusted(status: Status, now: float) -> Status:
    """``status`` of a program that was looked at just now, and does not run our hooks yet."""
    seen = "its program runs no hook of ours before a person has trusted them there"
    fact = Fact("hooks-untrusted", seen, now)
    return replace(status, untrusted=True, evidence=(fact, *status.evidence))


def is_doubtful(status: Status, now: float) -> bool:
    """True for a ``working`` that is to be looked at before it is believed (A68)."""
    return status.status == "working" and now - status.last > DOUBT_SECONDS


def status_of(
    record: LaunchRecord, seen: Seen, told: Told | None = None
) -> tuple[Word | None, float | None]:
    """(status, since when in seconds since the epoch), each None where it is not known.

    Without ``told`` nothing but the end is known, and ``since`` is then the
    claim's time, or the record's while there is none.
    """
    began = record.created_at if record.claim is None else record.claim.at
    known = told or Told()
    newest = max((began, *(one.ts for one in known.sessions)))
    status = fold(record, seen.verdict, known, newest)
    return status.status, status.since


def is_orphan(
    record: LaunchRecord, others: Mapping[str, LaunchRecord], processes: Processes
) -> bool:
    """True where the launch that opened this one is known to run no longer (I7).

    ``others`` are the records by id. One whose record is gone has ended; one
    that has not claimed yet has not.
    """
    opener = record.labels.get("spawned_by")
    if not opener:
        return False
    parent = others.get(opener)
    if parent is None:
        return True
    if parent.claim is None:
        return parent.start_error is not None
    return not alive(processes, parent.claim.process)


__all__ = [
    "DOUBT_SECONDS",
    "WORDS",
    "Heard",
    "Status",
    "Word",
    "fold",
    "is_doubtful",
    "is_hooked",
    "is_orphan",
    "status_of",
    "untrusted",
]
