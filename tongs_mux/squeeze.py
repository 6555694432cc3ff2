"""What stays of a text on every screen and in every harness: a form to compare by."""

import unicodedata

CELL_BYTES = 16
"""What every terminal keeps of a character that is joined of many; tmux 3.3a keeps 21."""

_JOINER = "\u200d"
_UNSEEN = {0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, 0xFFA0}


def squeezed(text: str) -> str:
    """``text`` as far as every screen shows it, however it is wrapped there.

    Without white space, without what nobody sees or no terminal has a
    place for, and without what overflows the one cell that a base and all that is
    joined to it share, as of some emoji.
    """
    if text.isascii():
        return "".join(text.split())
    kept: list[str] = []
    used, before = 0, ""
    # apart, so that a mark goes whether or not it was composed: Zellij has no place for one
    for char in unicodedata.normalize("NFD", text):
        size = len(char.encode("utf-8", "replace"))
        used = used + size if before == _JOINER or _joins(char) else size
        before = char
        if used <= CELL_BYTES and not char.isspace() and not _is_unseen(char):
            kept.append(char)
    return "".join(kept)


def _joins(char: str) -> bool:
    """True for what goes into the cell of the character before it."""
    return unicodedata.category(char) in ("Mn", "Me", "Cf") or 0x1F3FB <= ord(char) <= 0x1F3FF


def _is_unseen(char: str) -> bool:
    """True for what has no cell of its own: joiners, accents, marks of direction, selectors,
    and code points that are no characters, which terminals drop."""
    code = ord(char)
    selector = 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF
    return selector or code in _UNSEEN or unicodedata.category(char) in ("Cf", "Cn", "Mn", "Me")


def unjoined(text: str) -> str:
    """``squeezed`` on a screen that keeps no joiners, and so each part in a cell of its own."""
    return squeezed(text.replace(_JOINER, ""))


__all__ = ["CELL_BYTES", "squeezed", "unjoined"]
