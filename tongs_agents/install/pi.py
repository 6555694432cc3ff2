"""Pi's registration: one file of ours in its folder of extensions, for hooks and server alike."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tongs_agents.harness.pi_attach import SINCE_SERVERS, extension_file, number_of
from tongs_agents.install.registration import Registered

MARK = "// Written by tongs-agents."
"""How our file begins; one that does not is somebody else's."""


def agent_dir(environ: Mapping[str, str], home: Path) -> Path:
    """Where Pi keeps its settings."""
    given = environ.get("PI_CODING_AGENT_DIR", "")
    if given == "~" or given.startswith("~/"):
        return home / given[2:]
    return Path(given) if given else home / ".pi" / "agent"


def files(
    environ: Mapping[str, str], home: Path, version: str, *, python: Path
) -> tuple[Registered, ...]:
    """The one file; without our server where this Pi can't have one."""
    number = number_of(version)
    server = number is None or number >= SINCE_SERVERS
    text = extension_file("installed", python=python, server=server)

    def put_in(now: str) -> str:
        _check(now)
        return text

    def take_out(now: str) -> str:
        _check(now)
        return ""

    place = agent_dir(environ, home) / "extensions" / "tongs-agents.ts"
    return (Registered(place, put_in, take_out, lambda now: now == text, "", whole=True),)


def _check(now: str) -> None:
    if now.strip() and not now.startswith(MARK):
        raise ValueError("it is no file of ours")


__all__ = ["MARK", "agent_dir", "files"]
