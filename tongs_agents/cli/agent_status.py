"""``agent-status``: state and status of one launch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tongs_agents.cli.reply import Line, Reply, Span
from tongs_agents.cli.target import ended, name_of, resolve
from tongs_agents.cli.verb import App, Verb

if TYPE_CHECKING:
    from tongs_mux.model import Check, Fact

_MARKS = {True: Span("ok", "green"), False: Span("no", "red"), None: Span("??", "yellow")}


@click.command(
    "agent-status", cls=Verb, inside="own-launch", example="tongs-agents agent-status 3f2a --why"
)
@click.argument("launch")
@click.option("--why", is_flag=True, help="List the evidence, check by check.")
@click.pass_obj
def verb(app: App, launch: str, why: bool) -> Reply:
    """Show the state of LAUNCH, and what it is doing.

    Exit code 3 where it has ended, 5 where it has not claimed its pane yet.
    """
    from tongs_agents.looking import look
    from tongs_agents.shapes import evidence_shape

    record = resolve(app.services, launch)
    looked = look(app.services, record)
    doing, seen = looked.doing, looked.doing.seen
    document, code = {"ok": True, **looked.launch}, 0
    if looked.ended:
        found = ended(seen)
        document, code = found.to_json(), found.exit_code
    lines: tuple[Line, ...] = ()
    if why:
        document["evidence"] = evidence_shape(doing, looked.at)
        facts = (_fact(fact, looked.at) for fact in doing.status.evidence)
        lines = (*map(_line, seen.verdict.checks), *facts)
    words = ", ".join(
        filter(None, (seen.verdict.state, looked.launch["status"], record.start_error))
    )
    return Reply(document, (f"{name_of(record)}: {words}", *lines), (), code)


def _line(check: Check) -> Line:
    return ("  ", _MARKS[check.passed], f"  {check.name:<13} {check.seen}")


def _fact(fact: Fact, now: float) -> Line:
    return (f"  --  {fact.check:<13} {fact.seen} ({max(0.0, now - fact.at):.0f} s ago)",)


__all__ = ["verb"]
