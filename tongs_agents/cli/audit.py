"""``audit``: prints the audit log, which is JSON lines already."""

from __future__ import annotations

import time

import click

from tongs_agents.cli.verb import App, Verb

PAUSE = 0.2
"""Seconds between two looks for new lines."""


@click.command("audit", cls=Verb, json=False, example="tongs-agents audit control --follow")
@click.argument("log", type=click.Choice(["control", "chat"]), default="control")
@click.option("--follow", is_flag=True, help="Go on with each new line, until Ctrl-C.")
@click.pass_obj
def verb(app: App, log: str, follow: bool) -> int:
    """Print the audit log, a JSON line for each act and refusal.

    "control", the default, is what was done to panes; "chat" is grants and wakes.
    No text of a prompt or message is ever in it.
    """
    from tongs_mux.audit_lines import follow as follow_lines

    def wait() -> bool:
        if follow:
            time.sleep(PAUSE)
        return follow

    places = app.services.places
    path = places.control_audit if log == "control" else places.chat_audit
    for line in follow_lines(path, wait=wait):
        click.echo(line)
    return 0


__all__ = ["PAUSE", "verb"]
