"""The text of a send stands on no command line, where every user of the machine reads it (A14)."""

from __future__ import annotations

import shlex
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.stories.rig import Rig, pasted

WORD = "hunter2-hunter2"
TEXTS = {
    "a word": f"my password is {WORD}",
    "many rows": "\n".join(f"{number} {WORD} {'x' * 160}" for number in range(6)),
    "many short rows": "\n".join(f"{number} {WORD}" for number in range(36)),
}


@contextmanager
def watched(found: set[bytes]) -> Iterator[None]:
    """Inside, every command line of the machine is read again and again, as `ps` does."""
    over = threading.Event()

    def poll() -> None:
        while not over.is_set():
            for path in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    line = path.read_bytes()
                except OSError:
                    continue
                if WORD.encode() in line:
                    found.add(line)

    thread = threading.Thread(target=poll)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.case("A14")
@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_a_send_is_on_no_command_line(rig: Rig, tmp_path: Path, text: str):
    log = tmp_path / "calls"
    real = shlex.quote(shutil.which("tmux") or "")
    spy = tmp_path / "tmux"
    spy.write_text(f'#!/bin/sh\nprintf "%s\\0" "$@" >>{log}\nexec {real} "$@"\n', encoding="utf-8")
    spy.chmod(0o755)
    agent = rig.start()
    found: set[bytes] = set()
    with watched(found):
        agent.send(text, rig.hasty(5.0, str(spy)))
    agent.journal.wait_typed(pasted(text))
    said = log.read_bytes()
    assert b"source-file" in said
    assert WORD.encode() not in said
    assert found == set()
