"""``demo``: the main job from nothing, in places and a multiplexer server of its own."""

from __future__ import annotations

from functools import partial

import click

from tongs_agents.cli.reply import Reply
from tongs_agents.cli.verb import App, Verb


@click.command("demo", cls=Verb, inside="open", example="tongs-agents demo --keep")
@click.option(
    "--multiplexer",
    metavar="M",
    type=click.Choice(["tmux", "zellij"]),
    help="tmux or zellij; tmux where it is left out.",
)
@click.option("--keep", is_flag=True, help="Leave the session for a look; says how to attach.")
@click.pass_obj
def verb(app: App, multiplexer: str | None, keep: bool) -> Reply:
    """Show the main job on scripted agents.

    It needs a multiplexer and nothing else: no account, no network, no config.
    What it starts and writes is its own, and gone afterwards.
    """
    from tongs_agents.demo.run import run

    # with --json the steps are still shown while they run, beside the document
    say = partial(click.echo, err=app.as_json)
    document = run(app.services.environ, say, multiplexer=multiplexer or "tmux", keep=keep)
    if document["ok"]:
        return Reply(document, ())
    from tongs_agents.outcomes import failure

    found = failure("failed", "a step of the demo did not hold")
    return Reply({**found.to_json(), **document}, (), exit_code=found.exit_code)


__all__ = ["verb"]
