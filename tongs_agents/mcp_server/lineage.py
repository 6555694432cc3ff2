"""What lies between a server and the claimed process: nothing that could speak for another (A87).

A shell there means that the agent started the server itself, past its harness's own
questions; another harness means that it is another agent's server.
"""

from __future__ import annotations

from dataclasses import dataclass

from tongs_agents.harness.programs import Program, program_of
from tongs_mux.guards import is_shell
from tongs_mux.model import Check
from tongs_mux.process import Processes, ancestors
from tongs_mux.shells import shell_of


@dataclass(frozen=True, slots=True)
class Ancestor:
    """One process above the server. ``shell`` names the shell that it is, whatever its name."""

    pid: int
    name: str
    shell: str
    program: Program


@dataclass(frozen=True, slots=True)
class Lineage:
    """The processes above a server, the nearest first, up to the claimed one.

    ``claimed`` is None where that is not among them.
    """

    between: tuple[Ancestor, ...]
    claimed: Ancestor | None


def lineage(processes: Processes, pid: int, claimed: int) -> Lineage:
    """Everything above process ``pid``, up to ``claimed``."""
    between: list[Ancestor] = []
    for each in ancestors(processes, pid):
        found = _ancestor(processes, each)
        if each == claimed:
            return Lineage(tuple(between), found)
        between.append(found)
    return Lineage(tuple(between), None)


def _ancestor(processes: Processes, pid: int) -> Ancestor:
    facts = processes.facts(pid)
    if facts is None:
        return Ancestor(pid, "", "", Program(""))
    shell = facts.name.lstrip("-") if is_shell(facts.name) else shell_of(processes.program(pid))
    return Ancestor(pid, facts.name, shell, program_of(processes, facts))


def lineage_checks(found: Lineage, *, wrapper: bool) -> tuple[Check, ...]:
    """``below`` the claimed process, and ``between`` them nothing that is not allowed. Pure.

    Below a declared wrapper lies exactly one harness, and shells only above that.
    """
    if found.claimed is None:
        return (Check("below", False, "this server is not below the claimed process"),)
    below = Check("below", True, f"below pid {found.claimed.pid}")
    trouble = _below_wrapper(found) if wrapper else _below_harness(found, found.claimed)
    return below, Check("between", not trouble, trouble or "nothing that could speak for another")


def _below_harness(found: Lineage, claimed: Ancestor) -> str:
    chain = found.between
    if chain and _is_launched_by(chain[-1], claimed):
        chain = chain[:-1]
    for each in chain:
        if each.shell:
            return f"the shell {each.shell} (pid {each.pid})"
        if each.program.harness:
            return f"another harness, {each.program.harness} (pid {each.pid})"
    return _shared(found)


def _below_wrapper(found: Lineage) -> str:
    """The nearest harness, its launcher perhaps, and whatever the wrapper needs above it."""
    harness = next((at for at, it in enumerate(found.between) if it.program.harness), None)
    if harness is None:
        return "no harness that is known, below the declared wrapper"
    shell = next((it for it in found.between[:harness] if it.shell), None)
    if shell is not None:
        return f"the shell {shell.shell} (pid {shell.pid})"
    above = found.between[harness + 1 :]
    if above and _is_launched_by(found.between[harness], above[0]):
        above = above[1:]
    other = next((it for it in above if it.program.harness), None)
    if other is not None:
        return f"another harness, {other.program.harness} (pid {other.pid})"
    return _shared(found)


def _is_launched_by(inner: Ancestor, outer: Ancestor) -> bool:
    """True where ``outer`` is only the script that starts the harness's own program ``inner``."""
    kind, starter = inner.program, outer.program
    same = bool(kind.harness) and kind.harness == starter.harness
    return same and starter.launched and not kind.launched


def _shared(found: Lineage) -> str:
    """A server that several sessions share is nobody's own (A71)."""
    server = next((it for it in found.between if it.program.serves), None)
    return "" if server is None else f"a server that sessions share (pid {server.pid})"


__all__ = ["Ancestor", "Lineage", "lineage", "lineage_checks"]
