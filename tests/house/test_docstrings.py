"""Every public name of the packages says what it means."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.house.tree import PACKAGES, Definition, Function, modules, parse


def _is_public(node: Definition) -> bool:
    return not node.name.startswith("_")


def _is_said_elsewhere(node: Definition) -> bool:
    """A setter or an overload: the property or the function itself says it."""
    words = [ast.unparse(decorator) for decorator in node.decorator_list]
    return any(word.endswith((".setter", ".deleter", "overload")) for word in words)


def _public(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, Definition]]:
    for node in body:
        if isinstance(node, Function | ast.ClassDef) and _is_public(node):
            if not _is_said_elsewhere(node):
                yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from _public(node.body, f"{prefix}{node.name}.")


@pytest.mark.parametrize("name", modules(*PACKAGES, "scripts"))
def test_every_public_name_has_a_docstring(name: str):
    tree = parse(name)
    if not tree.body:  # an empty __init__ only makes a folder a package
        return
    silent = [label for label, node in _public(tree.body) if not ast.get_docstring(node)]
    assert ast.get_docstring(tree), "the module has none"
    assert silent == []
