"""The composer's state: what it holds, and what of that it shows."""

from __future__ import annotations

from dataclasses import dataclass, replace

FOLD_CHARS = 800
"""A paste of more characters is shown as a stand-in."""

FOLD_LINES = 10
"""So is one of this many lines or more."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text, and the stand-in shown for it (empty: the text itself)."""

    text: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class Composer:
    """What was typed and pasted so far; the cursor is always at its end."""

    pieces: tuple[Piece, ...] = ()
    folded: int = 0
    """How many pastes of this session were shown as stand-ins."""

    @property
    def text(self) -> str:
        """The whole text, as it is submitted."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def shown(self) -> str:
        """The text as the screen shows it."""
        return "".join(piece.label or piece.text for piece in self.pieces)

    @property
    def empty(self) -> bool:
        """True where nothing is in it, not even a blank."""
        return not self.pieces


def typed(composer: Composer, text: str) -> Composer:
    """With ``text`` typed at the end."""
    if composer.pieces and not composer.pieces[-1].label:
        *before, last = composer.pieces
        return replace(composer, pieces=(*before, Piece(last.text + text)))
    return replace(composer, pieces=(*composer.pieces, Piece(text)))


def pasted(composer: Composer, text: str) -> Composer:
    """With ``text`` pasted at the end: a large one as a stand-in, an empty one not at all."""
    if not text:
        return composer
    lines = text.count("\n")
    if lines + 1 >= FOLD_LINES:
        label = f"[Pasted text #{composer.folded + 1} +{lines} lines]"
    elif len(text) > FOLD_CHARS:
        label = f"[Pasted {len(text)} chars]"
    else:
        return typed(composer, text)
    return Composer((*composer.pieces, Piece(text, label)), composer.folded + 1)


def erased(composer: Composer) -> Composer:
    """Without its last character, or its last stand-in."""
    if composer.empty:
        return composer
    *before, last = composer.pieces
    if not last.label and len(last.text) > 1:
        before.append(Piece(last.text[:-1]))
    return replace(composer, pieces=tuple(before))


def cleared(composer: Composer) -> Composer:
    """Empty, with its count of stand-ins kept."""
    return Composer(folded=composer.folded)


__all__ = ["FOLD_CHARS", "FOLD_LINES", "Composer", "Piece", "cleared", "erased", "pasted", "typed"]
