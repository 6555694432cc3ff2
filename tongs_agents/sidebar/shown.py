"""What widgets say of an error."""

from __future__ import annotations


def sentence(error: BaseException) -> str:
    """What an error says, with its hint."""
    from tongs_agents.outcomes import failure_of  # here: nothing went wrong, nearly always

    found = failure_of(error)
    return f"{found.error} ({found.hint})" if found.hint else found.error


__all__ = ["sentence"]
