"""``wait``: until a launch is doing something."""

from __future__ import annotations

import click

from tongs_agents.cli.reply import Reply
from tongs_agents.cli.target import resolve
from tongs_agents.cli.verb import App, Verb
from tongs_agents.cli.waited import waited, within_bounds


@click.command(
    "wait",
    cls=Verb,
    inside="own-launch",
    example="tongs-agents wait 3f2a --timeout 300",
)
@click.argument("launch")
@click.option(
    "--until",
    metavar="STATUS",
    default="done",
    show_default=True,
    help="started, working, done, waiting, error or ended.",
)
@click.option(
    "--timeout",
    metavar="S",
    type=float,
    callback=within_bounds,
    help="Seconds that it may take (default 120, at most 600).",
)
@click.pass_obj
def verb(app: App, launch: str, until: str, timeout: float | None) -> Reply:
    """Wait until LAUNCH is doing STATUS.

    Only a status newer than the last send to it counts. Exit code 3 where it
    has ended meanwhile, 4 where the time was up, 6 where it has no hooks that
    would tell.
    """
    return waited(app.services, resolve(app.services, launch), until, timeout)


__all__ = ["verb"]
