"""The port by which a layer above tells what a program's screen says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from tongs_mux.model import PaneFacts, Screen

Composer = Literal["empty", "draft", "unseen"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What one screen says of the program in it.

    ``text`` is what the composer holds, as far as it is visible, wrapped lines
    joined by LF; ``placeholder`` is True where the program shows a stand-in for
    a large paste instead. ``steady`` are POSIX extended regular expressions
    without back-references, each of which must still match a line of the
    visible screen (trailing blanks removed) at the moment of the act: the
    composer as it was seen. They are searched by the multiplexer's server, so
    they hold none of ``,{}#:;'"`` and no backslash.
    """

    dialog: str | None
    """Name of the dialog that is open, None where none is seen."""
    composer: Composer
    text: str = ""
    placeholder: bool = False
    clipped: bool = False
    """True where the composer shows only a part of what it holds."""
    busy: bool = False
    steady: tuple[str, ...] = ()
    cursor: tuple[int, int] | None = None
    """Where the terminal's cursor must still stand at that moment: for an empty composer
    that no pattern can tell from another blank line. None for anywhere."""


class Reader(Protocol):
    """Reads one kind of program's screen; pure, no clock and no multiplexer."""

    name: str
    guarded: bool
    """False where nothing can be read: then only the foreground program is checked."""
    multiline: bool
    """True where a paste of several lines stays one prompt (A93)."""
    dialogs: tuple[str, ...]
    """Extended regular expressions, at least one of which matches a screen with a dialog."""

    def read(self, screen: Screen, pane: PaneFacts) -> Reading:
        """What ``screen`` says. Never raises; what is not recognised is ``unseen``.

        So is a composer that lacks the pane's cursor, where the program shows
        one in it: Zellij shows the lines that somebody has scrolled to, and
        the cursor where it is below them.
        """
        ...


class Unreadable:
    """Reader of a program about whose screen nothing is known (harness ``other``)."""

    name = "other"
    guarded = False
    dialogs: tuple[str, ...] = ()

    def __init__(self, *, multiline: bool = False) -> None:
        self.multiline = multiline

    def read(self, screen: Screen, pane: PaneFacts) -> Reading:
        """Always ``unseen``: the receipt's evidence then says ``unguarded``."""
        return Reading(dialog=None, composer="unseen")


__all__ = ["Composer", "Reader", "Reading", "Unreadable"]
