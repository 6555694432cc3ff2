"""What an agent is doing, folded from the times of what its hooks said. Pure.

A newer fact beats an older one, in whatever order they were written. A prompt
opens a turn; its end, an interrupt or a new session closes it. A pulse only
ever refreshes an open turn: one that comes after the end never opens it (A83).
"""

OPENERS = ("prompt", "notified")
"""Facts that open a turn: a person's prompt, and one that is no person's (A90)."""

CLOSERS = {
    "session-start": "started",
    "stop": "done",
    "failure": "error",
    "interrupt": "waiting",
    "session-end": "ended",
}
"""Facts that close a turn, and the status that each leaves."""

ASKERS = ("needs", "idle")
"""Facts that say: it waits for its user. ``idle`` counts only in an open turn, which a
normal end would have closed: so it was interrupted."""

ANSWERED = "answered"
"""Its user answered, or the question is over: it is what it was before."""

FACTS = (*OPENERS, *CLOSERS, *ASKERS, ANSWERED)
"""Every kind of fact that decides; any other is kept, and decides nothing."""


class Turn:
    """What the facts amount to. ``fact`` names the one that decided."""

    __slots__ = ("fact", "is_open", "opened_at", "since", "status")

    def __init__(
        self, status: str, since: float, fact: str, *, is_open: bool, opened_at: float
    ) -> None:
        self.status = status
        self.since = since
        self.fact = fact
        self.is_open = is_open
        self.opened_at = opened_at


def _newest(facts: dict[str, float], kinds: tuple[str, ...]) -> tuple[float, str]:
    """(time, kind) of the newest fact of these kinds; of two at once, the later kind."""
    best = (0.0, "")
    for kind in kinds:
        if facts.get(kind, 0.0) >= best[0] and kind in facts:
            best = (facts[kind], kind)
    return best


def fold(facts: dict[str, float], pulse: float = 0.0) -> Turn | None:
    """What ``facts`` (kind to time of the newest such) amount to; None where none decides."""
    opened, opener = _newest(facts, OPENERS)
    closed, closer = _newest(facts, tuple(CLOSERS))
    asked, asker = _newest(facts, ASKERS)
    is_open = bool(opener) and (opened > closed or not closer)
    if asker == "idle" and not is_open:
        asked, asker = facts.get("needs", 0.0), "needs" if "needs" in facts else ""
    last = max(opened, closed, facts.get(ANSWERED, 0.0))
    if asker and asked > last and not (is_open and pulse > asked):
        return Turn("waiting", asked, asker, is_open=is_open, opened_at=opened)
    if is_open:
        return Turn("working", opened, opener, is_open=True, opened_at=opened)
    if closer:
        return Turn(CLOSERS[closer], closed, closer, is_open=False, opened_at=opened)
    return None


__all__ = ["ANSWERED", "ASKERS", "CLOSERS", "FACTS", "OPENERS", "Turn", "fold"]
