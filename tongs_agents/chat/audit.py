"""The chat audit, over the one kind of log that there is (1.23)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from tongs_agents.services import Services, judge
from tongs_chat.audit import ChatEvent
from tongs_mux.audit import AuditEntry, AuditLog

_CODES = {"ok": 0, "refused": 5, "error": 1}


class ChatAuditLog:
    """Writes chat's events as lines of ``audit/chat.jsonl``; never a message."""

    def __init__(self, log: AuditLog) -> None:
        self._log = log

    def begin(self, event: ChatEvent) -> str:
        """The line that comes before an act. Raises AuditFailed: then it is not done."""
        return self._log.begin(_entry(event))

    def outcome(self, act: str | None, event: ChatEvent) -> None:
        """How it ended. Raises AuditFailed."""
        self._log.outcome(act, _entry(event))

    @contextmanager
    def refusals(self, event: ChatEvent) -> Iterator[None]:
        """Audits what fails before there is an act."""
        try:
            yield
        except Exception as error:
            outcome, _ = judge(error)
            reason = getattr(error, "reason", "failed")
            self.outcome(None, replace(event, outcome=outcome, reason=reason))
            raise


def audit_of(services: Services) -> ChatAuditLog:
    """The chat audit, in a state dir that is private. Raises PlaceRefused, AuditFailed."""
    services.auditing()
    return ChatAuditLog(AuditLog(services.places.chat_audit, clock=services.clock))


def _entry(event: ChatEvent) -> AuditEntry:
    caller = event.actor.partition(":")[2] or None
    return AuditEntry(
        actor=event.actor,
        action=event.action,
        caller=caller,
        target=event.target,
        outcome=event.outcome or None,
        exit_code=_CODES.get(event.outcome),
        reason=event.reason or None,
        labels=event.labels,
    )


__all__ = ["ChatAuditLog", "audit_of"]
