"""Why a validation cannot go on, each said in one sentence."""

from __future__ import annotations


class CannotRun(Exception):
    """Something that the run needs is missing; the text is the whole message."""


class NotHeld(Exception):
    """The real program did something else than the cell promises."""


__all__ = ["CannotRun", "NotHeld"]
