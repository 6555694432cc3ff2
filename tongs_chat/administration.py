"""What the maintainer does to grants and to the file, each act written down first (1.24, A97)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tongs_chat import creation, grants, place
from tongs_chat.audit import ChatAudit, ChatEvent, audited, failed
from tongs_chat.database import Database
from tongs_chat.model import Grant, Level


def grant(
    database: Database,
    audit: ChatAudit,
    *,
    actor: str,
    launch_id: str,
    profile: str,
    level: Level,
    pid: int,
    start_token: str,
    now: float,
    handle: str | None = None,
) -> Grant:
    """Grant chat to a launch that was verified and whose handle a person has typed (2.3, 2.4).

    Raises:
        GrantError, InvalidName: as ``grants.give``.
        Exception: the audit line could not be written; nothing was granted.
    """
    name = handle or grants.free_handle(database, profile, launch_id)
    event = ChatEvent(actor, "grant", launch_id, labels={"handle": name, "level": level})
    return audited(
        audit,
        event,
        lambda: grants.give(
            database,
            launch_id=launch_id,
            profile=profile,
            level=level,
            pid=pid,
            start_token=start_token,
            now=now,
            handle=name,
        ),
    )


def revoke(
    database: Database, audit: ChatAudit, *, actor: str, launch_id: str, now: float
) -> Grant:
    """Take a grant back. Raises NotFound (``not-granted``)."""
    event = ChatEvent(actor, "revoke", launch_id)
    return audited(audit, event, lambda: grants.take_back(database, launch_id, now=now))


def remove_stale(
    database: Database,
    audit: ChatAudit,
    *,
    actor: str,
    is_stale: Callable[[Grant], bool],
    now: float,
) -> tuple[Grant, ...]:
    """Remove every grant whose process has surely ended or lost its pane (2.12).

    ``is_stale`` is True only where that is certain: no answer is not "gone".
    """
    stale = [it for it in grants.every(database) if is_stale(it)]
    return tuple(_remove(database, audit, actor, it, now) for it in stale)


def _remove(database: Database, audit: ChatAudit, actor: str, stale: Grant, now: float) -> Grant:
    event = ChatEvent(actor, "remove-stale", stale.launch_id, labels={"handle": stale.handle})
    return audited(audit, event, lambda: grants.take_back(database, stale.launch_id, now=now))


def purge(path: Path, audit: ChatAudit, *, actor: str) -> bool:
    """Delete the chat file with every message and every grant, each audited (A78).

    False where there is none.

    Raises:
        StoreBusy, StoreError: it stays as it is.
    """

    if place.identity(str(path)) is None:
        return False
    ended: list[tuple[str, ChatEvent]] = []

    def end_grants(connection: sqlite3.Connection) -> None:
        # Before the commit: what can't be written down does not happen.
        for launch_id, handle in connection.execute("SELECT launch_id, handle FROM grants"):
            event = ChatEvent(actor, "revoke", launch_id, labels={"handle": handle})
            ended.append((audit.begin(event), event))

    try:
        found = audited(
            audit, ChatEvent(actor, "purge"), lambda: creation.purge(path, before_commit=end_grants)
        )
    except BaseException as error:
        for act, event in ended:
            audit.outcome(act, failed(event, error))
        raise
    for act, event in ended:
        audit.outcome(act, replace(event, outcome="ok"))
    return found


__all__ = ["grant", "purge", "remove_stale", "revoke"]
