"""Checks of the config: its faults by line, and what would make a spawn fail now."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from tongs_agents.config import Config
from tongs_agents.doctor.check import Check
from tongs_agents.errors import ConfigError
from tongs_mux.errors import PlaceRefused


def checks(path: Path, load: Callable[[], Config], programs: str) -> Iterator[Check]:
    """What is to be said of the config at ``path``; ``programs`` is a PATH."""
    try:
        config = load()
    except ConfigError as error:
        for fault in error.faults:
            allowed = f"allowed: {fault.allowed}"
            text = fault.sentence(error.path).removesuffix(f"; {allowed}")
            yield Check("config", "fault", text, allowed)
        return
    except PlaceRefused as error:
        yield Check("config", "fault", error.message, error.hint)
        return
    if not path.exists():
        text = f"{path} does not exist: every setting has its default, and there is no profile"
        yield Check("config", "warning", text, "`tongs-agents init` writes one")
        return
    number = len(config.profiles)
    yield Check("config", "ok", f"{path}: {number} profile{'' if number == 1 else 's'}")
    yield from _profiles(config, programs)


def _profiles(config: Config, programs: str) -> Iterator[Check]:
    """It may be right by the time of a spawn, so it is a warning."""
    for profile in config.profiles.values():
        name = f"profiles.{profile.name}"
        program = profile.command[0]
        if shutil.which(program, path=profile.env.get("PATH", programs)) is None:
            yield Check(name, "warning", f"{program}: no such command in PATH", "install it")
        if profile.cwd is not None and not profile.cwd.is_dir():
            yield Check(name, "warning", f"{profile.cwd} is no directory", "make it")


def programs_of(environ_path: str | None) -> str:
    """A PATH, the system's own where none is set."""
    return os.defpath if environ_path is None else environ_path


__all__ = ["checks", "programs_of"]
