"""Whether a harness is registered as `install` would do it now, so that nothing is attached."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from tongs_agents.errors import Refused
from tongs_agents.install.harnesses import INSTALLABLE, Machine
from tongs_agents.install.registration import Registered, uninstalling
from tongs_agents.install.replacing import current
from tongs_mux.errors import PlaceRefused


def is_registered(
    harness: str, environ: Mapping[str, str], home: Path, version: Callable[[], str]
) -> bool:
    """True where every file holds exactly what this environment registers.

    ``environ`` is the launch's own: its settings may lie elsewhere. False too
    where that can't be read. Nothing is asked of the program where there is
    nothing of ours.
    """
    if harness not in INSTALLABLE:
        return False
    machine = Machine(environ, home, Path(sys.executable), lambda _: version())
    with suppress(Refused, PlaceRefused, OSError):
        if any(state(file) == "none" for file in INSTALLABLE[harness].files(machine, "")):
            return False
        files = INSTALLABLE[harness].files(machine, version())
        return all(state(file) == "current" for file in files)
    return False


def state(file: Registered) -> str:
    """``none``, ``current`` or ``other``: what of ours stands in a file.

    Raises Refused, PlaceRefused, OSError.
    """
    now = current(file.path)
    if now is None or uninstalling(file, now, None).after == now:
        return "none"
    return "current" if file.holds(now.decode("utf-8")) else "other"


__all__ = ["is_registered", "state"]
