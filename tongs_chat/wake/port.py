"""The port to a pane: the only way from chat to one. Something else implements it."""

from __future__ import annotations

from typing import Protocol

from tongs_chat.model import Grant
from tongs_chat.wake.policy import Seen


class Panes(Protocol):
    """Looks at a granted launch's pane, and says a fixed line there."""

    def look(self, grant: Grant) -> Seen:
        """What verification, status and focus say now. Does not raise for what it can't tell."""
        ...

    def say(self, grant: Grant, line: str, *, actor: str) -> str | None:
        """Put ``line`` and Enter into the verified pane; the reason where that was refused.

        ``actor`` goes into the control audit (A46). What may have been typed is
        no refusal: it returns None.
        """
        ...


__all__ = ["Panes"]
