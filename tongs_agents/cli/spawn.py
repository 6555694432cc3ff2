"""``spawn``: starts a profile in a new pane."""

from __future__ import annotations

import click

from tongs_agents.cli.reply import Reply
from tongs_agents.cli.spawned import spawned_reply
from tongs_agents.cli.stdin import text_or_stdin
from tongs_agents.cli.verb import App, Verb


@click.command("spawn", cls=Verb, example="tongs-agents spawn lead --prompt 'Fix the failing test'")
@click.argument("profile")
@click.option("--prompt", metavar="TEXT|-", help="First prompt; - reads it from standard input.")
@click.pass_obj
def verb(app: App, profile: str, prompt: str | None) -> Reply:
    """Start PROFILE in a new pane.

    The pane opens in the workspace session and steals no focus; a session that
    isn't running is started detached.
    """
    from tongs_mux.acts import Actor

    text = None if prompt is None else text_or_stdin(app.services, prompt, "spawn")
    starter, by = app.services.starter, Actor("cli")
    return spawned_reply(starter.spawn(starter.named(profile, by), by, prompt=text))


__all__ = ["verb"]
