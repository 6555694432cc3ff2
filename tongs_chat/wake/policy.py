"""May this pane be woken now, and what became of a peer message? Pure (5.3, A41 to A44, A76)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tongs_chat import limits
from tongs_chat.delivery import is_recent
from tongs_chat.model import Level

PASSING = frozenset({"dialog", "draft", "focused", "not-idle", "rate", "unknown"})
"""Decisions that may be another one later: the target's own server tries again (A67)."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the control layer says of a target's pane."""

    current: bool
    """The granted process still has its pane, or that can't be told: ``refusal`` says so."""
    refusal: str | None
    """The reason of a verification that said no; None where it is verified."""
    status: str | None
    """``started``, ``working``, ``done``, ``waiting``, …; None: nothing is known."""
    since: float
    """When that began."""
    focused: bool | None
    """An attached client shows the pane (A43); None: that could not be asked."""


@dataclass(frozen=True, slots=True)
class Past:
    """What the store says of a target."""

    level: Level | None
    wakes: Sequence[float]
    """When it was woken lately."""
    line_at: float | None
    """When a line of ours was last put into its composer and not yet seen to leave it."""


def mention(past: Past, seen: Seen, *, agent_posts: int, now: float) -> str:
    """``ok``, or why a mention wakes nobody: the first of the conditions that fails.

    ``agent_posts`` is how many posts of agents stand in a row at the end of the
    thread, the new one included (A42).
    """
    if past.level != "chat+wake" or not seen.current:
        return "stale"
    if agent_posts >= limits.LOOP_POSTS:
        return "loop"
    if not may_wake(past, now):
        return "rate"
    if seen.refusal is not None:
        return seen.refusal
    if seen.status != "done" or now - seen.since < limits.IDLE_SECONDS:
        return "not-idle"
    return _unfocused(seen)


def may_wake(past: Past, now: float) -> bool:
    """The rate rule (5.3.3): two minutes apart, fewer than ten an hour, one line at a time."""
    recent = [it for it in past.wakes if is_recent(it, now, limits.WAKES_SECONDS)]
    pause = any(is_recent(it, now, limits.WAKE_PAUSE_SECONDS) for it in recent)
    return not pause and len(recent) < limits.WAKES and not is_outstanding(past.line_at, now)


def is_outstanding(line_at: float | None, now: float) -> bool:
    """True while a line of ours may still be in the composer (A76)."""
    return is_recent(line_at, now, limits.LINE_SECONDS)


def _unfocused(seen: Seen) -> str:
    if seen.focused is None:
        return "unknown"
    return "focused" if seen.focused else "ok"


def peer(past: Past, seen: Seen, *, is_loop: bool, turn_taken: int, now: float) -> tuple[str, str]:
    """What becomes of a peer message: ``delivered``, ``injected`` or ``queued``; and why.

    ``delivered`` means that the target may be set going now: reserve, then say
    the line; what refuses then makes it ``queued`` with that reason.
    """
    if is_loop:
        return "queued", "loop"
    if seen.refusal is not None:
        return "queued", seen.refusal
    if seen.status == "waiting":
        return "queued", "waiting_for_user"
    if seen.status == "working":
        full = turn_taken >= limits.PER_TURN
        return ("queued", "turn-full") if full else ("injected", "")
    if seen.status not in ("done", "started", "error"):
        return "queued", "unknown"
    if past.level != "chat+wake":
        return "queued", "not-wakable"
    if is_outstanding(past.line_at, now):
        return "queued", "outstanding"
    reason = _unfocused(seen)
    return ("delivered", "") if reason == "ok" else ("queued", reason)


def peer_status(status: str | None) -> str:
    """A status in the words of ``list_peer_chats`` (9.60, A56)."""
    if status in ("working", "waiting"):
        return "working" if status == "working" else "waiting_for_user"
    return "idle"


def may_retry(put_off_at: float | None, reason: str | None, now: float) -> bool:
    """True where a wake that was put off may be tried again, for an hour (A67)."""
    return reason in PASSING and is_recent(put_off_at, now, limits.RETRY_SECONDS)


__all__ = [
    "PASSING",
    "Past",
    "Seen",
    "is_outstanding",
    "may_retry",
    "may_wake",
    "mention",
    "peer",
    "peer_status",
]
