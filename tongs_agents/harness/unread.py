"""A harness whose screen nobody has taught us to read yet: every look is ``unseen``."""

from __future__ import annotations

from tongs_mux.model import PaneFacts, Screen
from tongs_mux.reader import Reading


class UnreadReader:
    """Guards a program whose composer can't be recognised: a send is refused (A92).

    A person may still look for themselves: ``send --unseen``.
    """

    guarded = True
    multiline = True
    dialogs: tuple[str, ...] = ()

    def __init__(self, name: str) -> None:
        self.name = name

    def read(self, screen: Screen, pane: PaneFacts) -> Reading:
        """``unseen``, whatever the screen shows."""
        return Reading(dialog=None, composer="unseen")


__all__ = ["UnreadReader"]
