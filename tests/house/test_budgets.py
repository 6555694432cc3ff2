"""Sizes and names that keep modules readable: one verb or one table a file."""

from __future__ import annotations

import ast

import pytest

from tests.house.tree import PACKAGES, ROOT, Function, functions, modules, parse

MODULE_LINES = 400
FUNCTION_LINES = 40
NAMES_THAT_SAY_NOTHING = {"common", "helpers", "manager", "utils"}
PRODUCT = modules(*PACKAGES, "scripts", "validation")


def _lines(function: Function) -> int:
    """Lines from ``def`` to the end, less the docstring."""
    total = (function.end_lineno or function.lineno) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is not None:
        total -= (first.end_lineno or first.lineno) - first.lineno + 1
    return total


@pytest.mark.parametrize("name", PRODUCT)
def test_a_module_fits_in_the_head(name: str):
    assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= MODULE_LINES


@pytest.mark.parametrize("name", PRODUCT)
def test_a_function_fits_on_a_screen(name: str):
    lengths = {function.name: _lines(function) for function in functions(parse(name))}
    assert {key: n for key, n in lengths.items() if n > FUNCTION_LINES} == {}


def test_a_modules_name_says_what_it_is():
    names = {name: name.rpartition("/")[2].removesuffix(".py") for name in modules(*PACKAGES)}
    parts = {name for name, last in names.items() if last.lstrip("_") in NAMES_THAT_SAY_NOTHING}
    folders = {
        name for name in names if NAMES_THAT_SAY_NOTHING & set(name.rpartition("/")[0].split("/"))
    }
    assert parts | folders == set()


def test_a_docstring_does_not_count_as_length():
    tree = ast.parse('def f():\n    """One.\n\n    Two.\n    """\n    return 1\n')
    assert [_lines(function) for function in functions(tree)] == [2]
