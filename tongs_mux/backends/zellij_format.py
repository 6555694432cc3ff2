"""What is said to Zellij and what it says back: listings, screens, its layouts. Pure."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

from tongs_mux.errors import BackendOutputError
from tongs_mux.model import PaneFacts, Screen

_VERSION = re.compile(r"\bzellij ([0-9]+)\.([0-9]+)\.([0-9]+)")
_OPENED = re.compile(r"terminal_[0-9]{1,9}\Z")
_UNKNOWN_FORM = (AttributeError, KeyError, OverflowError, TypeError, ValueError)
_CLIENTS = ("CLIENT_ID", "ZELLIJ_PANE_ID")
_TOKEN = re.compile(
    r"(?P<escape>\x1b\[[0-9;:?]*[ -/]*[@-~]"  # CSI: colours and attributes
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\))"  # OSC: hyperlinks
    r"|(?P<char>.)",
    re.DOTALL,
)


def parse_version(text: str) -> tuple[int, ...]:
    """The version in ``zellij --version``; empty where it names none."""
    found = _VERSION.search(text)
    return tuple(map(int, found.groups())) if found else ()


def parse_panes(panes: str, tabs: str, session: str) -> dict[str, PaneFacts]:
    """Every terminal pane, by id, of ``list-panes --all --json`` and ``list-tabs --all --json``.

    Plugins are left out: nothing was started in them. An empty answer is no
    answer. Raises BackendOutputError.
    """
    try:
        synchronized = {tab["tab_id"] for tab in _objects(tabs) if tab["is_sync_panes_active"]}
        found = [
            _facts(pane, session, pane["tab_id"] in synchronized)
            for pane in _objects(panes)
            if pane["is_plugin"] is False
        ]
    except _UNKNOWN_FORM as error:
        raise BackendOutputError(f"zellij listed a pane in an unknown form: {error!r}") from error
    return {facts.pane_id: facts for facts in found}


def parse_commands(panes: str) -> dict[str, str]:
    """Terminal panes by id: the command that each was opened with, empty for a shell.

    A session that is starting has none yet. Raises BackendOutputError.
    """
    try:
        rows = [pane for pane in json.loads(panes) if pane["is_plugin"] is False]
        return {f"terminal_{int(it['id'])}": str(it["terminal_command"] or "") for it in rows}
    except _UNKNOWN_FORM as error:
        raise BackendOutputError(f"zellij listed a pane in an unknown form: {error!r}") from error


def is_husk(tabs: str) -> bool:
    """True for a session of which nothing is left but its bars. Raises BackendOutputError.

    Zellij keeps a session whose last pane ended while nobody was attached, and
    a pane that is opened in it comes to nothing.
    """
    try:
        return not any(
            tab["selectable_tiled_panes_count"] or tab["selectable_floating_panes_count"]
            for tab in _objects(tabs)
        )
    except _UNKNOWN_FORM as error:
        raise BackendOutputError(f"zellij listed a tab in an unknown form: {error!r}") from error


def _objects(text: str) -> list[dict[str, Any]]:
    found = json.loads(text)
    if not isinstance(found, list) or not found:
        raise ValueError(f"{text[:80]!r} is no list of anything")
    return found


def _facts(pane: dict[str, Any], session: str, synchronized: bool) -> PaneFacts:
    command = str(pane.get("pane_command") or pane.get("terminal_command") or "")
    return PaneFacts(
        pane_id=f"terminal_{int(pane['id'])}",
        pid=None,
        session=session,
        window=str(int(pane["tab_id"])),
        # held: its program has ended, and an Enter would start it again (A84)
        dead=bool(pane["exited"]) or bool(pane["is_held"]),
        # replaced by another pane, as for reading its scrollback: what is sent to it is lost
        mode="suppressed" if pane["is_suppressed"] else "",
        synchronized=synchronized,
        command=command.partition(" ")[0].rpartition("/")[2],
        title=str(pane["title"]),
        width=int(pane["pane_content_columns"]),
        height=int(pane["pane_content_rows"]),
        cursor=_cursor(pane),
    )


def _cursor(pane: dict[str, Any]) -> tuple[int, int] | None:
    """Its place on the screen; Zellij counts from the corner of the pane's frame."""
    place = pane.get("cursor_coordinates_in_pane")
    if place is None:
        return None
    column, row = place
    left = pane["pane_content_x"] - pane["pane_x"]
    top = pane["pane_content_y"] - pane["pane_y"]
    return int(column - left), int(row - top)


def parse_clients(text: str) -> dict[str, str]:
    """(client, the pane that it shows) of ``list-clients``. Raises BackendOutputError."""
    lines = text.splitlines()
    if not lines or tuple(lines[0].split()[:2]) != _CLIENTS:
        raise BackendOutputError(f"zellij listed its clients in an unknown form: {text[:80]!r}")
    rows = [line.split() for line in lines[1:]]
    return {row[0]: row[1] for row in rows if len(row) > 1 and row[0].isdecimal()}


def parse_opened(text: str) -> str:
    """The pane's id that ``new-pane`` printed. Raises BackendOutputError."""
    words = text.split()
    if len(words) != 1 or not _OPENED.match(words[0]):
        raise BackendOutputError(f"zellij new-pane answered {text[:80]!r}, which is no pane's id")
    return words[0]


def parse_screen(dump: str, columns: int, rows: int) -> Screen:
    """The screen out of ``dump-screen --ansi``.

    A dump joins what the terminal has wrapped; the screen has it in rows again, of which the
    first may have begun above it. Where a pane has become lower, a dump of the alternate screen
    goes on below it, with lines that nobody sees: more than it has rows.
    Raises BackendOutputError for an empty dump: of a pane it has one line at least.
    """
    if not dump:
        raise BackendOutputError("zellij dumped an empty screen")
    lines = _lines(dump)
    styled = [row for line in lines for row in wrap(line, columns)]
    styled = styled[:rows] if len(lines) > rows else styled[-rows:]
    return Screen(lines=tuple(map(plain, styled)), styled=tuple(styled))


def parse_history(dump: str, count: int) -> tuple[str, ...]:
    """The last ``count`` lines of a full dump, as plain text without what is empty at its end."""
    text = [plain(line).rstrip() for line in _lines(dump)]
    while text and not text[-1]:
        text.pop()
    return tuple(text[-count:])


def _lines(dump: str) -> list[str]:
    # not splitlines: a program's text may hold other separators than LF
    return dump.removesuffix("\n").split("\n")


def wrap(line: str, columns: int) -> list[str]:
    """``line`` in rows of at most ``columns`` cells, as a terminal wraps it."""
    visible = plain(line)
    if len(visible) <= columns and visible.isascii():
        return [line]
    rows, used = [""], 0
    for found in _TOKEN.finditer(line):
        width = 0 if found["escape"] else _width(found[0])
        if width and used + width > max(columns, width):
            rows.append("")
            used = 0
        rows[-1] += found[0]
        used += width
    return rows


def _width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf", "Cc"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def plain(line: str) -> str:
    """``line`` without its escape sequences."""
    return "".join(found["char"] or "" for found in _TOKEN.finditer(line))


def holds(lines: tuple[str, ...], absent: tuple[str, ...], steady: tuple[str, ...]) -> bool:
    """True where no pattern of ``absent`` and each of ``steady`` matches a line."""
    # blanks only: a program's no-break space is part of its line, as tmux sees it
    text = [line.rstrip(" ") for line in lines]

    def seen(pattern: str) -> bool:
        return any(re.search(pattern, line) for line in text)

    return not any(map(seen, absent)) and all(map(seen, steady))


__all__ = [
    "holds",
    "is_husk",
    "parse_clients",
    "parse_commands",
    "parse_history",
    "parse_opened",
    "parse_panes",
    "parse_screen",
    "parse_version",
    "plain",
    "wrap",
]
