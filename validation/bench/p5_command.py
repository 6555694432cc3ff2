"""P5: `tongs-agents send` as a whole process, beside importing what it stands on."""

from __future__ import annotations

import subprocess
import sys

from tongs_mux.send import Pauses
from validation.bench.farm import Farm
from validation.bench.measure import Sample, interleaved, timed

GOAL = 1.5
WAITS = Pauses().between_looks + Pauses().before_enter
"""The guards' deliberate waits, taken off: they are the same however fast the rest is."""


def measure(made: Farm, runs: int) -> tuple[Sample, Sample]:
    """(floor, ours), in seconds of a whole process; ours without the deliberate waits."""
    environ = made.environ | {
        "TONGS_AGENTS_CONFIG": str(made.directory / "config.toml"),
        "TONGS_AGENTS_STATE_DIR": str(made.directory / "state"),
        "TONGS_AGENTS_RUNTIME_DIR": str(made.directory / "run"),
    }

    def process(*words: str) -> None:
        subprocess.run([sys.executable, *words], env=environ, check=True, capture_output=True)

    def ours() -> float:
        words = ("-I", "-m", "tongs_agents.cli.main", "send", made.target.launch_id, "hello")
        return timed(lambda: process(*words))() - WAITS

    floor = timed(lambda: process("-I", "-c", "import click, libtmux"))
    subjects = (("python -c 'import click, libtmux'", floor), ("tongs-agents send", ours))
    first, second = interleaved(runs, subjects)
    return first, second
