"""Receipts: the proof that a launch's program took the very text that was sent."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from tongs_agents.sessions import Session, SessionStore

CONFIRM_SECONDS = 3.0
"""Longest wait of a send for its prompt event."""

_STEP = 0.05


def is_confirmed(sessions: Iterable[Session], sha256: str, since: float) -> bool:
    """True where a prompt event at or after ``since`` has the hash of the text. Pure."""
    return any(sha == sha256 and at >= since for session in sessions for sha, at in session.prompts)


def confirm(
    store: SessionStore,
    launch_id: str,
    sha256: str,
    since: float,
    *,
    seconds: float = CONFIRM_SECONDS,
    monotonic: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> bool:
    """True once the launch's program has said that it took this text; False after ``seconds``.

    ``since`` is when the send began. Asks at least once; raises PlaceRefused.
    """
    until = monotonic() + seconds
    while not is_confirmed(store.of_launch(launch_id), sha256, since):
        left = until - monotonic()
        if left <= 0:
            return False
        pause(min(_STEP, left))
    return True


__all__ = ["CONFIRM_SECONDS", "confirm", "is_confirmed"]
