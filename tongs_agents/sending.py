"""Sending to a launch, as every verb and tool does it: noted for the waits to come (A74)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tongs_agents.launches import is_wrapper, reader_of
from tongs_mux.text import sha256

if TYPE_CHECKING:
    from tongs_agents.services import Services
    from tongs_mux.acts import Actor
    from tongs_mux.control import Asked
    from tongs_mux.model import LaunchRecord, Receipt


def send(
    services: Services, record: LaunchRecord, text: str, by: Actor, *, asked: Asked | None = None
) -> Receipt:
    """Send, and note it also where it may only have landed.

    Raises what ``Controller.send`` raises, and PlaceRefused.
    """
    since = services.clock()
    try:
        return services.acting().send(
            record,
            text,
            reader_of(record),
            by,
            wrapper=is_wrapper(record),
            asked=asked,
            proof=services.watch.proof(record) if services.watch.hooked(record) else None,
        )
    except BaseException as error:
        if getattr(error, "effect", "none") != "none":
            services.watch.note_uncertain(record, since, sha256(text.encode("utf-8", "replace")))
        raise


__all__ = ["send"]
