"""One try to wake whom a post mentioned, by the poster; and again, by the target's own server.

Decide, reserve, say, and where that was refused give back; each decision is one line of
the chat audit (5.9, A41).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tongs_chat import grants, pending
from tongs_chat.audit import ChatAudit, ChatEvent, failed
from tongs_chat.database import Database
from tongs_chat.literals import WAKE_LINE
from tongs_chat.model import Grant, Posted
from tongs_chat.wake import policy, reservation
from tongs_chat.wake.port import Panes
from tongs_chat.wake.reservation import PutOff


@dataclass(frozen=True, slots=True)
class Woken:
    """What became of one wake (A40)."""

    handle: str
    decision: str
    """``ok``, ``loop``, ``rate``, ``stale``, ``not-idle``, ``focused``, or the refusal (5.10)."""


@dataclass(frozen=True, slots=True)
class Waker:
    """What a wake needs; ``reading`` and ``waking`` are two connections to one file."""

    reading: Database
    """In the poster's own role."""
    waking: Database
    """In the waker's role, of the same poster."""
    panes: Panes
    audit: ChatAudit
    actor: str
    """``chat:LAUNCH`` or ``chat:maintainer`` (A46)."""
    clock: Callable[[], float]

    def after(self, posted: Posted) -> tuple[Woken, ...]:
        """Try each ``chat+wake`` target of a post that is committed, once (5.2)."""
        woken = []
        for it in posted.mentioned:
            if it.level != "chat+wake" or it.participant_id == self.reading.me:
                continue
            grant = grants.of_handle(self.reading, it.handle)
            if grant is not None and grant.participant_id == it.participant_id:
                woken.append(Woken(it.handle, self._attempt(grant, posted.id)))
            else:
                woken.append(Woken(it.handle, self._noted(it.launch_id, it.handle, "stale")))
        return tuple(woken)

    def again(self, grant: Grant) -> Woken | None:
        """Try a wake that was put off, of this server's own launch (A67); None for none.

        It is forgotten once the mention was read, or an hour after it.
        """
        with self.reading.read() as connection:
            later = reservation.waiting_wake(connection, grant.participant_id)
            newest = pending.newest_mention(connection, grant.participant_id)
        if later is None:
            return None
        if newest < later.message_id or not policy.may_retry(later.at, later.reason, self.clock()):
            reservation.put_off(self.waking, grant.participant_id, None)
            return None
        return Woken(grant.handle, self._attempt(grant, later.message_id, later))

    def _attempt(self, grant: Grant, message_id: int, before: PutOff | None = None) -> str:
        with self.reading.read() as connection:
            past = reservation.past(connection, grant.participant_id)
            posts = reservation.agent_posts(connection, message_id)
            stored = reservation.waiting_wake(connection, grant.participant_id)
        seen = self.panes.look(grant)
        now = self.clock()
        decision = policy.mention(past, seen, agent_posts=posts, now=now)
        if decision == "ok":
            decision = self._reserved(grant, now)
        elif before is None or decision != before.reason:
            # A retry that meets what it met before is no news.
            self._noted(grant.launch_id, grant.handle, decision)
        later = None
        if decision in policy.PASSING:
            later = PutOff(message_id, now if before is None else before.at, decision)
        if later != stored:
            reservation.put_off(self.waking, grant.participant_id, later)
        return decision

    def _reserved(self, grant: Grant, now: float) -> str:
        """Reserve and say; the reservation is given back where the line was refused."""
        held = reservation.reserve(self.waking, grant.participant_id, is_wake=True, now=now)
        if isinstance(held, str):
            decision = "rate" if held == "outstanding" else held
            return self._noted(grant.launch_id, grant.handle, decision)
        event = self._event(grant.launch_id, grant.handle)
        try:
            act = self.audit.begin(event)
        except BaseException:
            reservation.give_back(self.waking, held)
            raise
        try:
            refusal = self.panes.say(grant, WAKE_LINE, actor=self.actor)
        except BaseException as error:
            self.audit.outcome(act, failed(event, error))  # something may have been typed
            raise
        if refusal is not None:
            reservation.give_back(self.waking, held)
        outcome = "ok" if refusal is None else "refused"
        self.audit.outcome(act, replace(event, outcome=outcome, reason=refusal or ""))
        return refusal or "ok"

    def _event(self, launch_id: str | None, handle: str) -> ChatEvent:
        return ChatEvent(self.actor, "wake", launch_id, labels={"handle": handle})

    def _noted(self, launch_id: str | None, handle: str, decision: str) -> str:
        event = self._event(launch_id, handle)
        self.audit.outcome(None, replace(event, outcome="refused", reason=decision))
        return decision


__all__ = ["Waker", "Woken"]
