"""``wait``: until a launch is doing something, newer than the last send to it (A74)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from tongs_agents.errors import (
    LaunchEnded,
    Refused,
    Unsupported,
    UsageError,
    WaitCancelled,
    WaitTimedOut,
)
from tongs_agents.sends import Sent
from tongs_agents.status import WORDS, Status, Word
from tongs_mux.model import Check, State

DEFAULT_SECONDS = 120.0
"""How long a wait takes where nothing is said (A7)."""

MAX_SECONDS = 600.0
"""Longest wait that may be asked for."""

POLL_SECONDS = 0.5
"""Time between two looks, and to notice that the caller went away (6.25)."""

_ENDING = {
    "pending": "try again once it has claimed its pane",
    "replaced": "something else runs in its pane now; start a new launch",
    "not-listed": "its pane is gone; `tongs-agents gc` removes the record once it has ended",
}


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a launch: its state, what it is doing, and the last send to it."""

    state: State
    reason: str
    """Verification's slug, empty where ``state`` is ``running``."""
    checks: tuple[Check, ...]
    status: Status
    sent: Sent | None


@dataclass(frozen=True, slots=True)
class Waited:
    """A wait that ended well."""

    launch_id: str
    status: Word
    waited_s: float


def asked(until: str, timeout: float) -> Word:
    """``until`` as a status that can be waited for, and ``timeout`` within its bounds.

    Raises UsageError; nothing is clamped in silence (A6, A7).
    """
    if until not in WORDS:
        raise UsageError(
            f"{until!r} can't be waited for", hint=f"wait for one of: {', '.join(WORDS)}"
        )
    if not 0 < timeout <= MAX_SECONDS:
        raise UsageError(
            f"a wait of {timeout:g} s", hint=f"give more than 0 and at most {MAX_SECONDS:g} s"
        )
    return until


def is_newer(status: Status, sent: Sent | None) -> bool:
    """True where the status came after a person's prompt that came after the last send (A74).

    A prompt event follows every send that was taken, also one that was queued
    behind a running turn: that turn's end is none of this send's.
    """
    if sent is None:
        return True
    return (status.prompt_at or 0.0) >= sent.at and (status.since or 0.0) >= sent.at


def step(launch_id: str, look: Look, until: Word) -> bool:
    """True where the wait is over, False where it goes on. Pure.

    Raises:
        Unsupported: the launch has no hooks, or none that is trusted, so nothing would ever say it.
        LaunchEnded: it has ended, and something else was waited for.
        Refused: it is pending, replaced or not listed; ``unknown`` goes on.
    """
    status = look.status
    if look.state == "pending":
        raise _refused(launch_id, look)  # whether it has hooks is not known before its claim
    if not status.hooked:
        raise Unsupported(
            f"launch {launch_id} has no hooks that would say what it is doing",
            hint="look at it with `tongs-agents capture`",
        )
    if status.untrusted:
        raise Unsupported(
            f"launch {launch_id} does not run the hooks that would say what it is doing",
            reason="hooks-untrusted",
            hint=f"trust them once in its pane: `tongs-agents focus {launch_id}`",
        )
    ended = look.state == "exited" or status.status == "ended"
    if ended and until == "ended":
        return True
    # before the end: whoever waits for a turn must learn that the pane is another's
    if look.state in _ENDING:
        raise _refused(launch_id, look)
    if ended:
        raise LaunchEnded(
            f"launch {launch_id} has ended",
            state=look.state,
            status=status.status,
            hint="`tongs-agents respawn` starts it again",
        )
    return status.status == until and is_newer(status, look.sent)


def _refused(launch_id: str, look: Look) -> Refused:
    return Refused(
        f"launch {launch_id} is {look.state}",
        reason=look.reason or look.state,
        checks=look.checks,
        hint=_ENDING[look.state],
    )


def wait(
    launch_id: str,
    look: Callable[[], Look],
    until: Word,
    timeout: float = DEFAULT_SECONDS,
    *,
    cancelled: Callable[[], bool] = lambda: False,
    monotonic: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> Waited:
    """Look until the launch is doing ``until``; ``asked`` has checked the arguments.

    Raises:
        WaitTimedOut: not within ``timeout`` seconds; a last look was taken then.
        WaitCancelled: ``cancelled`` said so.
        Unsupported, LaunchEnded, Refused: as ``step``.
    """
    began, vanished = monotonic(), False
    while True:
        now = look()
        # a pane goes a moment before its program does: only a second look tells which it is
        vanishes, vanished = now.state == "not-listed" and not vanished, now.state == "not-listed"
        if not vanishes and step(launch_id, now, until):
            return Waited(launch_id, until, monotonic() - began)
        if cancelled():
            raise WaitCancelled(
                f"the wait for {launch_id} was called off",
                state=now.state,
                status=now.status.status,
            )
        left = began + timeout - monotonic()
        if left <= 0:
            raise WaitTimedOut(
                f"launch {launch_id} was not {until} within {timeout:g} s",
                state=now.state,
                status=now.status.status,
            )
        pause(min(POLL_SECONDS, left))


__all__ = [
    "DEFAULT_SECONDS",
    "MAX_SECONDS",
    "POLL_SECONDS",
    "Look",
    "Waited",
    "asked",
    "is_newer",
    "step",
    "wait",
]
