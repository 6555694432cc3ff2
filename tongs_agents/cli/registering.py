"""What `install` and `uninstall` share: the plan, its diff, and the one who carries it out."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tongs_agents.cli.reply import Line, Reply, Span

if TYPE_CHECKING:
    from tongs_agents.install.harnesses import Machine
    from tongs_agents.install.planning import Doing
    from tongs_agents.services import Services

AGENTS = ("claude", "codex", "pi", "all")

agent_option = click.option(
    "--agent", type=click.Choice(AGENTS), default="all", show_default=True,
    help="One harness, or all that are there.",
)  # fmt: skip

dry_run_option = click.option("--dry-run", is_flag=True, help="Only show what would change.")


def register(services: Services, agent: str, doing: Doing, *, dry_run: bool) -> Reply:
    """Plan, show the diff, and carry it out unless it is a dry run."""
    from tongs_agents.install.ledger import Ledger
    from tongs_agents.install.planning import carry_out, chosen, plan
    from tongs_agents.install.registration import diff

    there = machine(services)
    ledger = Ledger(services.places.installed)
    made = plan(chosen(agent, there, doing), there, ledger, doing)
    if not dry_run and made.changes:
        services.auditing()
        carry_out(made, ledger)
    changes = [{"path": str(each.path), "diff": diff(each)} for each in made.changes]
    lines = tuple(line for each in changes for line in map(_painted, each["diff"].splitlines()))
    if not changes:
        lines = (f"nothing to {doing}: everything is as it should be",)
    elif dry_run:
        lines = (*lines, "", "nothing was changed: this is a dry run")
    document = {"ok": True, "changes": changes}
    return Reply(document, lines, () if dry_run else made.notes)


def machine(services: Services) -> Machine:
    """This machine; each program is asked for its version once."""
    from tongs_agents.attaching import version_of
    from tongs_agents.install.harnesses import Machine

    version = cache(lambda name: version_of(name, name, services.environ))
    # the link that a virtual environment is, never what it points to
    return Machine(services.environ, services.home, Path(sys.executable), version)


def _painted(line: str) -> Line:
    if line.startswith(("+++", "---", "@@")):
        return (Span(line, "cyan"),)
    colour = {"+": "green", "-": "red"}.get(line[:1], "")
    return (Span(line, colour),)


__all__ = ["AGENTS", "agent_option", "dry_run_option", "machine", "register"]
