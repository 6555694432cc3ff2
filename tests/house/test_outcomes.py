"""No error of ours is left to the catch-all: each has its own row in the one map."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from tests.house.tree import dotted, public_modules
from tongs_agents.errors import AgentsError
from tongs_agents.outcomes import RULES
from tongs_chat.errors import ChatError
from tongs_mux.errors import MuxError


def _all_below(base: type[BaseException]) -> Iterator[type[BaseException]]:
    yield base
    for child in base.__subclasses__():
        yield from _all_below(child)


def _without_a_row(*bases: type[BaseException]) -> set[str]:
    """Errors that the packages define (a test's own do not count) and the map leaves out."""
    return {
        error.__name__
        for base in bases
        for error in _all_below(base)
        if error not in RULES and error.__module__.startswith("tongs_")
    }


def test_every_error_of_ours_has_a_row() -> None:
    for name in public_modules():
        import_module(dotted(name))
    assert _without_a_row(MuxError, ChatError, AgentsError) == set()


def test_a_forgotten_error_is_found() -> None:
    # No subclass of ours: other tests walk those, and it would live until it is collected.
    forgotten = type("Forgotten", (Exception,), {"__module__": "tongs_mux.errors"})
    assert _without_a_row(forgotten) == {"Forgotten"}
