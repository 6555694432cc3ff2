"""Pages for people as the tests read them: their blocks, and lines without what differs."""

from __future__ import annotations

import re

from tests.house.tree import ROOT

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_DIFFERS = (
    (re.compile(r"\b[0-9a-f]{12}\b"), "ID"),
    (re.compile(r"\(\d+\.\d s\)"), "(S s)"),
    (re.compile(r"-S \S+"), "-S SOCKET"),
)


def page(name: str) -> str:
    """The text of a page, by its path from the root."""
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str, language: str) -> list[str]:
    """The fenced blocks of this language on a page, in order."""
    return [text for kind, text in _BLOCK.findall(page(name)) if kind == language]


def alike(text: str) -> list[str]:
    """The lines of ``text``, with ids, times and sockets the same everywhere."""
    for pattern, word in _DIFFERS:
        text = pattern.sub(word, text)
    return [line.rstrip() for line in text.splitlines()]
