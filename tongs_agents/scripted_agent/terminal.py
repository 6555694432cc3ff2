"""The terminal: raw, on its alternate screen, asking for paste markers; given back as it was."""

from __future__ import annotations

import os
import termios
import tty
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

from tongs_agents.scripted_agent.screen import Frame, Row
from tongs_agents.scripted_agent.width import columns, one_line

_ENTER = "\x1b[?1049h\x1b[?7l\x1b[2J\x1b[H"
_LEAVE = "\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l"
_PASTE_MARKERS = "\x1b[?2004h"
_FALLBACK_SIZE = os.terminal_size((80, 24))


class Terminal:
    """A context: inside it the terminal is ours, after it what it was before."""

    def __init__(self, fd_in: int, fd_out: int) -> None:
        self.fd_in = fd_in
        self._fd_out = fd_out
        self._before: list[Any] | None = None
        self._painted: tuple[tuple[Row, ...], os.terminal_size] | None = None

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(self.fd_in)
        tty.setraw(self.fd_in, termios.TCSANOW)
        self._write(_ENTER)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._write(_LEAVE)
        if self._before is not None:
            with suppress(OSError, termios.error):
                termios.tcsetattr(self.fd_in, termios.TCSADRAIN, self._before)

    def ask_for_paste_markers(self) -> None:
        """From now on a paste arrives between markers."""
        self._write(_PASTE_MARKERS)

    def name(self, title: str) -> None:
        """Sets the terminal's title."""
        self._write(f"\x1b]2;{one_line(title)}\x07")

    def size(self) -> os.terminal_size:
        """Columns and lines as they are now."""
        try:
            size = os.get_terminal_size(self._fd_out)
        except OSError:
            return _FALLBACK_SIZE
        return size if size.columns > 0 and size.lines > 0 else _FALLBACK_SIZE

    def read(self, most: int) -> bytes:
        """What was typed; empty where the terminal is gone."""
        try:
            return os.read(self.fd_in, most)
        except OSError:
            return b""

    def paint(self, frame: Frame, size: os.terminal_size) -> None:
        """Makes the screen show ``frame``; rows that it shows already are left alone."""
        before = self._painted[0] if self._painted and self._painted[1] == size else None
        out = ["\x1b[?25l"]
        if before is None:
            out.append("\x1b[2J")
        for at, row in enumerate(frame.rows):
            if before is None or before[at] != row:
                rest = "\x1b[K" if columns(row.text) < size.columns else ""
                out.append(f"\x1b[{at + 1};1H{row.styled()}{rest}")
        if frame.cursor is not None:
            column, line = frame.cursor
            out.append(f"\x1b[{line + 1};{column + 1}H\x1b[?25h")
        self._painted = (frame.rows, size)
        self._write("".join(out))

    def _write(self, text: str) -> None:
        data = memoryview(text.encode("utf-8", "replace"))
        with suppress(OSError):
            while data:
                data = data[os.write(self._fd_out, data) :]


__all__ = ["Terminal"]
