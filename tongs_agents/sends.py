"""The last send to each launch: what a wait must be newer than (A74), one private file each."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, cast

from tongs_mux.errors import PlaceRefused
from tongs_mux.files import private_dir, read_private, write_atomic
from tongs_mux.ids import is_launch_id

_MAX_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Sent:
    """A send to a launch; the text itself is not kept."""

    at: float
    """When it began, before anything was typed: seconds since the epoch, UTC."""
    sha256: str
    receipt: Literal["submitted", "pasted"]
    """``pasted`` too where it ended uncertain: it may have landed."""


class SendStore:
    """One file a launch below ``sends/`` in its runtime dir."""

    def __init__(self, runtime: Path) -> None:
        self._directory = runtime / "sends"

    def note(self, launch_id: str, sent: Sent) -> None:
        """Remember a send that typed something; a refused one is none.

        Raises PlaceRefused, OSError.
        """
        last = self.last(launch_id)
        if last is not None and last.at > sent.at:
            return
        private_dir(self._directory)
        write_atomic(self.path(launch_id), json.dumps(asdict(sent)).encode("ascii"))

    def last(self, launch_id: str) -> Sent | None:
        """The last send, None where none is known or its file can't be believed."""
        if not is_launch_id(launch_id):
            return None
        try:
            values = json.loads(read_private(self.path(launch_id), _MAX_BYTES))
            receipt = "submitted" if values["receipt"] == "submitted" else "pasted"
            return Sent(
                float(values["at"]),
                str(values["sha256"]),
                cast(Literal["submitted", "pasted"], receipt),
            )
        except (OSError, PlaceRefused, ValueError, LookupError, TypeError, ArithmeticError):
            return None

    def path(self, launch_id: str) -> Path:
        """Where the last send of a launch is remembered."""
        return self._directory / f"{launch_id}.json"


__all__ = ["SendStore", "Sent"]
