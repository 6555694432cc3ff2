"""``__all__`` is a promise: in order, and exactly the public names that a module defines."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module

import pytest

from tests.house.tree import dotted, parse, public_modules


def _names_bound(node: ast.stmt) -> Iterator[str]:
    """The names that one statement at the top of a module defines; imports define none."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            yield from (target.id for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return
        case ast.If(body=body, orelse=other) | ast.Try(body=body, orelse=other):
            for inner in (*body, *other):
                yield from _names_bound(inner)


def _names_imported(tree: ast.Module) -> set[str]:
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return {alias.asname or alias.name for node in imports for alias in node.names}


def _order(name: str) -> tuple[int, str]:
    """Constants, then classes, then the rest, each in plain order: ruff's RUF022 writes it so."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[0].isupper() else 2
    return kind, name


@pytest.mark.parametrize("name", public_modules())
def test_all_is_in_order_and_is_what_the_module_defines(name: str):
    tree = parse(name)
    defined = {bound for node in tree.body for bound in _names_bound(node) if bound[0] != "_"}
    exported = list(getattr(import_module(dotted(name)), "__all__", ()))
    assert exported == sorted(set(exported), key=_order)
    if name.endswith("__init__.py"):  # a package may pass on what its modules define
        assert defined <= set(exported) <= defined | _names_imported(tree)
    else:
        assert set(exported) == defined
