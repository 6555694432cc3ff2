"""What the scripted agent's screen says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tongs_agents.harness.lines import ere_of, is_rule, parse_styled, trimmed
from tongs_mux.model import PaneFacts, Screen
from tongs_mux.reader import Reading

_GLYPH = "❯"
_INDENT = "  "
_TEXT_AT = 2
_DIALOG_TAIL = 6
_QUESTION = "Do you want to proceed"
_CANCEL = "Esc to cancel"
_NORMAL_MODE = "-- NORMAL --"
_BUSY = "esc to"
_SCROLLED_RULE = re.compile(r"── ↑ \d+ more ─*…?\Z")
_STAND_IN = re.compile(r"\[Pasted(text#\d+\+\d+lines|\d+chars)\]\Z")


@dataclass(frozen=True, slots=True)
class _Composer:
    """Where the composer is: its first row's number, its rows, what is around them."""

    rule: str
    top: int
    rows: tuple[str, ...]
    footer: str

    @property
    def text(self) -> str:
        return "\n".join(row[_TEXT_AT:] for row in self.rows)

    def holds(self, cursor: tuple[int, int] | None) -> bool:
        """True where the cursor is in it, or hidden: in a pane that is scrolled up it is not."""
        return cursor is None or self.top <= cursor[1] < self.top + len(self.rows)


class ScriptedReader:
    """Reads the scripted agent's screen, from its last line upwards.

    All that the program shows of what an agent or a hook said is indented or
    marked; only what it draws itself begins in the first column. So words of a
    dialog in ordinary output are none.
    """

    name = "scripted"
    guarded = True
    multiline = True
    dialogs: tuple[str, ...] = (_QUESTION, _CANCEL)

    def read(self, screen: Screen, pane: PaneFacts) -> Reading:
        """What ``screen`` says; what is not recognised is ``unseen``."""
        lines = tuple(map(trimmed, screen.lines))
        found = _composer_of(lines)
        if found is None:
            dialog = "permission" if _asks(lines) else None
            return Reading(dialog=dialog, composer="unseen")
        if not found.holds(pane.cursor):
            return Reading(dialog=None, composer="unseen")
        empty = _NORMAL_MODE not in found.footer and _is_empty(found, screen, pane)
        words = "".join(found.text.split())
        return Reading(
            dialog=None,
            composer="empty" if empty else "draft",
            text="" if empty else found.text,
            placeholder=not empty and _STAND_IN.match(words) is not None,
            clipped=not is_rule(found.rule),
            busy=_BUSY in found.footer,
            steady=tuple(dict.fromkeys(ere_of(row) for row in found.rows if row)),
        )


def _asks(lines: tuple[str, ...]) -> bool:
    """True where the permission dialog is what the screen ends with."""
    tail = [line for line in lines if line][-_DIALOG_TAIL:]
    return any(line.startswith((_QUESTION, _CANCEL)) for line in tail)


def _composer_of(lines: tuple[str, ...]) -> _Composer | None:
    """The composer at the end of the screen: rule, rows, rule, and a footer at most."""
    last = len(lines) - 1
    while last >= 0 and not lines[last]:
        last -= 1
    footer = ""
    if last > 0 and lines[last].startswith(_INDENT):
        footer, last = lines[last], last - 1
    if last < 0 or not is_rule(lines[last]):
        return None
    top = last - 1
    while top > 0 and (not lines[top] or lines[top].startswith(_INDENT)):
        top -= 1
    if top < 1 or not (lines[top].startswith(_GLYPH) and _is_upper_rule(lines[top - 1])):
        return None
    return _Composer(lines[top - 1], top, lines[top:last], footer)


def _is_upper_rule(line: str) -> bool:
    return is_rule(line) or _SCROLLED_RULE.match(line) is not None


def _is_empty(found: _Composer, screen: Screen, pane: PaneFacts) -> bool:
    """True where it shows nothing, or only a dim suggestion, in one row."""
    if len(found.rows) > 1:
        return False
    if found.text.strip():
        return _is_suggestion(found, screen)
    if pane.cursor is None:
        return True
    return pane.cursor[0] <= _TEXT_AT


def _is_suggestion(found: _Composer, screen: Screen) -> bool:
    styled = parse_styled(screen.styled)
    if len(styled) <= found.top:
        return False
    line = styled[found.top]
    return trimmed(line.text) == found.rows[0] and line.all_dim(_TEXT_AT)


__all__ = ["ScriptedReader"]
