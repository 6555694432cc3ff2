"""Waking whom a post mentioned, right after it was committed, by the poster (5.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tongs_agents.chat.bells import ring
from tongs_agents.chat.panes import LaunchPanes
from tongs_chat import roles
from tongs_chat.database import Database
from tongs_chat.wake.attempt import Waker, Woken

if TYPE_CHECKING:
    from tongs_agents.chat.audit import ChatAuditLog
    from tongs_agents.services import Services
    from tongs_chat.model import Grant, Posted


def after_post(
    services: Services,
    reading: Database,
    posted: Posted,
    audit: ChatAuditLog,
    launch_id: str | None = None,
) -> tuple[Woken, ...]:
    """Ring the bells of those who were mentioned, then try to wake each (5.2).

    ``reading`` is the poster's own connection, ``launch_id`` its launch; None for
    the maintainer. The post stays what it is, whatever becomes of this.
    """
    ring(services, (it.launch_id for it in posted.mentioned if it.launch_id is not None))
    if not any(it.level == "chat+wake" for it in posted.mentioned):
        return ()
    with Database(str(services.places.chat_db), roles.WAKER, launch_id) as waking:
        return _waker(services, reading, waking, audit, launch_id).after(posted)


def again(services: Services, reading: Database, grant: Grant, audit: ChatAuditLog) -> Woken | None:
    """Try a wake of one's own launch again that was put off for a passing reason (A67)."""
    with Database(str(services.places.chat_db), roles.WAKER, grant.launch_id) as waking:
        return _waker(services, reading, waking, audit, grant.launch_id).again(grant)


def _waker(
    services: Services,
    reading: Database,
    waking: Database,
    audit: ChatAuditLog,
    launch_id: str | None,
) -> Waker:
    return Waker(
        reading=reading,
        waking=waking,
        panes=LaunchPanes(services),
        audit=audit,
        actor=f"chat:{launch_id or 'maintainer'}",
        clock=services.clock,
    )


__all__ = ["after_post", "again"]
