"""The errors are the trees that their modules draw, and each has a reason of the one table."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

import tongs_agents.errors
import tongs_chat.errors
import tongs_mux.errors
from tests.house.tree import dotted, public_modules
from tongs_agents.reasons import REASONS

TREES: dict[str, type[Exception]] = {
    "tongs_mux.errors": tongs_mux.errors.MuxError,
    "tongs_chat.errors": tongs_chat.errors.ChatError,
    "tongs_agents.errors": tongs_agents.errors.AgentsError,
}
BASES_ONLY = {
    tongs_mux.errors.MuxError,
    tongs_chat.errors.ChatError,
    tongs_agents.errors.AgentsError,
}
"""Never raised themselves."""

_DRAWN = re.compile(r" {4}(?P<branches>[│├└─ ]*)(?P<name>[A-Z]\w+)(?:  .*)?\Z")
_SLUG = re.compile(r"[a-z][a-z-]*[a-z]\Z")


def _all_below(base: type[Exception]) -> list[type[Exception]]:
    found = [base]
    for child in base.__subclasses__():
        found += _all_below(child)
    return found


def _drawn(docstring: str) -> dict[str, str | None]:
    """Each class of a docstring's tree and the class that it is drawn below."""
    parents: dict[str, str | None] = {}
    path: list[str] = []
    for line in docstring.splitlines():
        if match := _DRAWN.match(line):
            depth = len(match["branches"]) // 4
            path[depth:] = [match["name"]]
            parents[match["name"]] = path[depth - 1] if depth else None
    return parents


@pytest.mark.parametrize("module", TREES)
def test_the_docstring_draws_the_tree_as_it_is(module: str):
    base = TREES[module]
    real = {
        error.__name__: None if error is base else error.__bases__[0].__name__
        for error in _all_below(base)
        if error.__module__ == module
    }
    assert _drawn(import_module(module).__doc__ or "") == real


def test_no_error_hides_in_another_module():
    for name in public_modules():
        import_module(dotted(name))
    strays = {
        f"{error.__module__}.{error.__name__}"
        for base in TREES.values()
        for error in _all_below(base)
        if error.__module__ not in TREES
    }
    assert strays == set()


@pytest.mark.parametrize(
    "error",
    [error for base in TREES.values() for error in _all_below(base) if error not in BASES_ONLY],
    ids=lambda error: error.__name__,
)
def test_each_error_has_a_reason_that_the_table_explains(error: type[Exception]):
    reason = getattr(error, "reason", "")
    assert _SLUG.match(reason)
    assert reason in REASONS
