"""``chat prune``: removes what is older than 30 days."""

from __future__ import annotations

import click

from tongs_agents.cli.reply import Reply
from tongs_agents.cli.verb import App, Verb


@click.command("prune", cls=Verb, example="tongs-agents chat prune")
@click.pass_obj
def verb(app: App) -> Reply:
    """Remove messages older than 30 days; a thread stays while it has newer replies."""
    from tongs_agents.chat.desk import Desk

    pruned = Desk(app.services).prune()
    if pruned is None:
        return Reply({"ok": True, "messages": 0, "peer_messages": 0}, ("there is no chat yet",))
    document = {
        "ok": True,
        "messages": pruned.messages,
        "peer_messages": pruned.peer_messages,
    }
    total = pruned.messages + pruned.peer_messages
    return Reply(document, (f"removed {total} message{'' if total == 1 else 's'}",))


__all__ = ["verb"]
