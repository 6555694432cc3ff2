"""The numbers of chat, each in one place. Imports nothing: the hook reads it too."""

BODY_BYTES = 8192
"""Longest message, in bytes of UTF-8 (1.6)."""

MENTIONS = 20
"""So many mentions a message may have (1.7)."""

POSTS = 30
"""So many posts an author may make in ``POSTS_SECONDS`` (1.8, A35)."""

POSTS_SECONDS = 60.0

STORE_BYTES = 64 * 1024 * 1024
"""Past this many bytes of pages in use posts are refused (1.10, A79)."""

RETENTION_SECONDS = 30 * 86400.0
"""Older messages are pruned (1.9)."""

PAGE_DEFAULT = 20
"""Messages of one ``chat_read`` that names no limit."""

PAGE_MOST = 50
"""The most that one may ask for (3.1)."""

INBOX_MENTIONS = 10
"""The most mentions that an inbox or a digest shows (3.1, 4.3)."""

PREVIEW_BYTES = 160
"""Longest preview, its ellipsis included (A31)."""

NAME_LENGTH = 32
"""Longest handle or channel name (1.13)."""

TITLE_BYTES = 80
"""Longest title or project of somebody else (A96)."""

NOTICE_SECONDS = 60.0
"""A tool event announces mentions once in so long (4.3)."""

START_BYTES = 512
"""Longest text at a session's start, and of a tool notice (4.3)."""

PROMPT_BYTES = 2048
"""Longest digest at a prompt, peers' bodies included (4.3, 9.61)."""

EVENT_BYTES = 8000
"""Longest hand-over of peer messages at a tool or Stop event (9.62)."""

BUSY_SECONDS = 2.0
"""How long a tool or a command waits for the file (A34)."""

HOOK_BUSY_SECONDS = 0.2
"""How long the hook does (4.10)."""

WAKE_PAUSE_SECONDS = 120.0
"""From one wake of a pane to the next (5.3)."""

WAKES = 10
"""Fewer wakes than this in ``WAKES_SECONDS`` (5.3)."""

WAKES_SECONDS = 3600.0

LOOP_POSTS = 6
"""Fewer agents' posts than this in a row, or the target is not woken (5.3)."""

IDLE_SECONDS = 20.0
"""How long a pane must have been done before a mention wakes it (5.3)."""

LINE_SECONDS = 120.0
"""How long our fixed line counts as still unread in a composer (A76)."""

RETRY_SECONDS = 3600.0
"""How long a wake that was put off is tried again (A67)."""

PROLONGED = 5
"""So often the end of a turn may be put off for what waits (A76)."""

PEER_CHARACTERS = 100_000
"""Longest peer message, in code points (9.19)."""

PEER_PART = 20_000
"""The most characters of one part (A98)."""

DUPLICATE_SECONDS = 60.0
"""The same text to the same chat within this is refused (9.20)."""

PAIR_MINUTE = 6
"""Messages of one sender to one target in a minute (9.21)."""

PAIR_HOUR = 60
"""The same in an hour (9.21)."""

PER_TURN = 5
"""Peer messages that one turn takes (9.22)."""

QUEUED = 20
"""Peer messages that wait for one chat (9.23)."""

CHAIN = 6
"""Answers to answers before a person has to go on (A76)."""

LEASE_SECONDS = 30.0
"""A lease whose holder can't be looked up ends after this (A66)."""

WATCH_SECONDS = 12 * 3600.0
"""How long ``notify_when_idle`` is remembered (9.66)."""

READ_SECONDS = 24 * 3600.0
"""A peer message that was read is pruned after this (A79)."""


__all__ = [
    "BODY_BYTES",
    "BUSY_SECONDS",
    "CHAIN",
    "DUPLICATE_SECONDS",
    "EVENT_BYTES",
    "HOOK_BUSY_SECONDS",
    "IDLE_SECONDS",
    "INBOX_MENTIONS",
    "LEASE_SECONDS",
    "LINE_SECONDS",
    "LOOP_POSTS",
    "MENTIONS",
    "NAME_LENGTH",
    "NOTICE_SECONDS",
    "PAGE_DEFAULT",
    "PAGE_MOST",
    "PAIR_HOUR",
    "PAIR_MINUTE",
    "PEER_CHARACTERS",
    "PEER_PART",
    "PER_TURN",
    "POSTS",
    "POSTS_SECONDS",
    "PREVIEW_BYTES",
    "PROLONGED",
    "PROMPT_BYTES",
    "QUEUED",
    "READ_SECONDS",
    "RETENTION_SECONDS",
    "RETRY_SECONDS",
    "START_BYTES",
    "STORE_BYTES",
    "TITLE_BYTES",
    "WAKES",
    "WAKES_SECONDS",
    "WAKE_PAUSE_SECONDS",
    "WATCH_SECONDS",
]
