"""What the screen shows: a pure function from a view and a size to rows.

From the top: the transcript, each line of which begins with a mark or two blanks, so
that nothing an agent says can look like what follows; at the bottom the composer
between two rules, with a footer below, or a dialog in its place.
"""

from __future__ import annotations

from dataclasses import dataclass

from tongs_agents.scripted_agent.composer import Composer
from tongs_agents.scripted_agent.width import clip, columns, one_line, printable, wrap

GLYPH = "❯ "
"""Stands before the composer's first row."""

QUESTION = "Do you want to proceed?"
"""What the permission dialog asks."""

_INDENT = "  "
_ENTRY_ROWS = 12
_QUEUED_ROWS = 3
_OUTSIDE_COMPOSER = 8
_DIALOG_KEYS = (f"{GLYPH}1. Yes", f"{_INDENT}2. No", "Esc to cancel")


@dataclass(frozen=True, slots=True)
class View:
    """Everything that the screen depends on besides its size."""

    name: str = "scripted"
    transcript: tuple[tuple[str, str], ...] = ()
    """Marks and texts, oldest first."""
    composer: Composer | None = None
    """None where none is drawn."""
    hint: str = ""
    busy_for: int | None = None
    """Whole seconds since the turn began."""
    queued: tuple[str, ...] = ()
    dialog: str | None = None
    """What the permission dialog asks for, None where none is open."""
    vim_normal: bool = False
    starting: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the screen; from character ``dim_from`` on it is dim."""

    text: str
    dim_from: int | None = None

    def styled(self) -> str:
        """With its SGR codes."""
        if self.dim_from is None:
            return self.text
        return f"{self.text[: self.dim_from]}\x1b[2m{self.text[self.dim_from :]}\x1b[0m"


@dataclass(frozen=True, slots=True)
class Frame:
    """A whole screen, and the column and row of the cursor (None: hidden)."""

    rows: tuple[Row, ...]
    cursor: tuple[int, int] | None


def render(view: View, width: int, height: int) -> Frame:
    """The screen of ``view``: exactly ``height`` rows of at most ``width`` columns."""
    bottom, cursor = _bottom(view, width, height)
    above = [*_banner(view, width), *_transcript(view, width), *_working(view, width)]
    room = height - len(bottom)
    if room <= 0:
        return Frame(tuple(bottom[-height:] if height else ()), None)
    shown = above[-room:]
    filling = [Row("")] * (room - len(shown))
    at = None if cursor is None else (cursor[0], cursor[1] + room)
    return Frame((*shown, *filling, *bottom), at)


def _banner(view: View, width: int) -> list[Row]:
    return [Row(clip(f"✳ {one_line(view.name)} · scripted agent", width)), Row("")]


def _transcript(view: View, width: int) -> list[Row]:
    rows: list[Row] = []
    for mark, text in view.transcript:
        lines = wrap(printable(text).strip() or "(nothing)", max(width - 2, 1))
        if len(lines) > _ENTRY_ROWS:
            hidden = len(lines) - _ENTRY_ROWS + 1
            lines = [*lines[: _ENTRY_ROWS - 1], f"… +{hidden} lines"]
        rows += [Row(f"{mark} {lines[0]}"), *(Row(_INDENT + line) for line in lines[1:])]
    return rows


def _working(view: View, width: int) -> list[Row]:
    """The spinner and the queue, which stand right above the composer."""
    if view.starting:
        return [Row(clip("✶ Starting…", width))]
    rows = [Row("")]
    if view.busy_for is not None and view.dialog is None:
        spinner = "✶✻✽✢"[view.busy_for % 4]
        rows.append(Row(clip(f"{spinner} Working… ({view.busy_for}s)", width)))
    queued = (f"{_INDENT}Queued: {one_line(text)}" for text in view.queued[:_QUEUED_ROWS])
    return [*rows, *(Row(clip(line, width), dim_from=0) for line in queued)]


def _bottom(view: View, width: int, height: int) -> tuple[list[Row], tuple[int, int] | None]:
    rule = Row("─" * width)
    if view.dialog is not None:
        lines = (f"{_INDENT}{one_line(view.dialog)}", QUESTION, *_DIALOG_KEYS)
        return [rule, *(Row(clip(line, width)) for line in lines)], None
    if view.composer is None:
        return [], None
    rows, hidden = _composer_rows(view, width, height)
    upper = Row(_rule_above(hidden, width)) if hidden else rule
    empty = view.composer.empty
    column = len(GLYPH) if empty else min(columns(rows[-1].text), width - 1)
    return [upper, *rows, rule, Row(clip(_footer(view), width), 0)], (column, len(rows))


def _composer_rows(view: View, width: int, height: int) -> tuple[list[Row], int]:
    """The rows between the rules, and how many more are hidden above them."""
    if view.composer is None or view.composer.empty:
        hint = clip(one_line(view.hint), width - len(GLYPH))
        return [Row(GLYPH + hint, dim_from=len(GLYPH))], 0
    lines = wrap(printable(view.composer.shown), width - len(GLYPH))
    most = max(3, height - _OUTSIDE_COMPOSER)
    shown = lines[-most:]
    rows = [Row(GLYPH + shown[0]), *(Row(_INDENT + line) for line in shown[1:])]
    return rows, len(lines) - len(shown)


def _rule_above(hidden: int, width: int) -> str:
    label = f"── ↑ {hidden} more "
    return clip(label + "─" * (width - len(label)), width)


def _footer(view: View) -> str:
    mode = "-- NORMAL --" if view.vim_normal else "manual mode"
    if view.busy_for is not None:
        return f"{_INDENT}{mode} · esc to interrupt"
    if view.vim_normal:
        return f"{_INDENT}{mode}"
    typing = view.composer is not None and not view.composer.empty
    return "" if typing else f"{_INDENT}? for shortcuts"


__all__ = ["GLYPH", "QUESTION", "Frame", "Row", "View", "render"]
