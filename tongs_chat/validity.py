"""What a stored grant is worth now: a row alone never authorises (2.13). Pure."""

from __future__ import annotations

from tongs_chat.errors import GrantError
from tongs_chat.model import Grant, GrantState


def is_for(grant: Grant, pid: int, start_token: str | None) -> bool:
    """True where ``grant`` was given to exactly this process."""
    return start_token is not None and (grant.pid, grant.start_token) == (pid, start_token)


def state_of(grant: Grant, *, current: bool) -> GrantState:
    """What a grant is, where ``current`` says whether its process still has its pane (2.12, A39).

    ``tools-pending`` until its client was shown the chat tools after the grant (2.14).
    """
    if not current:
        return "stale"
    listed = grant.listed_at is not None and grant.listed_at >= grant.granted_at
    return "active" if listed else "tools-pending"


def require(grant: Grant | None, launch_id: str, pid: int, start_token: str | None) -> Grant:
    """``grant``, where it is this process's; ``pid`` and token are of the verified claim.

    Raises:
        GrantError: there is none, or it was given to another process.
    """
    if grant is None:
        raise GrantError(f"launch {launch_id} has no chat grant", hint="a person can grant it")
    if not is_for(grant, pid, start_token):
        raise GrantError(
            f"the grant of {launch_id} was given to a process that has ended",
            hint="a person can grant chat to this one",
        )
    return grant


__all__ = ["is_for", "require", "state_of"]
