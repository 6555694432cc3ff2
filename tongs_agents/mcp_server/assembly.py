"""Which tools this server has: by where it comes from, and by what the config allows."""

from __future__ import annotations

from typing import NamedTuple

from tongs_agents.hooks.command import Source
from tongs_agents.mcp_server import fleet
from tongs_agents.mcp_server.actor import actor_of
from tongs_agents.mcp_server.server import Denied
from tongs_agents.mcp_server.tool import Family, Tool
from tongs_agents.paths import ATTACHED
from tongs_agents.services import Services, judge
from tongs_mux.acts import refusals


class Assembly(NamedTuple):
    """What the server is given."""

    families: tuple[Family, ...]
    denied: Denied


def assembled(services: Services, source: Source) -> Assembly:
    """The families of this process; none where its launch was given a server of its own (A72)."""
    if source == "installed" and services.environ.get(ATTACHED) == "yes":
        return Assembly((), _denied(services))
    return Assembly((fleet.family(services),), _denied(services))


def _denied(services: Services) -> Denied:
    def denied(tool: Tool, error: BaseException) -> None:
        """Audits a call whose arguments were wrong (6.30)."""
        by = actor_of(services.environ)
        with refusals(services.auditing(), judge, tool.action, by):
            raise error

    return denied


__all__ = ["Assembly", "assembled"]
