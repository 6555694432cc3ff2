"""Checks of each harness: its version, and whether what was registered still is what runs."""

from __future__ import annotations

from collections.abc import Iterator

from tongs_agents.doctor.check import Check
from tongs_agents.errors import Refused
from tongs_agents.install.harnesses import INSTALLABLE, Installable, Machine
from tongs_agents.install.standing import state
from tongs_mux.errors import PlaceRefused


def harnesses(machine: Machine) -> Iterator[Check]:
    """Every harness that there is, with its registration."""
    for harness in INSTALLABLE.values():
        said = machine.version(harness.name)
        if said:
            yield Check(harness.name, "ok", said)
        else:
            yield Check(harness.name, "ok", f"{harness.name} is not on PATH")
        yield from _registration(harness, machine, said)


def _registration(harness: Installable, machine: Machine, said: str) -> Iterator[Check]:
    name = f"{harness.name} registration"
    again = f"`tongs-agents install --agent {harness.name}`"
    found: list[str] = []
    for file in harness.files(machine, said):
        try:
            found.append(state(file))
        except (Refused, PlaceRefused) as error:
            yield Check(name, "fault", error.message, "mend that file")
            return
        except OSError as error:
            yield Check(name, "fault", f"{file.path}: {error.strerror}", "make it readable")
            return
    if set(found) == {"none"}:
        text = "not registered: launches are attached, other sessions stay unseen"
        yield Check(name, "ok", text)
    elif not said:
        text = "registered, but the program is not on PATH"
        remedy = f"`tongs-agents uninstall --agent {harness.name}`, or put it on PATH"
        yield Check(name, "warning", text, remedy)
    elif set(found) == {"current"}:
        yield Check(name, "ok", "hooks and MCP server are registered")
        yield from harness.trust(machine)
    else:
        text = "what is registered is not what this environment would register: it moved, or parts"
        yield Check(name, "fault", f"{text} are missing", f"run {again} again")


__all__ = ["harnesses"]
