"""P1: the hook of a tool event with nothing to say, beside `/bin/true`, for dash and bash as sh."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tongs_agents.hooks.command import hook_command
from tongs_agents.paths import Places, environment
from validation.bench.measure import Sample, interleaved, timed
from validation.bench.report import Row

GOAL = 1.25
TIMES = 15
"""These runs are short: so many for each one that was asked for."""

LAUNCH = "0123456789ab"
SHELLS = ("dash", "bash")
NOTES = {
    "dash": "the shell is started by the harness anyway; ours is one file sourced, one written.",
    "bash": "bash takes {floor:.2f} × /bin/true before it reads a word ({own:.2f} × of that is "
    "ours); the harness starts it anyway.",
}


def measure(runs: int) -> list[Row]:
    """A row for each shell that is there, launched and not."""
    with _world() as (directory, launched, bare):
        shells = [(name, shutil.which(name)) for name in SHELLS]
        found = {name: _as_sh(directory / name, path) for name, path in shells if path}
        subjects = [("/bin/true", _process([shutil.which("true") or "/bin/true"], bare))]
        for name, shell in found.items():
            words = [shell, "-c", _command()]
            subjects += [
                (f"{name} -c :", _process([shell, "-c", ":"], bare)),
                (f"{name}, launched", _process(words, launched)),
                (f"{name}, not launched", _process(words, bare)),
            ]
        floor, *samples = interleaved(runs * TIMES, subjects, warmup=20)
    return [row for name in found for row in _rows(name, floor, samples)]


def _rows(name: str, floor: Sample, samples: list[Sample]) -> Iterator[Row]:
    empty, *ours = (sample for sample in samples if sample.name.startswith(name))
    for sample in ours:
        ratios = {
            "floor": empty.median / floor.median,
            "own": sample.median / empty.median,
        }
        what = f"hook, nothing to say: {sample.name}"
        yield Row("P1", what, floor, sample, GOAL, NOTES[name].format(**ratios))


@contextmanager
def _world() -> Iterator[tuple[Path, dict[str, str], dict[str, str]]]:
    """(a directory, the environment of a launch that is this process, that of none)."""
    with tempfile.TemporaryDirectory(prefix="tongs-p1-") as name:
        directory = Path(name)
        for part in ("pulses", "bells"):
            (directory / "run" / part).mkdir(parents=True, mode=0o700)
        bare = {"PATH": os.environ["PATH"], "HOME": name}
        places = Places(directory / "config.toml", directory / "state", directory / "run")
        yield directory, bare | environment(places, LAUNCH, os.getpid()), bare


def _as_sh(directory: Path, shell: str) -> str:
    """``shell`` under the name by which harnesses start it."""
    directory.mkdir()
    path = directory / "sh"
    path.symlink_to(shell)
    return str(path)


def _command() -> str:
    return hook_command("claude", "attached", "PreToolUse", python=Path(sys.executable))


def _process(argv: list[str], environ: Mapping[str, str]) -> Callable[[], float]:
    def act() -> None:
        _, status = os.waitpid(os.posix_spawn(argv[0], argv, environ), 0)
        if status:
            raise RuntimeError(f"{argv[0]} ended with {status}")

    return timed(act)
