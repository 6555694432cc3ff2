"""Receipts: the proof that a launch's program took the very text that was sent."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from tongs_agents.sends import SendStore, Sent
from tongs_agents.sessions import Session, SessionStore
from tongs_mux.control import Proof
from tongs_mux.errors import MuxError
from tongs_mux.model import Fact

CONFIRM_SECONDS = 3.0
"""Longest wait of a send for its prompt event."""

_STEP = 0.05


def taken_at(sessions: Iterable[Session], sha256: str, since: float) -> float | None:
    """When the first prompt event at or after ``since`` had the hash of the text. Pure."""
    times = [at for one in sessions for sha, at in one.prompts if sha == sha256 and at >= since]
    return min(times, default=None)


def confirm(
    store: SessionStore,
    launch_id: str,
    sha256: str,
    since: float,
    *,
    seconds: float = CONFIRM_SECONDS,
    monotonic: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> float | None:
    """When the launch's program said that it took this text; None where not in ``seconds``.

    ``since`` is when the send began. Asks at least once; raises PlaceRefused, OSError.
    """
    until = monotonic() + seconds
    while (at := taken_at(store.of_launch(launch_id), sha256, since)) is None:
        left = until - monotonic()
        if left <= 0:
            return None
        pause(min(_STEP, left))
    return at


def proof_for(
    store: SessionStore,
    sends: SendStore,
    launch_id: str,
    *,
    seconds: float = CONFIRM_SECONDS,
    monotonic: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> Proof:
    """The proof that ``Controller.send`` asks for, once the text was typed.

    It also remembers the send, for the waits to come: under the send's own
    lock, so that no other send's turn is taken for this one's (A74).
    """

    def proof(sha256: str, since: float) -> Fact | None:
        try:
            sends.note(launch_id, Sent(since, sha256, "pasted"))
            at = confirm(
                store, launch_id, sha256, since, seconds=seconds, monotonic=monotonic, pause=pause
            )
            if at is None:
                return None
            with suppress(OSError, MuxError):
                sends.note(launch_id, Sent(since, sha256, "submitted"))
        except (OSError, MuxError):
            return None  # what was typed is typed: it is only not proved
        return Fact("prompt-event", "the program took exactly this text", at)

    return proof


__all__ = ["CONFIRM_SECONDS", "confirm", "proof_for", "taken_at"]
