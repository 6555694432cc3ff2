"""RAW: sets its terminal raw, asks for bracketed paste, and logs every byte that it reads.

Its journal has the scripted agent's form: one JSON line a fact, with ``event``:
``start`` (environ, pid), ``ready`` (the terminal knows that paste markers are
wanted), ``bytes`` (hex, of every read) and ``submit`` (hex, by an Enter outside
markers). It draws no composer: nothing can be read on its screen.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
import tty

START, END, ENTER = b"\x1b[200~", b"\x1b[201~", b"\r"
ASK, ANSWER = b"\x1b[5n", b"\x1b[0n"


class Journal:
    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, event: str, **fields: object) -> None:
        fact = {"t": time.monotonic(), "event": event, "pid": os.getpid(), **fields}
        os.write(self._fd, json.dumps(fact).encode("ascii") + b"\n")


class Composer:
    """What was typed and pasted since the last Enter that submitted."""

    def __init__(self, journal: Journal, newline_within: float) -> None:
        self._journal = journal
        self._newline_within = newline_within
        self._held = b""
        self._text = b""
        self._last = float("-inf")

    def take(self, data: bytes) -> None:
        now = time.monotonic()
        self._held += data
        while self._held:
            if self._held.startswith(START):
                if END not in self._held:
                    return
                pasted, _, self._held = self._held[len(START) :].partition(END)
                self._text += pasted
            elif START.startswith(self._held):
                return
            elif self._held.startswith(ENTER):
                self._held = self._held[1:]
                self._entered(quick=now - self._last < self._newline_within)
                continue
            else:
                self._text += self._held[:1]
                self._held = self._held[1:]
            self._last = now

    def _entered(self, *, quick: bool) -> None:
        if quick:
            self._text += b"\n"
        else:
            self._journal.write("submit", hex=self._text.hex())
            self._text = b""


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--log", required=True)
    parser.add_argument("--newline-within", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--discard", type=float, default=0.0, metavar="SECONDS")
    parser.add_argument("--chunk", type=int, default=65536)
    parser.add_argument("--no-markers", action="store_true")
    parser.add_argument("--stubborn", action="store_true", help="ignore SIGHUP and SIGTERM")
    parser.add_argument("--show", default="", help="put this on the screen")
    return parser.parse_args(argv)


def _read(most: int) -> bytes:
    try:
        return os.read(0, most)
    except OSError:
        return b""


def _await_terminal(journal: Journal) -> None:
    """The answer to a question comes after everything that was said before it."""
    os.write(1, ASK)
    read = b""
    while ANSWER not in read:
        read += os.read(0, 65536)
    if typed := read.replace(ANSWER, b"", 1):
        journal.write("bytes", hex=typed.hex())


def main(argv: list[str]) -> int:
    options = _options(argv)
    if options.stubborn:
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
    journal = Journal(options.log)
    journal.write("start", environ=dict(os.environ), cwd=os.getcwd())
    tty.setraw(0)
    os.write(1, options.show.encode() + b"RAW\r\n")
    if not options.no_markers:
        os.write(1, b"\x1b[?2004h")
    deaf_until = time.monotonic() + options.discard
    if not options.discard:
        _await_terminal(journal)
    journal.write("ready")
    composer = Composer(journal, options.newline_within)
    while data := _read(options.chunk):
        if time.monotonic() < deaf_until:
            journal.write("bytes", hex=data.hex(), discarded=True)
            continue
        journal.write("bytes", hex=data.hex())
        composer.take(data)
    while options.stubborn:
        signal.pause()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
