"""``chat read``: what was said."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from tongs_agents.cli.reply import Line, Reply, Span
from tongs_agents.cli.verb import App, Verb

if TYPE_CHECKING:
    from tongs_chat.model import Message


@click.command("read", cls=Verb, example="tongs-agents chat read general --limit 5")
@click.argument("channel", required=False)
@click.option("--thread", type=int, metavar="ID", help="Only this thread.")
@click.option("--limit", type=int, default=20, show_default=True, help="At most so many, 1 to 50.")
@click.pass_obj
def verb(app: App, channel: str | None, thread: int | None, limit: int) -> Reply:
    """Print the newest messages, oldest first: of CHANNEL, or of all channels."""
    from tongs_agents.chat.desk import Desk

    found = Desk(app.services).newest(channel, thread=thread, limit=limit)
    document = {"ok": True, "messages": [shape(each) for each in found]}
    lines = tuple(line for each in found for line in _lines(each))
    return Reply(document, lines, () if found else ("no messages",))


def shape(message: Message) -> dict[str, Any]:
    """A message as interface.md has it; a root's thread is its own id."""
    return {
        "id": message.id,
        "channel": message.channel,
        "thread": message.thread or message.id,
        "author": message.author,
        "ts": message.ts,
        "body": message.body,
        "mentions": list(message.mentions),
    }


def _lines(message: Message) -> tuple[Line, ...]:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(message.ts))
    thread = "" if message.thread is None else f" in {message.thread}"
    head = (
        f"{message.id}{thread}  {when}  #{message.channel}  ",
        Span(f"@{message.author}", "cyan"),
    )
    return (head, *(f"  {line}" for line in message.body.split("\n")))


__all__ = ["shape", "verb"]
