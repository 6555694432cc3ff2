"""``capture``: prints a launch's screen."""

from __future__ import annotations

import click

from tongs_agents.cli.reply import Reply
from tongs_agents.cli.target import ended, resolve
from tongs_agents.cli.verb import App, Verb
from tongs_agents.errors import Failed

MOST_LINES = 100_000
"""Lines that may be asked for; more than any multiplexer keeps by default."""


@click.command("capture", cls=Verb, example="tongs-agents capture 3f2a --lines 200")
@click.argument("launch")
@click.option(
    "--lines",
    metavar="N",
    type=click.IntRange(1, MOST_LINES),
    help="The last N lines, scrollback included, instead of the visible screen.",
)
@click.pass_obj
def verb(app: App, launch: str, lines: int | None) -> Reply:
    """Print the screen of LAUNCH as plain text.

    Exit code 3 where it has ended.
    """
    from tongs_mux.errors import VerificationFailed
    from tongs_mux.evidence import Seen

    services = app.services
    record = resolve(services, launch)
    try:
        text = services.control.capture(record, lines)
    except VerificationFailed as error:
        if error.verdict.state != "exited":
            raise
        raise Failed(ended(Seen(record, error.verdict))) from error
    document = {"ok": True, "launch_id": record.launch_id, "lines": list(text)}
    return Reply(document, text)


__all__ = ["MOST_LINES", "verb"]
