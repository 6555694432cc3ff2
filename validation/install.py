"""The pinned harnesses, installed from npm into a cache: once a version, never globally."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from validation.troubles import CannotRun

VERSIONS = Path(__file__).with_name("versions.toml")


@dataclass(frozen=True, slots=True)
class Pinned:
    """One harness as ``versions.toml`` pins it."""

    harness: str
    package: str
    version: str
    program: str
    megabytes: int
    node: str = ""
    """The version of Node.js that it runs on, which comes with it; empty for a native program."""

    def prefix(self, cache: Path) -> Path:
        """Where this very version is, or is to be."""
        return cache / f"{self.harness}-{self.version}"


def pinned(file: Path = VERSIONS) -> dict[str, Pinned]:
    """Every pinned harness by name."""
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    return {name: Pinned(harness=name, **values) for name, values in tables.items()}


def cache_of(environ: Mapping[str, str]) -> Path:
    """``$XDG_CACHE_HOME/tongs-agents/harness``, the cache in the home by default."""
    home = environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home, "tongs-agents", "harness")


def installed(harness: Pinned, cache: Path, say: Callable[[str], None]) -> Path:
    """The directory of the harness's program, installed first where need be.

    Raises CannotRun with one sentence where npm is missing or fails.
    """
    programs = harness.prefix(cache) / "bin"
    if _version(programs / harness.program) == harness.version:
        return programs
    npm = shutil.which("npm")
    if npm is None:
        raise CannotRun(
            f"{harness.harness} {harness.version} is not in the cache and npm is not on PATH: "
            "install Node.js with its npm, and run this again."
        )
    say(f"installing {harness.package} {harness.version} (about {harness.megabytes} MB, once) …")
    _npm(npm, harness, cache)
    found = _version(programs / harness.program)
    if found != harness.version:
        raise CannotRun(f"npm installed {harness.package}, but it says it is {found or 'nothing'}.")
    return programs


def zellij() -> Path | None:
    """The directory of a Zellij that is new enough, on PATH or in the cache; None without one."""
    script = Path(__file__).parents[1] / "scripts" / "need-zellij"
    done = subprocess.run(["sh", script, "--where-if-any"], capture_output=True, encoding="utf-8")
    found = done.stdout.strip()
    return Path(found) if found else None


def _npm(npm: str, harness: Pinned, cache: Path) -> None:
    prefix = harness.prefix(cache)
    prefix.mkdir(parents=True, exist_ok=True)
    argv = [npm, "install", "--global", "--prefix", str(prefix), "--no-fund", "--no-audit"]
    # the package's install script puts its native program in place; newer npm asks for leave
    argv += [f"--allow-scripts={harness.package}", f"{harness.package}@{harness.version}"]
    argv += [f"{_node()}@{harness.node}"] if harness.node else []
    done = subprocess.run(argv, capture_output=True, encoding="utf-8", errors="replace")
    if done.returncode:
        raise CannotRun(
            f"npm could not install {harness.package} {harness.version}: {_complaint(done.stderr)}"
        )


def _node() -> str:
    """The package that is Node.js for this machine: its program and no script."""
    processors = {"x86_64": "x64", "aarch64": "arm64"}
    machine = platform.machine()
    return f"node-{platform.system().lower()}-{processors.get(machine, machine)}"


def _complaint(said: str) -> str:
    """The last line of what npm said that tells something; it ends with where its log is."""
    lines = [line.removeprefix("npm error ").strip() for line in said.splitlines()]
    telling = [line for line in lines if line and "log of this run" not in line]
    return telling[-1] if telling else "it did not say why"


def _version(program: Path) -> str:
    """What the program says its version is; empty where it says nothing."""
    try:
        done = subprocess.run(
            [program, "--version"],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=30,
            env={"HOME": "/nonexistent", "PATH": f"{program.parent}:{os.defpath}"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return next((word for word in done.stdout.split() if word[0].isdigit()), "")


__all__ = ["VERSIONS", "Pinned", "cache_of", "installed", "pinned", "zellij"]
