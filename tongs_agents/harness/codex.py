"""What Codex's screen says."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tongs_agents.harness.lines import StyledLine, ere_of, parse_styled, trimmed
from tongs_mux.model import PaneFacts, Screen
from tongs_mux.reader import Reading

_GLYPH, _SHELL_GLYPH = "›", "!"
_TEXT_AT = 2
_INDENT = "  "
_ABOVE, _BELOW = "↑", "↓"

_STAND_IN = re.compile(r"\[PastedContent(\d+)chars\]\Z")

_ELSEWHERE = re.compile(r"  (?:Browsing|reverse-i-search)")
"""How the line below the composer begins while keys go to something else."""

_COMMANDS = re.compile(r".*Vim: [NV]")
"""What that line says while letters are commands."""

_SPINNING = re.compile(r"[⠀-⣿] ")
_WORKING = re.compile(r"[•◦] \S.* \((?:\d+h )?(?:\d+m )?\d+s(?: •|\)|…|\Z)")
_TURN_OVER = (_GLYPH, "■", "  Worked for")

_OVERLAYS = (
    ("approval", "Would you like to"),
    ("approval", "Do you want to approve"),
    ("mcp", "MCP server to run tool"),
    ("question", "to submit answer"),
    ("question", "Question 1/"),
    ("trust", "Trust this folder?"),
    ("hooks", "Hooks need review"),
    ("model", "Try new model"),
    ("login", "Sign in with"),
    ("resume", "Resume a previous sessi"),
    ("browsing", "Browsing"),
    ("history", "reverse-i-search"),
    ("transcript", "to scroll ·"),
)
"""What stands in place of the composer, by words that are on its screen, wrapped or not."""

_ANY_OVERLAY = re.compile(r"(?:enter|esc)(?:/esc)? (?:to )?[a-z]{3}|[›>] \d+\. ")


@dataclass(frozen=True, slots=True)
class _Composer:
    """Where it is: its first row's number, its rows as they are drawn, the lines below them."""

    top: int
    rows: tuple[str, ...]
    footer: tuple[str, ...]
    above: bool
    """True where rows are scrolled away above those seen."""
    below: bool
    hinted: bool
    """True where all that it shows is a dim hint."""

    @property
    def text(self) -> str:
        """What it shows, without the arrows at its edge, the mark of shell mode as typed."""
        rows = list(self.rows)
        if self.above:
            rows[0] = rows[0].removesuffix(_ABOVE)
        if self.below:
            rows[-1] = rows[-1].removesuffix(_BELOW)
        shown = "\n".join(trimmed(row[_TEXT_AT:]) for row in rows)
        return _SHELL_GLYPH + shown if self.rows[0].startswith(_SHELL_GLYPH) else shown


class CodexReader:
    """Reads Codex's screen, drawn in full or in line with what was before.

    Only the composer's mark, past prompts and what is selected in a dialog begin
    with the glyph in the first column, and their styles differ: a past prompt's is
    dim, a selection reversed. The cursor is shown where keys go.
    """

    name = "codex"
    guarded = True
    multiline = True
    dialogs: tuple[str, ...] = (
        "^ *[›>] [0-9]+[.] ",
        "nter to [a-z]",
        "enter (continue|confirm|select|open|resume|rev|edit)",
        "enter/esc confirm",
        "esc to (cancel|interrupt|go back)$",
        "esc (back|skip|close|dismiss|browse)",
        "^ *Browsing",
        "reverse-i-search",
    )

    def read(self, screen: Screen, pane: PaneFacts) -> Reading:
        """What ``screen`` says; what is not recognised is ``unseen``."""
        lines = tuple(map(trimmed, screen.lines))
        busy = _SPINNING.match(pane.title) is not None
        found = _composer_of(lines, parse_styled(screen.styled), pane)
        if found is None:
            return Reading(dialog=_overlay(lines), composer="unseen", busy=busy)
        busy = busy or _is_working(lines[: found.top])
        if found.hinted:
            return _blank(found, busy=busy)
        stand_in = _STAND_IN.match("".join(found.text.split()))
        return Reading(
            dialog=None,
            composer="draft",
            text=f"[Pasted Content {stand_in[1]} chars]" if stand_in else found.text,
            placeholder=stand_in is not None,
            clipped=found.above or found.below or not found.footer,
            busy=busy,
            steady=_steady(found),
        )


def _blank(found: _Composer, *, busy: bool) -> Reading:
    """A composer with nothing but its hint: not empty where letters are commands."""
    if any(map(_COMMANDS.match, found.footer)):
        return Reading(dialog=None, composer="draft", busy=busy, steady=_steady(found))
    return Reading(dialog=None, composer="empty", busy=busy, steady=_steady(found))


def _composer_of(
    lines: tuple[str, ...], styled: tuple[StyledLine, ...], pane: PaneFacts
) -> _Composer | None:
    """The last row that begins with the glyph, where it is the composer's, and what is below."""
    marked = (at for at in reversed(range(len(lines))) if _is_marked(lines[at]))
    top = next(marked, None)
    if top is None or len(styled) < len(lines) or pane.cursor is None:
        return None
    mark = styled[top]
    if mark.text[:1] not in (_GLYPH, _SHELL_GLYPH) or mark.dim[0] or mark.reverse[0]:
        return None
    last = max(at for at in range(top, len(lines)) if lines[at])
    if not all(map(_is_indented, lines[top + 1 :])) or _ELSEWHERE.match(lines[last]):
        return None
    end, footer = _parted(lines, top, last, pane.cursor[1])
    if not (pane.cursor[0] >= _TEXT_AT and top <= pane.cursor[1] < end <= len(lines)):
        return None
    above = _ends_with(_ABOVE, lines[top], mark)
    below = _ends_with(_BELOW, lines[end - 1], styled[end - 1])
    hinted = mark.all_dim(_TEXT_AT)
    if hinted and pane.cursor != (_TEXT_AT, top):
        return None
    return _Composer(top, lines[top:end], footer, above, below, hinted)


def _ends_with(arrow: str, line: str, styled: StyledLine) -> bool:
    """True for an arrow of the program's own, which is dim."""
    return line.endswith(arrow) and any(styled.dim[len(line) - 1 : len(line)])


def _is_marked(line: str) -> bool:
    return line in (_GLYPH, _SHELL_GLYPH) or line.startswith((f"{_GLYPH} ", f"{_SHELL_GLYPH} "))


def _is_indented(line: str) -> bool:
    return not line or line.startswith(_INDENT)


def _parted(
    lines: tuple[str, ...], top: int, last: int, cursor: int
) -> tuple[int, tuple[str, ...]]:
    """Where the composer's rows end, and the lines of the footer below a blank one.

    In a low pane the footer gives way to the rows: what the cursor is in is none.
    """
    begin = last
    while begin > top and lines[begin - 1]:
        begin -= 1
    if begin <= top + 1 or cursor >= begin:
        return max(last, cursor) + 1, ()
    end = begin - 1
    while end > top + 1 and end - 1 > cursor and not lines[end - 1]:
        end -= 1
    return end, lines[begin : last + 1]


def _steady(found: _Composer) -> tuple[str, ...]:
    """The rows as patterns, each once."""
    return tuple(dict.fromkeys(ere_of(row) for row in found.rows if row))


def _is_working(above: tuple[str, ...]) -> bool:
    """The line that counts a turn's seconds, which stands above the composer while a tool runs."""
    for line in reversed(above):
        if _WORKING.match(line):
            return True
        if line.startswith(_TURN_OVER):
            return False
    return False


def _overlay(lines: tuple[str, ...]) -> str | None:
    """Name of what stands in the composer's place, None where nothing is recognised."""
    words = " ".join(" ".join(lines).split())
    at, name = max((words.rfind(mark), name) for name, mark in _OVERLAYS)
    if at >= 0:
        return name
    return "dialog" if _ANY_OVERLAY.search(words) else None


__all__ = ["CodexReader"]
