"""Processes that use one chat file at once: ``python -m tests.chat.crowd PART PATH …``.

Each prints what it was told, one JSON value a line; what is no answer of ours ends it with
a traceback.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sys
import time
from pathlib import Path

from tests.chat.rig import NOW, agent, grant, maintainer
from tongs_chat import creation, cursors, messages, pruning, reading
from tongs_chat.errors import GrantError, NoStore, StoreBusy

OLD = 31 * 86400.0


def _say(value: object) -> None:
    os.write(1, json.dumps(value).encode() + b"\n")


def post(path: Path, launch: str, count: int) -> None:
    """Post so many messages, every third an old one; print each id once it is acknowledged."""
    with agent(path, launch) as database:
        for number in range(count):
            now = NOW + number * 3 - (OLD if number % 3 == 0 else 0)
            for _ in range(50):
                try:
                    done = messages.post(database, "general", f"{launch} {number} @a0", now=now)
                except StoreBusy:
                    continue  # says that nothing was written, and to try again
                except GrantError as error:
                    _say(error.reason)
                else:
                    _say(done.id)
                break


def read(path: Path, launch: str) -> None:
    """Read on, page by page, until killed; print the ids of each page."""
    while True:
        with contextlib.suppress(StoreBusy, GrantError, NoStore), agent(path, launch) as database:
            while True:
                reading.inbox(database)
                page = reading.page(database, "general", limit=7, mark_read=True)
                if page.mark is not None:
                    cursors.advance(database, page.mark)
                _say([it.id for it in page.messages])


def prune(path: Path) -> None:
    """Prune, again and again, until killed; print how many went."""
    with maintainer(path) as database:
        while True:
            with contextlib.suppress(StoreBusy):
                _say(pruning.prune(database, now=NOW).messages)


def purge(path: Path, launches: list[str]) -> None:
    """Purge and grant anew, again and again, until killed; print the time of each."""
    while True:
        with contextlib.suppress(StoreBusy):
            _say(creation.purge(path, before_commit=lambda _: None))
            for number, launch in enumerate(launches):
                grant(path, launch, f"a{number}")
        time.sleep(0.05)  # the others are to get something done, too


def die(path: Path, launch: str, times: int, seed: int) -> None:
    """Be killed so many times in the middle of posting; print what was acknowledged before."""
    chance = random.Random(seed)  # noqa: S311 - a moment, no secret
    for turn in range(times):
        out, into = os.pipe()
        child = os.fork()
        if child == 0:
            _post_until_killed(path, launch, turn, into)
        os.close(into)
        acknowledged = [os.read(out, 64) for _ in range(chance.randint(1, 4))]  # it is at it
        time.sleep(chance.random() * 0.008)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while data := os.read(out, 4096):
            acknowledged.append(data)
        os.close(out)
        *whole, _ = b"".join(acknowledged)[1:].split(b"\n")
        _say([int(it) for it in whole])


def _post_until_killed(path: Path, launch: str, turn: int, into: int) -> None:
    with agent(path, launch) as database:
        os.write(into, b"+")
        number = 0
        while True:
            now = NOW + turn * 10000 + number * 3
            done = messages.post(database, "general", f"{turn} {number} @a0", now=now)
            os.write(into, b"%d\n" % done.id)
            number += 1


def main(part: str, path: str, *words: str) -> None:
    """Play one part."""
    where = Path(path)
    if part == "post":
        post(where, words[0], int(words[1]))
    elif part == "read":
        read(where, words[0])
    elif part == "prune":
        prune(where)
    elif part == "purge":
        purge(where, list(words))
    else:
        die(where, words[0], int(words[1]), int(words[2]))


if __name__ == "__main__":
    main(*sys.argv[1:])
