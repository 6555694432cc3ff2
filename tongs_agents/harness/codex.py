"""What Codex's screen says."""

from __future__ import annotations

from tongs_agents.harness.unread import UnreadReader


class CodexReader(UnreadReader):
    """Not told apart yet: every look is unseen."""

    def __init__(self) -> None:
        super().__init__("codex")


__all__ = ["CodexReader"]
