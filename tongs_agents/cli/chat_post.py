"""``chat post``: posts as the maintainer."""

from __future__ import annotations

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
    """Post BODY in CHANNEL as @maintainer. "-" reads it from standard input.

    Whom it mentions by @handle hears of it; an idle agent that you allowed to be
    woken is woken. What became of each wake is said on standard error.
    """
    from tongs_agents.chat.desk import Desk

    services = app.services
    text = text_or_stdin(services, body, "chat-post")
    posted, woken = Desk(services).post(channel, text, thread)
    wakes = [{"handle": each.handle, "decision": each.decision} for each in woken]
    mentioned = [each.handle for each in posted.mentioned]
    document = {"ok": True, "id": posted.id, "mentioned": mentioned, "wakes": wakes}
    names = ", ".join(f"@{handle}" for handle in mentioned)
    line = f"posted {posted.id}" + (f", mentions {names}" if names else "")
    notes = tuple(f"wake @{each.handle}: {each.decision}" for each in woken)
    return Reply(document, (line,), notes)


__all__ = ["verb"]
