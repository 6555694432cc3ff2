"""What Claude Code's screen says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tongs_agents.harness.lines import columns, ere_of, is_rule, parse_styled, trimmed
from tongs_mux.model import PaneFacts, Screen
from tongs_mux.reader import Reading

_GLYPH, _SHELL_GLYPH = "❯", "!"
_TEXT_AT = 2
_INDENT = "  "
_ABOVE, _BELOW = "↑", "↓"

_LABELLED_RULE = re.compile(r"─*(?: \S.*)? ─+\Z")
"""A rule with a session's name, a place in the history, or what is scrolled away, in it."""

_HOME = re.compile(r"(?:-- INSERT -- )?(?:⏸|⏵⏵|\? for|esc to int)")
"""How the line below the composer begins where it is the session's own, and keys go to it."""

_OTHER_VIM_MODE = re.compile(r"-- (?!INSERT)")

_NOT_THE_SESSION = ("Message @", "Press Enter to edit", "Taking your")
"""Hints of a composer whose text goes elsewhere: to a subagent, into a queued message."""

_NEW_SESSION = "describe a"
"""How the hint of the agents view begins, whose text starts another session."""

_AGENTS_TITLE = re.compile(r"(?:.* · )?claude agents\Z")

_BUSY = "esc to interrupt"
_SPINNER = re.compile(r"[·✢✳✶✻✽∗*] (?:.*…|Waiting for )")
_SAID = "●"

_STAND_IN = re.compile(r"\[Pastedtext#(\d+)(?:\+(\d+)lines)?\]\Z")

_OVERLAYS = (
    ("transcript", "Showing detail"),
    ("history", "Filter history"),
    ("rewind", "Restore the code"),
    ("resume", "Resume session"),
    ("api-key", "Detected a custom API key"),
    ("trust", "Yes, I trust this"),
    ("bypass", "Bypass Permissions mode"),
    ("settings", "Exit and fix"),
    ("plan", "Exit plan mode"),
    ("question", "Chat about this"),
    ("permission", "Do you want to"),
)
"""What stands in place of the composer, by words that are on its screen, wrapped or not."""

_ANY_OVERLAY = re.compile(r"(?:Esc|esc|Enter|enter) to [a-z]|❯ \d+\. ")


@dataclass(frozen=True, slots=True)
class _Composer:
    """Where it is: its first row's number, its rows, and the lines below them."""

    top: int
    rows: tuple[str, ...]
    footer: tuple[str, ...]
    above: bool
    """True where rows are scrolled away above those seen."""
    below: bool
    at_bottom: bool
    """True where no row of the pane is left for a footer."""

    @property
    def home(self) -> bool:
        """True where the line below says that this is the session's own composer."""
        return any(map(_HOME.match, self.footer)) or (self.at_bottom and not self.footer)

    @property
    def shell(self) -> bool:
        """True where its text is to be run by the user's shell."""
        return self.rows[0].startswith(_SHELL_GLYPH) and not self.above

    @property
    def text(self) -> str:
        """What it shows, the mark of shell mode as the user typed it."""
        shown = "\n".join(row[_TEXT_AT:] for row in self.rows)
        return _SHELL_GLYPH + shown if self.shell else shown


class ClaudeReader:
    """Reads Claude Code's screen from its last line upwards, in both of its renderers.

    What others said is indented or marked there; only what the program draws
    itself begins in the first column. A dialog takes the composer's place, so
    its words count only on a screen that has no composer.
    """

    name = "claude"
    guarded = True
    multiline = True
    dialogs: tuple[str, ...] = (
        "Do you want to",
        "Exit plan mode",
        "Esc to c",
        "Enter to ",
        "^ *❯ [0-9]+[.] ",
        "Showing detail",
    )

    def read(self, screen: Screen, pane: PaneFacts) -> Reading:
        """What ``screen`` says; what is not recognised is ``unseen``."""
        lines = tuple(map(trimmed, screen.lines))
        found = _composer_of(lines, pane)
        if found is None:
            return Reading(dialog=_overlay(lines), composer="unseen")
        hint = _hint(found, screen, pane)
        if _is_elsewhere(found, hint, pane):
            return Reading(dialog="another view", composer="unseen")
        busy = _is_busy(found, lines)
        if hint or not found.text.strip():
            return _blank(found, pane, busy=busy)
        stand_in = _STAND_IN.match("".join(found.text.split()))
        return Reading(
            dialog=None,
            composer="draft",
            text=_numbered(stand_in) if stand_in else found.text,
            placeholder=stand_in is not None,
            clipped=found.above or found.below,
            busy=busy,
            steady=_steady(found),
        )


def _composer_of(lines: tuple[str, ...], pane: PaneFacts) -> _Composer | None:
    """Rule, rows, rule, and indented lines at most: what the screen ends with."""
    below = len(lines) - 1
    while below >= 0 and not _is_rule(lines[below], pane.width):
        if not _is_indented(lines[below]):
            return None
        below -= 1
    above = below - 1
    while above >= 0 and not _is_rule(lines[above], pane.width):
        above -= 1
    rows = lines[above + 1 : max(below, 0)]
    if not rows or (above < 0 and not _holds_cursor(pane, below)):
        return None
    # the renderer of the main screen lets a tall composer run over the screen's upper edge
    scrolled = above < 0 or _ABOVE in lines[above]
    if not scrolled and not rows[0].startswith((_GLYPH, _SHELL_GLYPH)):
        return None
    if not all(map(_is_indented, rows if scrolled else rows[1:])):
        return None
    footer = tuple(line.strip() for line in lines[below + 1 :] if line)
    at_bottom = below == pane.height - 1
    return _Composer(above + 1, rows, footer, scrolled, _BELOW in lines[below], at_bottom)


def _holds_cursor(pane: PaneFacts, below: int) -> bool:
    return pane.cursor is not None and pane.cursor[1] < below


def _is_indented(line: str) -> bool:
    return not line or line.startswith(_INDENT)


def _is_rule(line: str, width: int) -> bool:
    """A plain rule, or one with a label in it that spans the pane."""
    if is_rule(line):
        return True
    # terminals differ by a column or two on what is in a name
    return _LABELLED_RULE.match(line) is not None and abs(columns(line) - width) <= 2


def _hint(found: _Composer, screen: Screen, pane: PaneFacts) -> str:
    """The dim suggestion in an empty composer, else nothing. The cursor hides its first letter."""
    styled = parse_styled(screen.styled)
    if found.shell or found.above or not found.text.strip() or len(styled) < len(screen.lines):
        return ""
    first, rest = styled[found.top], styled[found.top + 1 : found.top + len(found.rows)]
    start = _TEXT_AT + (pane.cursor == (_TEXT_AT, found.top))
    dim = first.all_dim(start) and all(line.all_dim(0) for line in rest if line.text.strip())
    return found.text if dim else ""


def _is_elsewhere(found: _Composer, hint: str, pane: PaneFacts) -> bool:
    """True where this is a composer, but not the one of the session."""
    if _AGENTS_TITLE.match(pane.title) or hint.startswith(_NOT_THE_SESSION):
        return True
    return not found.home and found.text.startswith(_NEW_SESSION)


def _blank(found: _Composer, pane: PaneFacts, *, busy: bool) -> Reading:
    """A composer without text: empty where it is the session's own and keys go to it."""
    here = pane.cursor in {None, (_TEXT_AT, found.top)}
    empty = len(found.rows) == 1 or found.text.strip() != ""
    if any(map(_OTHER_VIM_MODE.match, found.footer)) or found.shell or not empty:
        return Reading(None, "draft", found.text, busy=busy, steady=_steady(found))
    if not (found.home and here) or found.above or found.below:
        return Reading(dialog=None, composer="unseen", busy=busy)
    return Reading(dialog=None, composer="empty", busy=busy, steady=_steady(found))


def _numbered(stand_in: re.Match[str]) -> str:
    """A paste's stand-in, which names the lines after the first; none named is none."""
    return f"[Pasted text #{stand_in[1]} +{stand_in[2] or 0} lines]"


def _steady(found: _Composer) -> tuple[str, ...]:
    """The rows as patterns, the prompt's glyph itself in the first."""
    patterns = dict.fromkeys(ere_of(row) for row in found.rows if row)
    if found.above or found.shell:
        return tuple(patterns)
    first = ere_of(found.rows[0])
    return (f"^{_GLYPH}{first[2:]}", *(pattern for pattern in patterns if pattern != first))


def _is_busy(found: _Composer, lines: tuple[str, ...]) -> bool:
    """The footer's words, cut short in a narrow pane, or the spinner above the composer."""
    if any(map(_says_busy, found.footer)):
        return True
    for line in reversed(lines[: found.top - 1]):
        if line.startswith(_SAID):
            return False
        if _SPINNER.match(line):
            return True
    return False


def _says_busy(footer: str) -> bool:
    return any(
        part.startswith(_BUSY) or (part[-1:] == "…" and part[:-1] != "" and part[:-1] in _BUSY[:8])
        for part in footer.split(" · ")
    )


def _overlay(lines: tuple[str, ...]) -> str | None:
    """Name of what stands in the composer's place, None where nothing is recognised."""
    words = " ".join(" ".join(lines).split())
    for name, mark in _OVERLAYS:
        if mark in words:
            return name
    return "dialog" if _ANY_OVERLAY.search(words) else None


__all__ = ["ClaudeReader"]
