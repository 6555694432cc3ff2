"""Who may touch which table, column and row: one table, as data.

From it the authorizer, the row triggers and a page of the docs are made. What has no
line here is denied. It guards against faults of ours, not against another process of the
same user, who can open the file without us (1.22). Imports nothing: the hook reads it too.
"""

MAINTAINER = "maintainer"
"""The person's side: the command line and the sidebar."""

AGENT = "agent"
"""An agent's MCP server, bound to its launch."""

HOOK = "hook"
"""What the harness runs at its events, bound to its launch."""

WAKER = "waker"
"""A poster's process while it wakes whom the post mentioned (1.20)."""

READER = "reader"
"""Who only looks."""

ROLES = (MAINTAINER, AGENT, HOOK, WAKER, READER)
"""In the order of the columns below."""

BOUND = (AGENT, HOOK)
"""Roles that belong to one granted launch."""

LETTERS = {
    "r": "read any row",
    "I": "insert any row",
    "i": "insert a row of one's own",
    "D": "delete any row",
    "U": "update any row",
    "u": "update one's own row",
    "s": "update the row of a message that one has sent",
    "w": "update one's own row, or that of a participant whom one has mentioned or written to",
}
"""What a cell can hold. Reads can't be bound to rows: SQLite asks about columns only."""

GRID = (
    # table, column ("" is the row itself), then a cell for each of ROLES
    ("meta", "", "", "", "", "", ""),
    ("meta", "one", "", "", "", "", ""),
    ("meta", "purged", "r", "r", "r", "r", "r"),
    ("migrations", "", "", "", "", "", ""),
    ("migrations", "number", "r", "", "", "", "r"),
    ("migrations", "name", "r", "", "", "", "r"),
    ("migrations", "applied_at", "r", "", "", "", "r"),
    ("participants", "", "I", "", "", "", ""),
    ("participants", "id", "r", "r", "r", "r", "r"),
    ("participants", "launch_id", "r", "r", "r", "r", "r"),
    ("participants", "handle", "rU", "r", "r", "", "r"),
    ("participants", "profile", "rU", "r", "", "", "r"),
    ("participants", "created_at", "r", "", "", "", "r"),
    ("grants", "", "ID", "", "", "", ""),
    ("grants", "launch_id", "r", "r", "r", "r", "r"),
    ("grants", "participant_id", "r", "r", "r", "r", "r"),
    ("grants", "handle", "rU", "r", "r", "r", "r"),
    ("grants", "level", "rU", "r", "r", "r", "r"),
    ("grants", "granted_at", "rU", "r", "r", "r", "r"),
    ("grants", "pid", "rU", "r", "r", "r", "r"),
    ("grants", "start_token", "rU", "r", "r", "r", "r"),
    ("grants", "accepts", "rU", "r", "", "", "r"),
    ("channels", "", "I", "", "", "", ""),
    ("channels", "id", "r", "r", "r", "r", "r"),
    ("channels", "name", "r", "r", "r", "r", "r"),
    ("channels", "created_at", "r", "r", "", "", "r"),
    ("channels", "archived_at", "rU", "r", "r", "r", "r"),
    ("channels", "pruned_seq", "rU", "r", "", "", "r"),
    ("messages", "", "iD", "i", "", "", ""),
    ("messages", "id", "r", "r", "r", "r", "r"),
    ("messages", "channel_id", "r", "r", "r", "r", "r"),
    ("messages", "seq", "r", "r", "", "", "r"),
    ("messages", "root_id", "r", "r", "r", "r", "r"),
    ("messages", "author_id", "r", "r", "r", "r", "r"),
    ("messages", "handle", "r", "r", "r", "", "r"),
    ("messages", "ts", "r", "r", "r", "", "r"),
    ("messages", "body", "r", "r", "r", "", "r"),
    ("mentions", "", "iD", "i", "", "", ""),
    ("mentions", "participant_id", "r", "r", "r", "r", "r"),
    ("mentions", "channel_id", "r", "r", "r", "r", "r"),
    ("mentions", "message_id", "r", "r", "r", "r", "r"),
    ("mentions", "author_id", "r", "r", "r", "r", "r"),
    ("mentions", "handle", "r", "r", "", "", "r"),
    ("cursors", "", "I", "i", "", "", ""),
    ("cursors", "participant_id", "r", "r", "r", "r", "r"),
    ("cursors", "channel_id", "r", "r", "r", "r", "r"),
    ("cursors", "message_id", "rU", "ru", "r", "r", "r"),
    ("cursors", "seq", "rU", "ru", "", "", "r"),
    ("delivery", "", "I", "", "", "", ""),
    ("delivery", "participant_id", "r", "r", "r", "r", "r"),
    ("delivery", "injected_id", "rU", "r", "ru", "", "r"),
    ("delivery", "noticed_at", "rU", "r", "ru", "", "r"),
    ("delivery", "listed_at", "rU", "ru", "r", "", "r"),
    ("delivery", "prompted_at", "r", "r", "ru", "", "r"),
    ("delivery", "prolonged", "r", "r", "ru", "", "r"),
    ("delivery", "turn_taken", "r", "ru", "ru", "", "r"),
    ("delivery", "wake_times", "r", "r", "", "rw", "r"),
    ("delivery", "line_at", "r", "r", "ru", "rw", "r"),
    ("delivery", "put_off_id", "r", "r", "", "rw", "r"),
    ("delivery", "put_off_at", "r", "r", "", "rw", "r"),
    ("delivery", "put_off_reason", "r", "r", "", "rw", "r"),
    ("peer_messages", "", "ID", "i", "", "", ""),
    ("peer_messages", "id", "r", "r", "r", "r", "r"),
    ("peer_messages", "kind", "r", "r", "r", "", "r"),
    ("peer_messages", "sender_id", "r", "r", "r", "r", "r"),
    ("peer_messages", "target_id", "r", "r", "r", "r", "r"),
    ("peer_messages", "handle", "r", "r", "r", "", "r"),
    ("peer_messages", "title", "r", "r", "r", "", "r"),
    ("peer_messages", "body", "r", "r", "r", "", ""),
    ("peer_messages", "length", "r", "r", "r", "", "r"),
    ("peer_messages", "ts", "r", "r", "r", "", "r"),
    ("peer_messages", "reply_to", "r", "r", "r", "", "r"),
    ("peer_messages", "chain", "r", "r", "r", "", "r"),
    ("peer_messages", "run_id", "r", "r", "r", "", "r"),
    ("peer_messages", "sender_run", "r", "r", "r", "", "r"),
    ("peer_messages", "sender_name", "r", "r", "r", "", "r"),
    ("peer_messages", "state", "rU", "ru", "ru", "", "r"),
    ("peer_messages", "reason", "rU", "rs", "r", "", "r"),
    ("peer_messages", "holder_pid", "rU", "ru", "ru", "", "r"),
    ("peer_messages", "holder_token", "rU", "ru", "ru", "", "r"),
    ("peer_messages", "leased_at", "rU", "ru", "ru", "", "r"),
    ("peer_messages", "handed", "rU", "ru", "ru", "", "r"),
    ("peer_messages", "in_flight", "rU", "ru", "ru", "", "r"),
    ("peer_messages", "hand_overs", "rU", "ru", "ru", "", "r"),
    ("peer_messages", "ended_at", "rU", "ru", "ru", "", "r"),
    ("idle_watches", "", "ID", "i", "", "", ""),
    ("idle_watches", "watcher_id", "r", "r", "r", "", "r"),
    ("idle_watches", "target_id", "r", "r", "r", "", "r"),
    ("idle_watches", "since", "r", "ru", "r", "", "r"),
    ("idle_watches", "fired_at", "r", "ru", "r", "", "r"),
)
"""One line a column, and one a table for its rows."""

OWN_INSERT = {
    "messages": "NEW.author_id = {me}",
    "mentions": "NEW.author_id = {me}",
    "cursors": "NEW.participant_id = {me}",
    "peer_messages": "NEW.sender_id = {me}",
    "idle_watches": "NEW.watcher_id = {me}",
}
"""Whose a new row is."""

OWN_UPDATE = {
    "cursors": "OLD.participant_id = {me}",
    "delivery": "OLD.participant_id = {me}",
    "peer_messages": "OLD.target_id = {me}",
    "idle_watches": "OLD.watcher_id = {me} OR OLD.target_id = {me}",
}
"""Whose a row is that stands."""

SENT_UPDATE = {"peer_messages": "OLD.sender_id = {me}"}
"""Whose a sent message is."""

WAKE_UPDATE = {
    "delivery": "OLD.participant_id = {me}"
    " OR EXISTS (SELECT 1 FROM main.mentions"
    " WHERE author_id = {me} AND participant_id = OLD.participant_id)"
    " OR EXISTS (SELECT 1 FROM main.peer_messages"
    " WHERE sender_id = {me} AND target_id = OLD.participant_id)"
}
"""Whom one may wake: oneself, whom one has mentioned, whom one has written to (1.20)."""

FUNCTIONS = ("coalesce", "count", "length", "max", "min", "substr", "sum")
"""SQL functions that every role may call."""

PRAGMAS = {
    MAINTAINER: ("freelist_count", "incremental_vacuum", "page_count", "page_size"),
    AGENT: ("freelist_count", "page_count", "page_size"),
    HOOK: (),
    WAKER: (),
    READER: ("freelist_count", "page_count", "page_size"),
}
"""What a role may ask of the file itself; nobody sets anything once the authorizer is on."""


__all__ = [
    "AGENT",
    "BOUND",
    "FUNCTIONS",
    "GRID",
    "HOOK",
    "LETTERS",
    "MAINTAINER",
    "OWN_INSERT",
    "OWN_UPDATE",
    "PRAGMAS",
    "READER",
    "ROLES",
    "SENT_UPDATE",
    "WAKER",
    "WAKE_UPDATE",
]
