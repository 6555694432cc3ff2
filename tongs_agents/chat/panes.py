"""The way from chat to a pane: looks at it, and says one of the fixed lines there (5.6, 5.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tongs_agents.chat.standing import is_over
from tongs_agents.sending import send
from tongs_chat.literals import PEER_LINE, WAKE_LINE
from tongs_chat.wake.policy import Seen
from tongs_mux.acts import Actor
from tongs_mux.errors import (
    BackendError,
    ClaimError,
    DeliveryRefused,
    DeliveryUncertain,
    LaunchNotFound,
    LockTimeout,
    VerificationFailed,
)

if TYPE_CHECKING:
    from tongs_agents.services import Services
    from tongs_chat.model import Grant
    from tongs_mux.model import LaunchRecord

_LINES = (WAKE_LINE, PEER_LINE)


class LaunchPanes:
    """``tongs_chat``'s port to panes, over the one door to them. No other line can be said."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def look(self, grant: Grant) -> Seen:
        """Verification, status and focus of the granted launch. Never raises for silence."""
        try:
            record = self._services.store.read(grant.launch_id)
        except (LaunchNotFound, ClaimError):
            return Seen(current=False, refusal="not-claimed", status=None, since=0.0, focused=None)
        doing = self._services.watch.look(record)
        verdict, status = doing.seen.verdict, doing.status
        return Seen(
            current=not is_over(grant, doing.seen),
            refusal=None if verdict.verified else verdict.reason or verdict.state,
            status=status.status,
            since=status.since or 0.0,
            focused=self._focused(record) if verdict.verified else None,
        )

    def _focused(self, record: LaunchRecord) -> bool | None:
        if record.pane is None:
            return None
        try:
            return record.pane.pane_id in self._services.backends(record.pane).focused()
        except BackendError:
            return None

    def say(self, grant: Grant, line: str, *, actor: str) -> str | None:
        """Paste ``line`` and press Enter, all guards on; the reason where nothing was typed.

        Raises ValueError for any line but the fixed ones.
        """
        if line not in _LINES:
            raise ValueError("only a fixed line is ever said in a pane")
        record = self._services.store.read(grant.launch_id)
        caller = actor.partition(":")[2]
        by = Actor(actor, None if caller == "maintainer" else caller)
        try:
            send(self._services, record, line, by)
        except (VerificationFailed, DeliveryRefused) as error:
            if getattr(error, "effect", "none") == "none":
                return error.reason
        except LockTimeout:
            return "unknown"
        except DeliveryUncertain as error:
            if error.effect == "none":
                return error.reason
        return None


__all__ = ["LaunchPanes"]
