"""From the bytes of a terminal to what was typed; the same however they were cut up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

PASTE_START = b"\x1b[200~"
PASTE_END = b"\x1b[201~"

_ESC = 0x1B

KeyName = Literal["enter", "newline", "backspace", "clear", "escape", "interrupt", "end"]
"""CR, LF, BS or DEL, Ctrl-U, a lone ESC, Ctrl-C, Ctrl-D."""

_CONTROLS: dict[int, KeyName] = {
    0x03: "interrupt",
    0x04: "end",
    0x08: "backspace",
    0x0A: "newline",
    0x0D: "enter",
    0x15: "clear",
    0x7F: "backspace",
}


@dataclass(frozen=True, slots=True)
class Char:
    """One character that was typed."""

    text: str


@dataclass(frozen=True, slots=True)
class Paste:
    """What stood between one pair of paste markers."""

    data: bytes

    @property
    def text(self) -> str:
        """As a composer takes it: every line end is an LF."""
        decoded = self.data.decode("utf-8", "replace")
        return decoded.replace("\r\n", "\n").replace("\r", "\n")


@dataclass(frozen=True, slots=True)
class Key:
    """A key that is no character."""

    name: KeyName


Event = Char | Paste | Key
"""What a person, or a multiplexer, did."""

_Found = tuple[Event | None, int]


class Parser:
    """Takes bytes as they come, gives events; holds back what is not complete yet."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._pasting = False

    def feed(self, data: bytes) -> list[Event]:
        """The events that ``data`` completes."""
        self._held += data
        events: list[Event] = []
        while self._held:
            found = self._pasted() if self._pasting else self._typed()
            if found is None:
                break
            event, used = found
            del self._held[:used]
            if event is not None:
                events.append(event)
        return events

    @property
    def undecided(self) -> bool:
        """True while a lone ESC is held: the key, or the start of a sequence."""
        return not self._pasting and self._held == b"\x1b"

    def flush(self) -> list[Event]:
        """Nothing followed a held ESC, so it was the key."""
        if not self.undecided:
            return []
        self._held.clear()
        return [Key("escape")]

    def _pasted(self) -> _Found | None:
        end = self._held.find(PASTE_END)
        if end < 0:
            return None
        self._pasting = False
        return Paste(bytes(self._held[:end])), end + len(PASTE_END)

    def _typed(self) -> _Found | None:
        first = self._held[0]
        if first == _ESC:
            return self._escaped()
        if first < 0x20 or first == 0x7F:
            name = _CONTROLS.get(first)
            return (Key(name) if name else None), 1
        return _character(self._held)

    def _escaped(self) -> _Found | None:
        if len(self._held) == 1:
            return None
        if self._held.startswith(PASTE_START):
            self._pasting = True
            return None, len(PASTE_START)
        if self._held[1] == ord("["):
            return _control_sequence(self._held)
        if self._held[1] == ord("O"):
            return (None, 3) if len(self._held) > 2 else None
        return Key("escape"), 1


def _control_sequence(data: bytearray) -> _Found | None:
    """Passes over one CSI sequence; a byte that cannot be part of it ends it early."""
    for position in range(2, len(data)):
        byte = data[position]
        if 0x40 <= byte <= 0x7E:
            return None, position + 1
        if not 0x20 <= byte <= 0x3F:
            return None, position
    return None


def _character(data: bytearray) -> _Found | None:
    """One UTF-8 character; U+FFFD for a byte that starts none."""
    size = _size_of(data[0])
    sequence = bytes(data[:size])
    if any(not 0x80 <= byte <= 0xBF for byte in sequence[1:]):
        return Char("\ufffd"), 1
    if len(sequence) < size:
        return None
    try:
        return Char(sequence.decode("utf-8")), size
    except UnicodeDecodeError:
        return Char("\ufffd"), 1


def _size_of(lead: int) -> int:
    if lead >= 0xF0:
        return 4
    if lead >= 0xE0:
        return 3
    return 2 if lead >= 0xC0 else 1


__all__ = ["PASTE_END", "PASTE_START", "Char", "Event", "Key", "KeyName", "Parser", "Paste"]
