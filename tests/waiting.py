"""Waiting for a fact: the one place in the tests that sleeps."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def wait_for(fact: Callable[[], T], *, deadline: float = 10.0, what: str = "") -> T:
    """Ask ``fact`` every 10 ms until it is truthy, and return what it said.

    Raises:
        AssertionError: it stayed falsy for ``deadline`` seconds; names ``what``.
    """
    end = time.monotonic() + deadline
    while True:
        late = time.monotonic() >= end  # read first: a slow fact is asked once more at the end
        seen = fact()
        if seen:
            return seen
        if late:
            name = what or getattr(fact, "__name__", "the fact")
            raise AssertionError(f"waited {deadline:g} s for {name}; last seen: {seen!r}")
        time.sleep(0.01)
