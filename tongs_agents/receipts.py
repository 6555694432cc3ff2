"""Receipts: the proof that a launch's program took the very text that was sent."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress

from tongs_agents.sends import SendStore, Sent
from tongs_agents.sessions import Session, SessionStore
from tongs_mux.control import Proof
from tongs_mux.errors import MuxError
from tongs_mux.model import Fact
from tongs_mux.text import fingerprint, sha256

CONFIRM_SECONDS = 3.0
"""Longest wait of a send for its prompt event."""

_STEP = 0.05

_TAKEN = "the program took exactly this text"
_ALTERED = "the program took this text, and altered what is not seen in it"


def taken_at(sessions: Iterable[Session], hashes: Collection[str], since: float) -> float | None:
    """When the first prompt event at or after ``since`` had a hash of the text. Pure."""
    times = [at for one in sessions for sha, at in one.prompts if sha in hashes and at >= since]
    return min(times, default=None)


def hashes_of(body: bytes) -> tuple[str, str]:
    """The text's own hash, and that of what stays of it where the harness altered it.

    Claude Code makes a tab four blanks, drops blanks at the end and characters
    that nobody sees, and composes accents: it is the same prompt all the same.
    """
    return sha256(body), fingerprint(body.decode("utf-8"))


def confirm(
    store: SessionStore,
    launch_id: str,
    hashes: Collection[str],
    since: float,
    *,
    seconds: float = CONFIRM_SECONDS,
    monotonic: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> float | None:
    """When the launch's program said that it took this text; None where not in ``seconds``.

    Any of ``hashes`` will do; ``since`` is when the send began. Asks at least
    once; raises PlaceRefused, OSError.
    """
    until = monotonic() + seconds
    while (at := taken_at(store.of_launch(launch_id), hashes, since)) is None:
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

    def proof(body: bytes, since: float) -> Fact | None:
        hashes = hashes_of(body)
        try:
            sends.note(launch_id, Sent(since, hashes[0], "pasted"))
            at = confirm(
                store, launch_id, hashes, since, seconds=seconds, monotonic=monotonic, pause=pause
            )
            if at is None:
                return None
            with suppress(OSError, MuxError):
                sends.note(launch_id, Sent(since, hashes[0], "submitted"))
            exact = taken_at(store.of_launch(launch_id), hashes[:1], since) is not None
        except (OSError, MuxError):
            return None  # what was typed is typed: it is only not proved
        return Fact("prompt-event", _TAKEN if exact else _ALTERED, at)

    return proof


__all__ = ["CONFIRM_SECONDS", "confirm", "hashes_of", "proof_for", "taken_at"]
