"""What happens to peer messages when a grant ends: nobody is left waiting in silence (G6)."""

from __future__ import annotations

import sqlite3

from tongs_chat import limits


def depart(connection: sqlite3.Connection, who: int, now: float) -> None:
    """End the queue of participant ``who``, tell the senders, and forget who watched for it.

    In the transaction that ends the grant.
    """
    undelivered = connection.execute(
        "SELECT p.id, p.sender_id FROM peer_messages AS p"
        " JOIN grants AS g ON g.participant_id = p.sender_id"
        " WHERE p.target_id = ? AND p.kind = 'message' AND p.state IN ('queued', 'leased')"
        " ORDER BY p.id",
        (who,),
    ).fetchall()
    connection.execute(
        "UPDATE peer_messages SET state = 'gone', reason = 'not-granted', ended_at = ?,"
        " in_flight = 0 WHERE target_id = ? AND state IN ('queued', 'leased')",
        (now, who),
    )
    for message_id, sender_id in undelivered:
        _tell(connection, who, sender_id, message_id, now)
    connection.execute("DELETE FROM idle_watches WHERE watcher_id = ? OR target_id = ?", (who, who))


def _tell(
    connection: sqlite3.Connection, who: int, sender_id: int, message_id: int, now: float
) -> None:
    """Queue a notice for the sender, where its queue has room (9.23, A54)."""
    (waiting,) = connection.execute(
        "SELECT count(*) FROM peer_messages WHERE target_id = ? AND state IN ('queued', 'leased')",
        (sender_id,),
    ).fetchone()
    if waiting >= limits.QUEUED:
        return
    body = f"Your message {message_id} was not read: that chat has ended."
    connection.execute(
        "INSERT INTO peer_messages (kind, sender_id, target_id, handle, title, body, length, ts,"
        " reply_to) SELECT 'gone', id, ?, handle, '', ?, ?, ?, ? FROM participants WHERE id = ?",
        (sender_id, body, len(body), now, message_id, who),
    )


__all__ = ["depart"]
