"""What Pi's screen says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tongs_agents.harness.lines import StyledLine, columns, ere_of, parse_styled, trimmed
from tongs_mux.model import PaneFacts, Screen
from tongs_mux.reader import Reading

_RULE = "─"
_LABELLED = re.compile(r"─+ ?[^─].*(?:─|\.\.\.)\Z")
"""A rule with what it is doing, or how much is scrolled away, in it."""

_ABOVE, _BELOW = "↑", "↓"
_SCROLLED = re.compile(r"[↑↓] \d+ more|─ [↑↓].*\.\.\.\Z")
_PADDING = 3
"""The editor's widest padding, in columns; blanks alone are never submitted."""

_CHOSEN = re.compile(r" {0,3}[→›] ")
_HINT = re.compile(r"\b(?:select|cancel|close|submit|save|change|reorder)\b", re.IGNORECASE)
_KEYS = re.compile(r"(?:esc|escape|ctrl\+c)\S* (?:to )?(?:cancel|close)\Z", re.IGNORECASE)
_FIND = re.compile(r"└─* ↑.*─┘\Z")
_STAND_IN = re.compile(r"\[paste #(\d+) (\+\d+ lines|\d+ chars)\]\Z")

_NAMES = (
    ("trust", "Trust project folder"),
    ("trust", "Project trust"),
    ("resume", "Resume Session"),
    ("tree", "Session Tree"),
    ("fork", "Fork from Message"),
    ("login", "authentication method"),
    ("settings", "Type to search"),
    ("model", "Model Name"),
)
"""What stands in the composer's place, by words of its own."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """What stands between the screen's last two rules."""

    top: int
    """Number of its first row."""
    rows: tuple[str, ...]
    upper: str
    lower: str
    under: tuple[str, ...]
    """The lines below it: the footer, or a menu."""

    @property
    def scrolled(self) -> bool:
        """True where its composer shows only a part of what it holds."""
        return _ABOVE in self.upper or _BELOW in self.lower

    @property
    def busy(self) -> bool:
        """True where the upper rule says what the program is doing."""
        return _SCROLLED.sub("", self.upper).strip(f"{_RULE} ") != ""


_Cell = tuple[int, int]
"""Column, and row within the frame."""


class PiReader:
    """Reads Pi's screen from its last rule upwards, in both of its renderers.

    Its composer is what stands between the last two rules, and is told from the
    dialogs that take its place by the one cell that is drawn in reverse, its
    cursor: dialogs have none, or something below it. Zellij shows no such cell
    at a line's end and tells no hidden cursor: there it is told by what a dialog
    has at its edges.
    """

    name = "pi"
    guarded = True
    multiline = True
    dialogs: tuple[str, ...] = (
        "^ ? ? ?(→|›) ",
        "^> ?$",
        "enter (select|submit|save)",
        "(escape|ctrl.c|Esc|Ctrl.C) (to )?(cancel|close)",
        "└─* ↑.*─┘$",
    )

    def read(self, screen: Screen, pane: PaneFacts) -> Reading:
        """What ``screen`` says; what is not recognised is ``unseen``."""
        lines = tuple(map(trimmed, screen.lines))
        frame = _frame_of(lines, pane)
        if frame is None:
            return Reading(dialog=_cut(lines, pane), composer="unseen")
        cell = _cursor_of(frame, parse_styled(screen.styled), pane)
        if _is_dialog(frame, cell, told=pane.cursor is not None):
            return Reading(dialog=_named(frame.rows, lines), composer="unseen")
        if not _has_focus(frame, cell, lines, pane):
            return Reading(dialog=_found(lines), composer="unseen", busy=frame.busy)
        if _is_empty(frame, cell):
            return Reading(dialog=None, composer="empty", busy=frame.busy, cursor=pane.cursor)
        text = "\n".join(frame.rows)
        stand_in = _STAND_IN.match(" ".join(text.split()))
        return Reading(
            dialog=None,
            composer="draft",
            # a comma between the paste's number and its size, which else would run together
            text=f"[paste #{stand_in[1]}, {stand_in[2]}]" if stand_in else text,
            placeholder=stand_in is not None,
            clipped=frame.scrolled,
            busy=frame.busy,
            steady=tuple(dict.fromkeys(ere_of(row) for row in frame.rows if row)),
        )


def _frame_of(lines: tuple[str, ...], pane: PaneFacts) -> _Frame | None:
    """What stands between the last two rules, None where there are none."""
    rules = [number for number, line in enumerate(lines) if _is_rule(line, pane.width)]
    if len(rules) < 2:
        return None
    above, below = rules[-2:]
    rows = lines[above + 1 : below]
    return _Frame(above + 1, rows, lines[above], lines[below], lines[below + 1 :])


def _is_rule(line: str, width: int) -> bool:
    """A rule as wide as the pane: the composer's own rows never are, nor is what others said."""
    if not line.startswith(_RULE):
        return False
    if line.strip(_RULE) == "":
        return len(line) == width
    # terminals differ by a column or two on what an extension writes there
    return _LABELLED.match(line) is not None and abs(columns(line) - width) <= 2


def _cursor_of(frame: _Frame, styled: tuple[StyledLine, ...], pane: PaneFacts) -> _Cell | None:
    """The one cell in reverse.

    Where there is none, the terminal's own cursor, which the program shows instead
    if it is told to; None where that is elsewhere, or where there are several.
    """
    height = len(frame.rows)
    starts = [
        (columns(line.text[:at]), number)
        for number, line in enumerate(styled[frame.top : frame.top + height])
        for at, on in enumerate(line.reverse)
        if on and not (at and line.reverse[at - 1])
    ]
    if not starts and pane.cursor is not None and 0 <= pane.cursor[1] - frame.top < height:
        return pane.cursor[0], pane.cursor[1] - frame.top
    return starts[0] if len(starts) == 1 else None


def _is_dialog(frame: _Frame, cell: _Cell | None, *, told: bool) -> bool:
    """True where below the cursor is a list to choose from, or what its keys do.

    ``told`` is False where a cursor that is not seen may still be there.
    """
    rows = frame.rows
    if cell is None:
        return told or _has_edges(rows)
    row = cell[1]
    after = rows[row + 1 :]
    if any(map(_CHOSEN.match, after)) or any(map(_HINT.search, after)):
        return True
    field = rows[row].startswith(">") and row > 0 and not rows[row - 1]
    return field and not rows[0]


def _has_edges(rows: tuple[str, ...]) -> bool:
    """True for rows that begin or end as dialogs do, and texts seldom."""
    if len(rows) > 1 and not rows[0]:
        return True
    searched = rows[0].startswith(">") and rows[1:2] == ("",)
    return (searched and any(map(_CHOSEN.match, rows))) or any(map(_KEYS.search, rows))


def _has_focus(frame: _Frame, cell: _Cell | None, lines: tuple[str, ...], pane: PaneFacts) -> bool:
    """True where keys go to the composer: the terminal's cursor, hidden or not, is in it."""
    if pane.cursor is None or cell is None:
        return _found(lines) is None
    column, row = pane.cursor
    same = column == cell[0] or not frame.rows[cell[1]].isascii()
    return row == frame.top + cell[1] and same


def _is_empty(frame: _Frame, cell: _Cell | None) -> bool:
    """True where it shows nothing, and no menu is open below it."""
    blank = len(frame.rows) == 1 and not frame.rows[0] and (cell or (0, 0))[0] <= _PADDING
    return blank and not frame.scrolled and not any(map(_CHOSEN.match, frame.under))


def _found(lines: tuple[str, ...]) -> str | None:
    """``search`` where the field to search the transcript is open, which lies over it."""
    return "search" if any(map(_FIND.search, lines)) else None


def _cut(lines: tuple[str, ...], pane: PaneFacts) -> str | None:
    """The dialog of a pane that is too small for it: one of its rules is not on the screen."""
    ruled = any(_is_rule(line, pane.width) for line in lines)
    return _named(lines, lines) if ruled and any(map(_CHOSEN.match, lines)) else None


def _named(rows: tuple[str, ...], lines: tuple[str, ...]) -> str | None:
    """Name of what stands in the composer's place, None where nothing is recognised."""
    words = " ".join(" ".join(lines).split())
    for name, mark in _NAMES:
        if mark in words:
            return name
    asks = any(map(_CHOSEN.match, rows)) or any(map(_HINT.search, rows))
    return "dialog" if asks else None


__all__ = ["PiReader"]
