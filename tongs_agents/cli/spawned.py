"""What ``spawn`` and ``respawn`` answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tongs_agents.cli.reply import Reply
from tongs_agents.cli.target import name_of

if TYPE_CHECKING:
    from tongs_agents.launches import Spawned


def spawned_reply(spawned: Spawned, *, respawned_from: str | None = None) -> Reply:
    """The launch that was started, with its notices on standard error."""
    from tongs_agents.shapes import spawned_shape

    record = spawned.record
    document = spawned_shape(spawned)
    where = f" in pane {record.pane.pane_id} of {record.pane.session}" if record.pane else ""
    words = f"started {name_of(record)}{where}"
    if respawned_from is not None:
        document["respawned_from"] = respawned_from
        words += f", again after {respawned_from}"
    if spawned.state != "running":
        words += f" ({spawned.state}: its program has not claimed the pane yet)"
    if spawned.prompt is not None:
        words += f"; prompt {spawned.prompt}"
    return Reply(document, (words,), tuple(f"note: {notice}" for notice in spawned.notices))


__all__ = ["spawned_reply"]
