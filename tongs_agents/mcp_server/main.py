"""``python -m tongs_agents.mcp_server --from installed|attached``: the registered command."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tongs_agents.hooks.command import Source
from tongs_agents.mcp_server.descriptors import claim, complain

if TYPE_CHECKING:
    from tongs_agents.mcp_server.descriptors import Descriptors

_USAGE = "usage: python -m tongs_agents.mcp_server [--from installed|attached]"


def main(argv: Sequence[str]) -> int:
    """Serve one client; returns the exit code."""
    source = _source(argv)
    if source is None:
        complain(_USAGE)
        return 1
    return run(source)


def run(source: Source) -> int:
    """Serve one client on this process's standard input and output; returns the exit code."""
    try:
        # before anything else is imported: what that prints must not reach the client
        descriptors = claim()
    except OSError as error:
        complain(f"no standard input or output: {error.strerror}")
        return 1
    return _serve(descriptors, source)


def _serve(descriptors: Descriptors, source: Source) -> int:
    # here: the SDK is nearly all that this process costs
    import asyncio

    from tongs_agents.mcp_server.assembly import assembled
    from tongs_agents.mcp_server.serve import serve
    from tongs_agents.services import Services

    made = assembled(Services.of_process(), source)
    return asyncio.run(serve(descriptors, made.families, made.denied))


def _source(argv: Sequence[str]) -> Source | None:
    """What the arguments say, None where they are wrong."""
    match list(argv):
        case [] | ["--from", "installed"] | ["--from=installed"]:
            return "installed"
        case ["--from", "attached"] | ["--from=attached"]:
            return "attached"
    return None


__all__ = ["main", "run"]
