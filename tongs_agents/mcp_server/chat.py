"""The chat tools: of the verified launch that this server belongs to, while it is granted (3.1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from tongs_agents.chat.audit import audit_of
from tongs_agents.chat.seat import Seat
from tongs_agents.chat.waking import after_post
from tongs_agents.mcp_server import chat_schemas as schemas
from tongs_agents.mcp_server.actor import actor_of
from tongs_agents.mcp_server.tool import Call, Family, Schema, Tool
from tongs_agents.services import Services
from tongs_chat import cursors, messages, reading
from tongs_chat.audit import ChatEvent
from tongs_chat.errors import ChatError
from tongs_chat.literals import NOTICE
from tongs_chat.model import Mark

_Work = Callable[[Services, Seat, Call], Mapping[str, Any]]


def family(services: Services) -> Family:
    """The three tools; they come and go with the grant (3.9)."""
    seat = Seat(services)
    tools = tuple(_tool(services, seat, *row) for row in _ROWS)
    return Family(tools, presence=seat.presence, on_listed=seat.was_listed)


def event_of(services: Services, action: str) -> ChatEvent:
    """The event of a call of this server's."""
    return ChatEvent(actor_of(services.environ).name, action)


def _tool(
    services: Services,
    seat: Seat,
    name: str,
    description: str,
    takes: Schema,
    gives: Schema,
    work: _Work,
) -> Tool:
    action = name.replace("_", "-")

    def run(call: Call) -> Mapping[str, Any]:
        anew = services.afresh()  # calls run side by side and share nothing
        with audit_of(anew).refusals(event_of(anew, action)):  # 3.6
            return {"ok": True, **work(anew, seat, call)}

    return Tool(
        name=name,
        action=action,
        description=description,
        input_schema=takes,
        output_schema=gives,
        run=run,
        read_only=work is not _post,
        notice=NOTICE,
    )


def _inbox(_: Services, seat: Seat, __: Call) -> Mapping[str, Any]:
    with seat.take() as database:
        found = reading.inbox(database)
    return {
        "handle": found.handle,
        "channels": [
            {"name": it.name, "unread": it.unread, "mentions_unread": it.mentions_unread}
            for it in found.channels
        ],
        "mentions": [
            {
                "id": it.id, "channel": it.channel, "thread": it.thread or it.id,
                "author": it.author, "ts": it.ts, "preview": it.preview,
            }
            for it in found.mentions
        ],
        "mentions_total": found.mentions_total,
    }  # fmt: skip


def _read(_: Services, seat: Seat, call: Call) -> Mapping[str, Any]:
    asked = call.arguments
    with seat.take() as database:
        page = reading.page(
            database,
            asked["channel"],
            thread=asked.get("thread"),
            after_id=asked.get("after_id"),
            limit=asked["limit"],
            mark_read=asked["mark_read"],
        )
    if page.mark is not None:
        mark = page.mark
        # nothing counts as read before it was handed over
        call.after_reply(lambda written: _advance(seat, mark) if written else None)
    return {
        "channel": page.channel,
        "thread": page.thread,
        "messages": [
            {
                "id": it.id, "thread": it.thread or it.id, "author": it.author, "ts": it.ts,
                "body": it.body, "mentions": list(it.mentions),
            }
            for it in page.messages
        ],
        "more": page.more,
        "cursor": page.cursor,
    }  # fmt: skip


def _advance(seat: Seat, mark: Mark) -> None:
    # one that can't be marked is read again: at least once, never lost
    with suppress(ChatError), seat.take() as database:
        cursors.advance(database, mark)


def _post(services: Services, seat: Seat, call: Call) -> Mapping[str, Any]:
    asked = call.arguments
    with seat.take() as database:
        posted = messages.post(
            database,
            asked["channel"],
            asked["body"],
            now=services.clock(),
            thread=asked.get("thread"),
        )
        woken = after_post(services, database, posted, audit_of(services), seat.launch_id)
    return {
        "id": posted.id,
        "thread": posted.thread or posted.id,
        "mentioned": [each.handle for each in posted.mentioned],
        "wakes": [{"handle": each.handle, "decision": each.decision} for each in woken],
    }


_ROWS: tuple[tuple[str, str, Schema, Schema, _Work], ...] = (
    ("chat_inbox", schemas.INBOX, schemas.INBOX_TAKES, schemas.INBOX_GIVES, _inbox),
    ("chat_read", schemas.READ, schemas.READ_TAKES, schemas.READ_GIVES, _read),
    ("chat_post", schemas.POST, schemas.POST_TAKES, schemas.POST_GIVES, _post),
)


__all__ = ["event_of", "family"]
