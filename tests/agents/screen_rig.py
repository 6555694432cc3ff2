"""Screens of real programs, as ``python -m validation.screens`` took them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from tongs_mux.backends.tmux_format import parse_screen
from tongs_mux.model import PaneFacts, Screen

SCREENS = Path(__file__).with_name("screens")


def names(harness: str) -> set[str]:
    """Every screen that was taken of a harness."""
    return {path.stem for path in (SCREENS / harness).glob("*.txt")}


def taken(harness: str, name: str) -> tuple[Screen, PaneFacts]:
    """One of them as the multiplexer gives it."""
    file = SCREENS / harness / f"{name}.txt"
    head, *styled = file.read_text(encoding="utf-8").splitlines()
    found = re.fullmatch(r"cursor (-?\d+),(-?\d+) size (\d+)x(\d+) title (.*)", head)
    assert found is not None
    column, row, width, height = map(int, found.groups()[:4])
    return parse_screen(styled), pane(width, height, (column, row), found[5])


def pane(width: int, height: int, cursor: tuple[int, int] | None, title: str = "") -> PaneFacts:
    """The facts of a pane that has these."""
    return PaneFacts(
        pane_id="%0",
        pid=1,
        session="s",
        window="@0",
        dead=False,
        mode="",
        synchronized=False,
        command="node",
        title=title,
        width=width,
        height=height,
        cursor=cursor,
    )


def matching(patterns: tuple[str, ...], screen: Screen) -> list[str]:
    """Those of ``patterns`` that a line of the screen matches."""
    lines = [line.rstrip(" ") for line in screen.lines]
    return [each for each in patterns if any(re.search(each, line) for line in lines)]


def below(screen: Screen, facts: PaneFacts, more: tuple[str, ...]) -> tuple[Screen, PaneFacts]:
    """The same screen with ``more`` lines above it."""
    column, row = facts.cursor or (0, 0)
    moved = replace(facts, height=facts.height + len(more), cursor=(column, row + len(more)))
    return Screen(more + screen.lines, more + screen.styled), moved
