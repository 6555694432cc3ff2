"""Bells: an empty file for a launch that has something to hear; its hook looks for it (A82)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tongs_mux.errors import ClaimError, LaunchNotFound, PlaceRefused
from tongs_mux.files import open_private, private_dir

if TYPE_CHECKING:
    from tongs_agents.services import Services


def ring(services: Services, launch_ids: Iterable[str]) -> None:
    """Ring the bell of each launch, in its own runtime dir (A81).

    Never fails: a lost bell costs only delay, for the prompt's digest reads the store.
    """
    for launch_id in launch_ids:
        with suppress(OSError, PlaceRefused, LaunchNotFound, ClaimError):
            record = services.store.read(launch_id)
            runtime = record.places.get("runtime_dir", str(services.places.runtime_dir))
            directory = private_dir(Path(runtime) / "bells")
            os.close(open_private(directory / launch_id, os.O_WRONLY | os.O_CREAT))


__all__ = ["ring"]
