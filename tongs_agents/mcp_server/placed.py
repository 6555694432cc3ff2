"""Whether a server's places are those that its launch was started with (A86).

A harness's settings, a repository's too, can change what its servers get: other places
would show other sessions, and be tidied in the person's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from tongs_agents.errors import Refused
from tongs_agents.mcp_server.actor import named_in
from tongs_agents.paths import CONFIG, LAUNCH_PID, RUNTIME_DIR, STATE_DIR
from tongs_mux.model import Check
from tongs_mux.process import ancestors

if TYPE_CHECKING:
    from tongs_agents.paths import Places
    from tongs_agents.services import Services

_VARIABLES = {"config": CONFIG, "state_dir": STATE_DIR, "runtime_dir": RUNTIME_DIR}


def in_its_places(services: Services) -> None:
    """Raises Refused ``unknown-place`` where this server was handed other places than its launch.

    Only a server that says it belongs to a launch is asked; whether that is true
    is for the rules of the tools that need it.
    """
    if named_in(services.environ) is None:
        return
    processes = services.processes
    above = ((pid, processes.environ(pid)) for pid in ancestors(processes, services.pid))
    check = places_check(services.places, above)
    if check.passed is False:
        raise Refused(
            f"this server was given other places than its launch: {check.seen}",
            reason="unknown-place",
            checks=(check,),
            hint="remove the harness's setting that changes TONGS_AGENTS_* for its servers",
        )


def places_check(places: Places, above: Iterable[tuple[int, Mapping[str, str]]]) -> Check:
    """``places`` against what the nearest claimed process of ``above`` was started with. Pure.

    ``above`` are pid and first environment of each ancestor, the nearest first.
    """
    for pid, environ in above:
        if environ.get(LAUNCH_PID) != str(pid):
            continue
        for name, variable in _VARIABLES.items():
            ours, given = str(getattr(places, name)), environ.get(variable, "")
            if ours != given:
                return Check("places", False, f"{name} is {ours} here, it was given {given}")
        return Check("places", True, "as its launch was given them")
    return Check("places", None, "no launch is known above it")


__all__ = ["in_its_places", "places_check"]
