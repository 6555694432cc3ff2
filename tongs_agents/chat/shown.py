"""What a launch shows of its chat grant, and whom a handle means. Looks only; makes nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tongs_mux.evidence import Seen

if TYPE_CHECKING:
    from tongs_agents.services import Services
    from tongs_chat.model import Grant


def grants_of(services: Services) -> tuple[Grant, ...]:
    """Every stored grant; none where there is no chat file, or it can't be read just now.

    One ``lstat`` where nothing was ever granted.
    """
    path = services.places.chat_db
    if not os.path.lexists(path):
        return ()
    # here: nothing of the store is needed before the first grant
    from tongs_chat import grants, roles
    from tongs_chat.database import Database
    from tongs_chat.errors import ChatError

    with suppress(ChatError), Database(str(path), roles.READER) as database:
        return grants.every(database)
    return ()


def chat_of(services: Services, seen: tuple[Seen, ...]) -> Mapping[str, dict[str, Any]]:
    """What each of these launches shows of its grant, by launch id."""
    found = grants_of(services)
    if not found:
        return {}
    from tongs_agents.chat.standing import standing

    by_id = {each.record.launch_id: each for each in seen}
    return {
        grant.launch_id: standing(grant, by_id[grant.launch_id]).in_launch()
        for grant in found
        if grant.launch_id in by_id
    }


def launch_of(services: Services, handle: str) -> str | None:
    """The launch that was granted this handle; whether the grant still holds is not asked."""
    return next((it.launch_id for it in grants_of(services) if it.handle == handle), None)


__all__ = ["chat_of", "grants_of", "launch_of"]
