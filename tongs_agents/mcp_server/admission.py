"""What comes before an ``agents_*`` call does anything: config, caller, target, in this order.

Everything is read anew at every call, so that what a person switches off is off (6.7).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tongs_agents.cli.target import resolve
from tongs_agents.errors import ConfigError, Refused
from tongs_agents.mcp_server import rules
from tongs_agents.mcp_server.caller import caller_of
from tongs_agents.mcp_server.slots import Below
from tongs_mux.errors import MuxError
from tongs_mux.ids import is_launch_id
from tongs_mux.process import alive
from tongs_mux.verify import CLAIM_GRACE

if TYPE_CHECKING:
    from tongs_agents.config import Config, Control
    from tongs_agents.mcp_server.caller import Caller
    from tongs_agents.services import Services
    from tongs_mux.model import LaunchRecord


@dataclass(frozen=True, slots=True)
class Admitted:
    """A caller who may call, and the settings of this moment."""

    config: Config
    caller: Caller

    @property
    def control(self) -> Control:
        """The settings of agent control."""
        return self.config.control


def admitted(services: Services) -> Admitted:
    """The caller. Raises Refused: switched off, rule 1, or rule 2 for the caller."""
    try:
        config = services.config
    except ConfigError as error:
        raise Refused(
            f"the config can't be used: {error.message}", reason="disabled", hint=error.hint
        ) from error
    rules.switched_on(config.control)
    caller = caller_of(services)
    rules.opted_in(config.profiles, caller.record, "the caller")
    return Admitted(config, caller)


def targeted(services: Services, given: str, by: Admitted) -> LaunchRecord:
    """The launch that is meant. Raises Refused: rules 2 to 4; LaunchNotFound, LaunchAmbiguous."""
    record = resolve(services, given)
    rules.opted_in(by.config.profiles, record, "the target")
    rules.somebody_else(by.caller.record, record)
    rules.owned(by.control, by.caller.record, record)
    return record


def aimed_at(services: Services, given: str) -> str | None:
    """The launch id that the audit names for ``given``, before anything is decided of it."""
    with suppress(MuxError):
        return resolve(services, given).launch_id
    return given if is_launch_id(given) else None


def below(services: Services, root: str) -> Below:
    """The launches below a root. Asks no multiplexer: it is done under a lock."""
    records = [
        record
        for record in services.store.all()
        if record.labels.get(rules.ROOT) == root and record.start_error is None
    ]
    living = (record.launch_id for record in records if _may_live(services, record))
    return Below(frozenset(it.launch_id for it in records), frozenset(living))


def _may_live(services: Services, record: LaunchRecord) -> bool:
    if record.claim is None:
        return services.clock() - record.created_at <= CLAIM_GRACE
    return alive(services.processes, record.claim.process)


__all__ = ["Admitted", "admitted", "aimed_at", "below", "targeted"]
