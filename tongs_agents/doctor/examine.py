"""All checks, in the order in which one rests on another; the effects behind them."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tongs_agents.doctor import platform as ground
from tongs_agents.doctor import private, registered, settings
from tongs_agents.doctor.check import Check
from tongs_agents.errors import ConfigError
from tongs_mux import bounded
from tongs_mux.errors import PlaceRefused

if TYPE_CHECKING:
    from tongs_agents.install.harnesses import Machine
    from tongs_agents.services import Services

_SECONDS = 5.0


def examine(services: Services, machine: Machine) -> Iterator[Check]:
    """Every check of ``doctor``. Changes nothing."""
    environ = services.environ
    yield from ground.system(sys.platform, platform.python_version())
    yield ground.locale(environ)
    tmux, zellij = _said(services, "tmux", "-V"), _said(services, "zellij", "--version")
    yield from ground.multiplexers(tmux, zellij, _wanted(services))
    yield from settings.checks(
        services.places.config,
        lambda: services.config,
        settings.programs_of(environ.get("PATH")),
    )
    roots = (services.places.state_dir, services.places.runtime_dir)
    yield from private.places(roots, services.uid)
    yield private.store(
        services.places.chat_db, lambda: Path("/proc/mounts").read_text(encoding="utf-8")
    )
    try:
        yield from private.records(services.records()[1])
    except PlaceRefused as error:
        yield Check("launches", "fault", error.message, error.hint)
    yield from registered.harnesses(machine)


def _wanted(services: Services) -> str | None:
    try:
        return services.config.workspace.multiplexer
    except (ConfigError, PlaceRefused):
        return None


def _said(services: Services, program: str, option: str) -> str:
    try:
        ended = bounded.run(
            (program, option), environ=services.environ, stdin=b"", deadline=_SECONDS
        )
    except (bounded.DeadlinePassed, OSError):
        return ""
    return ended.out.decode("utf-8", "replace").strip() if ended.code == 0 else ""


__all__ = ["examine"]
