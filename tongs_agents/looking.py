"""A look at one launch, as ``agent-status`` and the tool of that purpose show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tongs_agents.chat.shown import chat_of
from tongs_agents.shapes import launch_shape
from tongs_agents.status import is_orphan
from tongs_mux.evidence import refusal

if TYPE_CHECKING:
    from tongs_agents.services import Services
    from tongs_agents.watching import Doing
    from tongs_mux.model import LaunchRecord


@dataclass(frozen=True, slots=True)
class Looked:
    """What was seen at the time ``at``; ``launch`` is the JSON shape of it."""

    doing: Doing
    at: float
    launch: dict[str, Any]

    @property
    def ended(self) -> bool:
        """True where the launch has ended: a look at it is then ``exited`` (3)."""
        return self.doing.seen.verdict.state == "exited"


def look(services: Services, record: LaunchRecord) -> Looked:
    """State and status of a launch.

    Raises VerificationFailed where it has not claimed its pane yet (6.22).
    """
    doing, at = services.watch.look(record), services.clock()
    if doing.seen.verdict.state == "pending":
        raise refusal(doing.seen)
    others = {each.launch_id: each for each in services.records()[0]}
    orphan = is_orphan(record, others, services.processes)
    chat = chat_of(services, (doing.seen,)).get(record.launch_id)
    return Looked(doing, at, launch_shape(doing, orphan=orphan, chat=chat))


__all__ = ["Looked", "look"]
