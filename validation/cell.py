"""One cell of the matrix: something promised, shown with one harness on one multiplexer."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass

from validation import cells
from validation.stage import Stage


@dataclass(frozen=True, slots=True)
class Cell:
    """``shows`` are the requirements and cases that it proves; ``run`` raises NotHeld."""

    name: str
    promise: str
    shows: tuple[str, ...]
    run: Callable[[Stage], None]
    harnesses: tuple[str, ...] = ("claude", "codex", "pi")
    multiplexers: tuple[str, ...] = ("tmux", "zellij")


def all_cells() -> list[Cell]:
    """Every module of ``validation/cells`` that has a ``CELL``, by name."""
    names = [module.name for module in pkgutil.iter_modules(cells.__path__)]
    modules = [importlib.import_module(f"{cells.__name__}.{name}") for name in sorted(names)]
    return sorted((module.CELL for module in modules), key=lambda cell: cell.name)


__all__ = ["Cell", "all_cells"]
