"""Which tools this server has: by where it comes from, and by what the config allows."""

from __future__ import annotations

from typing import NamedTuple

from tongs_agents.errors import ConfigError
from tongs_agents.hooks.command import Source
from tongs_agents.mcp_server import fleet
from tongs_agents.mcp_server.actor import actor_of, named_in
from tongs_agents.mcp_server.names import CHAT, PEERS
from tongs_agents.mcp_server.server import Denied
from tongs_agents.mcp_server.tool import Family, Tool
from tongs_agents.paths import ATTACHED
from tongs_agents.services import Services, judge
from tongs_mux.acts import refusals
from tongs_mux.errors import MuxError


class Assembly(NamedTuple):
    """What the server is given."""

    families: tuple[Family, ...]
    denied: Denied


def assembled(services: Services, source: Source) -> Assembly:
    """The families of this process; none where its launch was given a server of its own (A72)."""
    if source == "installed" and services.environ.get(ATTACHED) == "yes":
        return Assembly((), _denied(services))
    families = [fleet.family(services)]
    if is_switched_on(services):
        from tongs_agents.mcp_server import agents  # here: mostly it is switched off

        families.append(agents.family(services))
    if named_in(services.environ) is not None:
        from tongs_agents.mcp_server import chat  # here: outside of any launch there is none

        families.append(chat.family(services))
    return Assembly(tuple(families), _denied(services))


def is_switched_on(services: Services) -> bool:
    """Whether agents may control agents, asked once, at the start; no where it can't be read (6.6).

    A call asks again: what is switched off meanwhile refuses.
    """
    try:
        return services.config.control.mcp_enabled
    except (ConfigError, MuxError):
        return False


def _denied(services: Services) -> Denied:
    def denied(tool: Tool, error: BaseException) -> None:
        """Audits a call whose arguments were wrong (6.30, 3.6)."""
        if tool.name in (*CHAT, *PEERS):
            from tongs_agents.chat.audit import audit_of
            from tongs_agents.mcp_server.chat import event_of

            with audit_of(services).refusals(event_of(services, tool.action)):
                raise error
        by = actor_of(services.environ)
        with refusals(services.auditing(), judge, tool.action, by):
            raise error

    return denied


__all__ = ["Assembly", "assembled", "is_switched_on"]
