"""The port to the chat audit: what chat did, for whom, and how it ended; never a text (1.24).

Something else implements it: this package knows no audit file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar

from tongs_chat.errors import ChatError

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ChatEvent:
    """What one line says."""

    actor: str
    """Who asked: ``cli``, ``mcp:LAUNCH``, ``chat:LAUNCH``, ``chat:maintainer``."""
    action: str
    """``grant``, ``revoke``, ``remove-stale``, ``wake``, ``purge``, or a tool's name."""
    target: str | None = None
    """The launch that it is about."""
    outcome: str = ""
    """``ok``, ``refused``, ``error``, or a wake's decision; set by ``audited``."""
    reason: str = ""
    labels: Mapping[str, str | int] = field(default_factory=dict)
    """Handles, levels, ids of messages, numbers of bytes."""


class ChatAudit(Protocol):
    """Where events are written down."""

    def begin(self, event: ChatEvent) -> str:
        """Write the line that comes before an act, and return the act's id (A97).

        Raises what stops the act.
        """
        ...

    def outcome(self, act: str | None, event: ChatEvent) -> None:
        """Write how ``act`` ended; None for what began nothing, as a refusal."""
        ...


def audited(audit: ChatAudit, event: ChatEvent, work: Callable[[], _T]) -> _T:
    """Run ``work`` between its two lines; where the first can't be written it is not run (A97)."""
    act = audit.begin(event)
    try:
        result = work()
    except BaseException as error:
        audit.outcome(act, failed(event, error))
        raise
    audit.outcome(act, replace(event, outcome="ok"))
    return result


def failed(event: ChatEvent, error: BaseException) -> ChatEvent:
    """``event`` with how it failed; an error of ours by its reason."""
    reason = error.reason if isinstance(error, ChatError) else "failed"
    return replace(event, outcome="error" if reason in _BROKE else "refused", reason=reason)


_BROKE = frozenset({"audit", "busy", "failed", "no-chat", "usage"})
"""Reasons that are no refusal."""


__all__ = ["ChatAudit", "ChatEvent", "audited", "failed"]
