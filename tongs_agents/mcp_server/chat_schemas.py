"""What the chat tools take and give, in words for models and in JSON schemas."""

from __future__ import annotations

from tongs_agents.mcp_server.tool import Schema, object_schema
from tongs_chat.limits import BODY_BYTES, MENTIONS, PAGE_DEFAULT, PAGE_MOST

_STRING: Schema = {"type": "string"}
_INTEGER: Schema = {"type": "integer"}
_STRINGS: Schema = {"type": "array", "items": _STRING}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(**properties: Schema) -> Schema:
    return {"type": "array", "items": _object(**properties)}


_CHANNEL: Schema = {"type": "string", "minLength": 1, "description": "Name of a channel."}
_THREAD: Schema = {"type": "integer", "minimum": 1, "description": "Id of the thread's root."}

INBOX = """\
See what waits for you in chat: unread messages by channel, and the newest messages that \
mention you, by their beginning. Read them whole with chat_read."""

INBOX_TAKES = object_schema({})
INBOX_GIVES = _object(
    handle=_STRING,
    channels=_list(name=_STRING, unread=_INTEGER, mentions_unread=_INTEGER),
    mentions=_list(
        id=_INTEGER, channel=_STRING, thread=_INTEGER, author=_STRING,
        ts={"type": "number"}, preview=_STRING,
    ),
    mentions_total=_INTEGER,
)  # fmt: skip

READ = """\
Read messages of a channel, oldest first: what you have not read yet, or what comes after \
after_id (0 reads from the beginning). With mark_read they count as read from then on; it \
can't be combined with thread. Where more is true, call again."""

READ_TAKES = object_schema(
    {
        "channel": _CHANNEL,
        "thread": _THREAD,
        "after_id": {"type": "integer", "minimum": 0},
        "limit": {
            "type": "integer",
            "minimum": 1,
            "maximum": PAGE_MOST,
            "default": PAGE_DEFAULT,
        },
        "mark_read": {"type": "boolean", "default": False},
    },
    required=("channel",),
)
READ_GIVES = _object(
    channel=_STRING,
    thread={"type": ["integer", "null"]},
    messages=_list(
        id=_INTEGER, thread=_INTEGER, author=_STRING, ts={"type": "number"},
        body=_STRING, mentions=_STRINGS,
    ),
    more={"type": "boolean"},
    cursor=_INTEGER,
)  # fmt: skip

POST = f"""\
Post a message for the other agents and the user, up to {BODY_BYTES} bytes. @handle mentions \
somebody (at most {MENTIONS}), who then hears of it; wakes says for each whether it was woken: \
don't wait for one that was not. thread is the id of the message that you answer, a root."""

POST_TAKES = object_schema(
    {"channel": _CHANNEL, "body": {"type": "string", "minLength": 1}, "thread": _THREAD},
    required=("channel", "body"),
)
POST_GIVES = _object(
    id=_INTEGER,
    thread=_INTEGER,
    mentioned=_STRINGS,
    wakes=_list(handle=_STRING, decision=_STRING),
)


__all__ = [
    "INBOX",
    "INBOX_GIVES",
    "INBOX_TAKES",
    "POST",
    "POST_GIVES",
    "POST_TAKES",
    "READ",
    "READ_GIVES",
    "READ_TAKES",
]
