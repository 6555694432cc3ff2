"""What a session knows: the number of its next tool call, and what tools have answered."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_NAMED = re.compile(r"\{\{([a-z_]+)\}\}")


@dataclass(frozen=True, slots=True)
class Known:
    """``{{name}}`` in an argument is the field of that name that a tool answered last."""

    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    fields: dict[str, Any] = field(default_factory=dict)

    def learn(self, content: Mapping[str, Any]) -> None:
        """Remember every field of a reply: those of objects in it too, of a list its first."""
        for name, value in content.items():
            inner = value[0] if isinstance(value, list) and value else value
            if isinstance(inner, Mapping):
                self.learn(inner)
            elif not isinstance(value, list):
                self.fields[name] = value

    def filled(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """``arguments`` with what is known put in; a name that isn't stays as it is."""
        return {name: self._filled(value) for name, value in arguments.items()}

    def _filled(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        whole = _NAMED.fullmatch(value)
        if whole is not None:
            return self.fields.get(whole[1], value)
        return _NAMED.sub(lambda found: str(self.fields.get(found[1], found[0])), value)


__all__ = ["Known"]
