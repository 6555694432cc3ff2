"""What is said to tmux and what it says back: formats, conditions, parsing. Pure."""

from __future__ import annotations

import re

from tongs_mux.backend import Guard
from tongs_mux.errors import BackendOutputError
from tongs_mux.ids import is_pane_id
from tongs_mux.model import PaneFacts, Screen

SEPARATOR = "␞"
"""Between fields; tmux passes it through where a tab becomes ``_`` (A22)."""

_COMMAND, _TITLE = (
    f"s/\n|{SEPARATOR}/ /:{name}" for name in ("pane_current_command", "pane_title")
)
"""Without what ends a line or a field: a program may call itself what it likes."""

_FIELDS = (
    "pid",
    "pane_id",
    "pane_pid",
    "pane_dead",
    "pane_in_mode",
    "pane_synchronized",
    "pane_input_off",
    "pane_width",
    "pane_height",
    "cursor_x",
    "cursor_y",
    "window_id",
    "pane_mode",
    _COMMAND,
    _TITLE,
    "session_name",
)
PANE_FORMAT = SEPARATOR.join(f"#{{{name}}}" for name in _FIELDS)
"""Numbers first, so that no text can shift one; last the one text that must be as it is."""

SESSION_FORMAT = SEPARATOR.join(("#{session_id}", "#{session_name}"))

CLIENT_FORMAT = SEPARATOR.join(
    ("#{client_control_mode}", "#{client_activity}", "#{client_name}", "#{pane_id}")
)

_CLOSING = ("exit-unattached", "destroy-unattached")
CLOSING_FORMAT = SEPARATOR.join(f"#{{{name}}}" for name in _CLOSING)
"""The settings that close at once what is opened and not looked at."""

_PATTERN = re.compile(r"[^\x00-\x1f\x7f-\x9f,{}#:;'\"\\`]+\Z")
_QUOTABLE = re.compile(r"[^\x00-\x1f\x7f-\x9f']*")
_ESCAPES = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC: hyperlinks, since tmux 3.4
    r"|\x1b\[[0-9;:?]*[A-Za-z]"  # CSI: colours and attributes
    r"|[\x0e\x0f]"  # line drawing on and off
)


def parse_pane(line: str) -> tuple[int, PaneFacts] | None:
    """(server pid, pane) of one line in ``PANE_FORMAT``; None where no pane was found.

    tmux answers a missing target with empty fields and status 0, so the pane's
    own id decides (C2). Raises BackendOutputError on anything else.
    """
    parts = line.split(SEPARATOR, len(_FIELDS) - 1)
    if len(parts) != len(_FIELDS):
        raise BackendOutputError(f"tmux listed a pane in an unknown form: {line[:120]!r}")
    values = dict(zip(_FIELDS, parts, strict=True))
    if not is_pane_id("tmux", values["pane_id"]):
        return None
    try:
        return int(values["pid"]), _facts(values)
    except ValueError as error:
        raise BackendOutputError(f"tmux listed a pane in an unknown form: {error}") from error


def _facts(values: dict[str, str]) -> PaneFacts:
    return PaneFacts(
        pane_id=values["pane_id"],
        pid=int(values["pane_pid"]),
        session=values["session_name"],
        window=values["window_id"],
        dead=values["pane_dead"] not in ("", "0"),
        mode=values["pane_mode"] if values["pane_in_mode"] not in ("", "0") else "",
        synchronized=values["pane_synchronized"] not in ("", "0"),
        input_off=values["pane_input_off"] not in ("", "0"),
        command=values[_COMMAND],
        title=values[_TITLE],
        width=int(values["pane_width"]),
        height=int(values["pane_height"]),
        cursor=_cursor(values["cursor_x"], values["cursor_y"]),
    )


def _cursor(column: str, row: str) -> tuple[int, int] | None:
    return (int(column), int(row)) if column and row else None


def closing(line: str) -> str:
    """Which of the settings in ``CLOSING_FORMAT`` are on, as words; empty where none is."""
    values = zip(_CLOSING, line.split(SEPARATOR), strict=False)
    return " and ".join(f"`{name}`" for name, value in values if value not in ("", "0", "off"))


def plain(line: str) -> str:
    """``line`` without its escape sequences."""
    return _ESCAPES.sub("", line)


def parse_screen(lines: list[str]) -> Screen:
    """A screen out of ``capture-pane -e`` lines."""
    return Screen(lines=tuple(plain(line) for line in lines), styled=tuple(lines))


def same_pane(guard: Guard) -> list[str]:
    """Conditions that the target is still this pane, of this server, with this process."""
    conditions = [f"#{{==:#{{pane_id}},{guard.pane_id}}}", f"#{{==:#{{pid}},{guard.server.pid}}}"]
    if guard.pane_pid is not None:
        conditions.append(f"#{{==:#{{pane_pid}},{guard.pane_pid}}}")
    return conditions


def may_type(guard: Guard) -> list[str]:
    """``same_pane``, and alive, in no mode, taking keys alone, and the screen as it must be."""
    return [
        *same_pane(guard),
        "#{?pane_dead,0,1}",
        "#{?pane_in_mode,0,1}",
        "#{?pane_synchronized,0,1}",
        "#{?pane_input_off,0,1}",
        *(f"#{{?#{{C/r:{_checked(text)}}},0,1}}" for text in guard.absent),
        *(f"#{{?#{{C/r:{_checked(text)}}},1,0}}" for text in guard.steady),
        *_cursor_at(guard.cursor),
    ]


def _cursor_at(cell: tuple[int, int] | None) -> list[str]:
    if cell is None:
        return []
    return [f"#{{==:#{{cursor_x}},{cell[0]}}}", f"#{{==:#{{cursor_y}},{cell[1]}}}"]


def _checked(pattern: str) -> str:
    if not _PATTERN.match(pattern):
        raise ValueError(f"a screen pattern may not hold {pattern!r}: tmux would read it otherwise")
    return pattern


def all_of(conditions: list[str]) -> str:
    """One format that is true only where each of ``conditions`` says 1.

    Side by side: nested in each other, some twenty would be deeper than tmux reads.
    """
    return f"#{{==:{''.join(conditions)},{'1' * len(conditions)}}}"


def script(*words: str) -> bytes:
    """One command for ``source-file -``: what it says stands on no command line (A14).

    In single quotes nothing has a meaning, and of what they can't hold none is let in.
    """
    for word in words:
        if not _QUOTABLE.fullmatch(word):
            raise ValueError(f"a command may not hold {word!r}: tmux would read it otherwise")
    return (" ".join(f"'{word}'" for word in words) + "\n").encode("utf-8")


def argument(text: str) -> str:
    """``text`` as one tmux argument: a trailing ``;`` would end the command (A12)."""
    return text[:-1] + "\\;" if text.endswith(";") else text


def command(argv: tuple[str, ...]) -> tuple[str, ...]:
    """``argv`` as tmux executes it: it would hand a single word to a shell to be read."""
    return ("/bin/sh", "-c", 'exec "$0"', *argv) if len(argv) == 1 else argv


def literal(text: str) -> str:
    """``text`` where tmux would expand a format."""
    return text.replace("#", "##")


__all__ = [
    "CLIENT_FORMAT",
    "CLOSING_FORMAT",
    "PANE_FORMAT",
    "SEPARATOR",
    "SESSION_FORMAT",
    "all_of",
    "argument",
    "closing",
    "command",
    "literal",
    "may_type",
    "parse_pane",
    "parse_screen",
    "plain",
    "same_pane",
    "script",
]
