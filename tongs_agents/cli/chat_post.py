"""``chat post``: posts as the maintainer."""

from __future__ import annotations

from typing import Any

import click

from tongs_agents.cli.reply import Reply
from tongs_agents.cli.stdin import text_or_stdin
from tongs_agents.cli.verb import App, Verb


@click.command(
    "post",
    cls=Verb,
    example="tongs-agents chat post general '@worker the build is red'\n"
    "git log -1 | tongs-agents chat post general - --thread 412",
    usage_hint="BODY is one argument, in quotes; one that begins with - goes after --",
)
@click.argument("channel")
@click.argument("body", metavar="BODY|-")
@click.option("--thread", type=int, metavar="ID", help="The message that it answers: a root.")
@click.pass_obj
def verb(app: App, channel: str, body: str, thread: int | None) -> Reply:
    """Post BODY in CHANNEL as @maintainer. "-" reads it from standard input."""
    from tongs_agents.chat.desk import Desk

    services = app.services
    text = text_or_stdin(services, body, "chat-post")
    posted = Desk(services).post(channel, text, thread)
    wakes: list[dict[str, Any]] = []
    mentioned = [each.handle for each in posted.mentioned]
    document = {"ok": True, "id": posted.id, "mentioned": mentioned, "wakes": wakes}
    names = ", ".join(f"@{handle}" for handle in mentioned)
    return Reply(document, (f"posted {posted.id}" + (f", mentions {names}" if names else ""),))


__all__ = ["verb"]
