"""The seam for one vendor's wire: how a request reads, and how a reply is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from validation.model.script import Reply, Request

Frames = Iterator[tuple[float, str]]
"""Server-sent events as they go out, each with the seconds to wait after it."""


class Dialect(Protocol):
    """One API. ``path`` is how its address ends; ``name`` names its log files."""

    name: str
    path: str

    def read(self, body: Mapping[str, Any]) -> Request:
        """What this request asks."""
        ...

    def plain(self, number: int, body: Mapping[str, Any], reply: Reply) -> Mapping[str, Any]:
        """The whole answer as one JSON document."""
        ...

    def stream(self, number: int, body: Mapping[str, Any], reply: Reply) -> Frames:
        """The answer as server-sent events."""
        ...

    def failure(self, reply: Reply) -> Mapping[str, Any]:
        """The body of an answer whose status is no 200."""
        ...


__all__ = ["Dialect", "Frames"]
