"""``notify_when_idle``: told once, when a chat is done and nothing waits for it (9.14, 9.66)."""

from __future__ import annotations

from tongs_chat import grants, limits, queue
from tongs_chat.database import Database


def tell(database: Database, *, now: float) -> tuple[str, ...]:
    """Tell who asked that this chat is idle; its server calls it while the chat is.

    Returns the launches that were told. Nobody is told while something waits
    for this chat, nor 12 hours after having asked.
    """
    with database.write() as connection:
        handle = grants.own_handle(connection, database)
        if queue.waiting_count(connection, database.me):
            return ()
        watchers = connection.execute(
            "SELECT w.watcher_id, g.launch_id FROM idle_watches AS w"
            " JOIN grants AS g ON g.participant_id = w.watcher_id"
            " WHERE w.target_id = ? AND w.fired_at IS NULL AND w.since > ?",
            (database.me, now - limits.WATCH_SECONDS),
        ).fetchall()
        told = [it for it in watchers if queue.waiting_count(connection, it[0]) < limits.QUEUED]
        body = f"@{handle} is idle now."
        for watcher, _ in told:
            connection.execute(
                "UPDATE idle_watches SET fired_at = ? WHERE watcher_id = ? AND target_id = ?",
                (now, watcher, database.me),
            )
            connection.execute(
                "INSERT INTO peer_messages (kind, sender_id, target_id, handle, title, body,"
                " length, ts) VALUES ('idle', ?, ?, ?, '', ?, ?, ?)",
                (database.me, watcher, handle, body, len(body), now),
            )
    return tuple(launch_id for _, launch_id in told)


__all__ = ["tell"]
