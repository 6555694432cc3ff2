"""What `install` and `uninstall` would change, made as one plan before anything is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from tongs_agents.errors import Unsupported
from tongs_agents.install.harnesses import INSTALLABLE, Installable, Machine
from tongs_agents.install.ledger import Entry, Ledger
from tongs_agents.install.registration import Registered, installing, remembered, uninstalling
from tongs_agents.install.replacing import Change, apply, current

Doing = Literal["install", "uninstall"]


@dataclass(frozen=True, slots=True)
class Plan:
    """The changes, in order, and what the ledger holds once they are made."""

    changes: tuple[Change, ...]
    """Those that change something."""
    entries: dict[str, Entry]
    notes: tuple[str, ...]


def chosen(agent: str, machine: Machine, doing: Doing) -> tuple[Installable, ...]:
    """The harnesses that ``agent`` means: one by name, or of ``all`` those that are there.

    Raises Unsupported where one that is named, or every one, is missing on PATH.
    To uninstall none has to be there.
    """
    if agent != "all":
        named = INSTALLABLE[agent]
        if doing == "install" and not machine.version(agent):
            raise Unsupported(
                f"`{agent} --version` gives no version",
                hint=f"install {agent}, or put it on PATH, then try again",
            )
        return (named,)
    if doing == "uninstall":
        return tuple(INSTALLABLE.values())
    found = tuple(each for each in INSTALLABLE.values() if machine.version(each.name))
    if not found:
        names = ", ".join(INSTALLABLE)
        raise Unsupported(f"none of {names} is on PATH", hint="install one of them, then try again")
    return found


def plan(harnesses: Iterable[Installable], machine: Machine, ledger: Ledger, doing: Doing) -> Plan:
    """Reads every file and decides; writes nothing. Raises Refused, PlaceRefused, OSError."""
    entries = dict(ledger.entries())
    changes: list[Change] = []
    notes: list[str] = []
    for harness in harnesses:
        before = len(changes)
        for file in harness.files(machine, machine.version(harness.name)):
            change = _change(file, entries, doing)
            if change.before != change.after:
                changes.append(change)
        if doing == "install" and len(changes) > before and harness.after:
            notes.append(f"{harness.name}: {harness.after}")
    return Plan(tuple(changes), entries, tuple(notes))


def _change(file: Registered, entries: dict[str, Entry], doing: Doing) -> Change:
    """One file's change; ``entries`` becomes what the ledger then holds."""
    name = str(file.path)
    known, now = entries.pop(name, None), current(file.path)
    if doing == "uninstall":
        return uninstalling(file, now, known)
    change = installing(file, now, known)
    kept = remembered(file, change, known)
    if kept is not None:
        entries[name] = kept
    return change


def carry_out(made: Plan, ledger: Ledger) -> None:
    """Make the changes, all or none, and write the ledger.

    Raises FileChanged, PlaceRefused, OSError.
    """
    apply(made.changes)
    if made.entries != ledger.entries():
        ledger.keep(made.entries)


__all__ = ["Doing", "Plan", "carry_out", "chosen", "plan"]
