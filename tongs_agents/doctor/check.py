"""One check's answer, as `doctor` and `config check` give it."""

from __future__ import annotations

from typing import Literal, NamedTuple

Level = Literal["ok", "warning", "fault"]
"""A fault is something that does not work; a warning something that may surprise."""


class Check(NamedTuple):
    """What was looked at, what was seen, and what to do where it is not well."""

    name: str
    level: Level
    text: str
    remedy: str = ""

    def to_json(self) -> dict[str, str]:
        """As interface.md has it."""
        return self._asdict()


__all__ = ["Check", "Level"]
