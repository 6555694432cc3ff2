"""A program for a pane: raw terminal, bracketed paste asked for, every byte that it reads logged.

Writes ``PANE.json`` (what it was started with) and ``PANE.log`` into the
directory that is its first argument, and then ``READY`` on its screen.
"""

from __future__ import annotations

import json
import os
import sys
import tty


def main(directory: str, words: list[str]) -> None:
    name = os.environ.get("TMUX_PANE") or "terminal_" + os.environ["ZELLIJ_PANE_ID"]
    tty.setraw(0)
    log = os.open(f"{directory}/{name}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with open(f"{directory}/{name}.tmp", "w", encoding="utf-8") as file:
        json.dump(
            {
                "pid": os.getpid(),
                "words": words,
                "cwd": os.getcwd(),
                "environment": dict(os.environ),
                "tty": os.ttyname(0),
            },
            file,
        )
    os.rename(f"{directory}/{name}.tmp", f"{directory}/{name}.json")
    os.write(1, b"\x1b[?2004hREADY")
    while data := os.read(0, 65536):
        os.write(log, data)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
