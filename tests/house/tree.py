"""The repository as the house tests read it: tracked files, modules, their syntax trees."""

from __future__ import annotations

import ast
import os
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("tongs_mux", "tongs_chat", "tongs_agents")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = Function | ast.ClassDef


@cache
def files() -> list[str]:
    """Every file that belongs to the repository, tracked or about to be, relative to its root."""
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "-co", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    names = {name for name in listing.stdout.split("\0") if name}
    return sorted(name for name in names if (ROOT / name).is_file())


def modules(*folders: str) -> list[str]:
    """The Python files below ``folders``, relative to the root."""
    return [
        name
        for name in files()
        if name.endswith(".py") and name.startswith(tuple(folder + "/" for folder in folders))
    ]


def public_modules() -> list[str]:
    """The packages' modules without a leading underscore anywhere in their path."""
    return [
        name
        for name in modules(*PACKAGES)
        if not any(part.startswith("_") for part in dotted(name).split("."))
    ]


def dotted(name: str) -> str:
    """A module's file as an import names it."""
    return name.removesuffix(".py").removesuffix("/__init__").replace(os.sep, ".")


def parse(name: str) -> ast.Module:
    """The syntax tree of a file of the repository."""
    return ast.parse((ROOT / name).read_text(encoding="utf-8"), filename=name)


def functions(tree: ast.Module) -> Iterator[Function]:
    """Every function and method, nested ones too."""
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield node
