"""One program, run: what it is given and what it is not, whatever our own caller left open."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tongs_mux import bounded

_RUN = """
import json, os, sys
from tongs_mux import bounded
for number in json.loads(sys.argv[1]):
    os.close(number)
words = [sys.argv[3], "a", os.fsencode("b").decode(), json.loads(sys.argv[4])]
ended = bounded.run(words, environ=dict(os.environ), stdin=b"first", second=b"second", deadline=20)
with open(sys.argv[2], "w", encoding="utf-8") as answer:
    json.dump([ended.code, ended.out.decode(), ended.err.decode()], answer)
"""


def run(*argv: str, **more: bytes) -> bounded.Ended:
    settings = {"stdin": b"", **more}
    return bounded.run(argv, environ=dict(os.environ), deadline=20, **settings)


@pytest.fixture
def inherited(tmp_path: Path) -> Iterator[list[int]]:
    """Descriptors that our caller would have left us, low and high."""
    first = os.open(tmp_path / "lock", os.O_CREAT | os.O_RDWR)
    found = [os.dup(first) for _ in range(4)] + [os.dup2(first, 200)]
    for fd in found:
        os.set_inheritable(fd, True)
    yield found
    for fd in (first, *found):
        os.close(fd)


@pytest.mark.parametrize("second", [None, b"x"])
def test_what_our_caller_left_open_is_not_handed_on(inherited: list[int], second: bytes | None):
    more = {} if second is None else {"second": second}
    ended = run("sh", "-c", "for fd in /proc/$$/fd/*; do echo ${fd##*/}; done", **more)
    given = {int(number) for number in ended.out.decode().split()}
    # 3 is also what the shell itself reads the directory by
    assert {0, 1, 2} <= given
    assert not given & (set(inherited) - {3})


def test_the_second_input_is_read_whole_beside_the_first():
    large = os.urandom(300_000)
    ended = run("sh", "-c", f"cat {bounded.SECOND}; cat", stdin=b"first", second=large)
    assert ended.out == large + b"first"


def test_an_empty_second_input_is_an_empty_file():
    assert run("cat", bounded.SECOND, second=b"") == bounded.Ended(0, b"", b"")


@pytest.mark.parametrize("closed", [[0], [1], [2], [0, 1, 2]], ids=str)
def test_closed_standard_descriptors_mix_up_nothing(closed: list[int], tmp_path: Path):
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ncat; cat {bounded.SECOND}; echo said >&2\n", encoding="utf-8")
    program.chmod(0o755)
    assert _elsewhere(tmp_path, program, closed) == [0, "firstsecond", "said\n"]


@pytest.mark.case("A22")
def test_words_are_utf_8_in_any_locale(tmp_path: Path):
    program = tmp_path / "program"
    program.write_text('#!/bin/sh\nprintf %s "$3" "$4"\n', encoding="utf-8")
    program.chmod(0o755)
    bare = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert _elsewhere(tmp_path, program, [], word="\u241e ❯ 項", **bare)[1] == "\u241e ❯ 項"


def _elsewhere(
    directory: Path, program: Path, closed: list[int], word: str = "w", **environ: str
) -> list[object]:
    """The run's answer in a process of its own, with descriptors closed or another locale."""
    answer = directory / "answer"
    words = (json.dumps(closed), str(answer), str(program), json.dumps(word))
    argv = [sys.executable, "-c", _RUN, *words]
    subprocess.run(argv, check=True, timeout=60, env={**os.environ, **environ})
    found: list[object] = json.loads(answer.read_text(encoding="utf-8"))
    return found
