"""``chat grants``: who may talk, and whether that still holds."""

from __future__ import annotations

import click

from tongs_agents.cli.reply import Reply, Span, table
from tongs_agents.cli.verb import App, Verb

_HEADS = ("HANDLE", "LAUNCH", "PROFILE", "LEVEL", "STATE")
_COLOURS = {"active": "green", "tools-pending": "yellow", "stale": "red"}
_WORDS = {
    "tools-pending": "granted, tools pending",
    "stale": "stale",
    "active": "active",
}


@click.command("grants", cls=Verb, example="tongs-agents chat grants --json")
@click.pass_obj
def verb(app: App) -> Reply:
    """List grants.

    "tools pending" stands from the grant until its client has listed the chat
    tools: where it does not by itself, restart that session. "stale" is one
    whose process has ended or lost its pane: it is worth nothing.
    """
    from tongs_agents.chat.desk import Desk

    found = Desk(app.services).standings()
    document = {"ok": True, "grants": [each.to_json() for each in found]}
    if not found:
        return Reply(document, (), ("no grants: `tongs-agents chat grant LAUNCH` gives one",))
    rows = (
        (
            f"@{each.grant.handle}",
            each.grant.launch_id,
            each.grant.profile,
            each.grant.level,
            Span(_WORDS[each.state], _COLOURS[each.state]),
        )
        for each in found
    )
    return Reply(document, table(_HEADS, rows))


__all__ = ["verb"]
