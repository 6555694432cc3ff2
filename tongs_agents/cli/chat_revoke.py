"""``chat revoke``: takes a grant back; the launch's next call is refused."""

from __future__ import annotations

import click

from tongs_agents.cli.reply import Reply
from tongs_agents.cli.verb import App, Verb


@click.command("revoke", cls=Verb, example="tongs-agents chat revoke 3f2a")
@click.argument("launch")
@click.pass_obj
def verb(app: App, launch: str) -> Reply:
    """Take chat back from LAUNCH. Its tools refuse at once; what it wrote stays."""
    from tongs_agents.chat.desk import Desk
    from tongs_agents.chat.standing import standing

    desk = Desk(app.services)
    with desk.refusals("revoke", None):
        launch_id = desk.meant(launch)
    grant = desk.revoke(launch_id)
    shown = {**standing(grant, None).to_json(), "state": "revoked"}
    return Reply({"ok": True, "grant": shown}, (f"revoked @{grant.handle} ({launch_id})",))


__all__ = ["verb"]
