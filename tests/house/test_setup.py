"""What the set-up says on machines that lack something: each machine is a PATH of stand-ins."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.house.tree import ROOT

TOOLS = ("sh", "sed", "env", "touch", "cat", "chmod")


class Machine(NamedTuple):
    """The programs of a machine, as shell scripts, and what `need-tmux` makes of it."""

    test_id: str
    programs: Mapping[str, str]
    code: int
    says: str = ""
    ran: tuple[str, ...] = ()


ROOT_USER = {"id": "echo 0"}
A_USER = {"id": "echo 1000"}
BRINGS_TMUX = r"""
echo "apt-get $*" >> "$LOG"
case $* in *install*)
    printf '#!/bin/sh\necho tmux 3.4\n' > "$BIN/tmux"
    chmod +x "$BIN/tmux" ;;
esac
"""
BRINGS_NOTHING = 'echo "apt-get $*" >> "$LOG"'
APT = ("apt-get update -qq", "apt-get install -y -qq tmux")

MACHINES = [
    Machine("3.2 is enough", {"tmux": "echo tmux 3.2"}, 0),
    Machine("3.3a is enough", {"tmux": "echo tmux 3.3a"}, 0),
    Machine("3.10 is newer than 3.2", {"tmux": "echo tmux 3.10"}, 0),
    Machine("a release to come", {"tmux": "echo tmux next-3.7"}, 0),
    Machine("the development version", {"tmux": "echo tmux master"}, 0),
    Machine("version 4", {"tmux": "echo tmux 4.0"}, 0),
    Machine("3.1c is too old", {"tmux": "echo tmux 3.1c", **ROOT_USER}, 1, "found tmux 3.1c"),
    Machine("2.9 is too old", {"tmux": "echo tmux 2.9a", **ROOT_USER}, 1, "found tmux 2.9a"),
    Machine("one that does not run", {"tmux": "exit 127"}, 1, "one that does not run"),
    Machine("nothing to install it with", ROOT_USER, 1, "the package is called tmux"),
    Machine(
        "root with apt", {**ROOT_USER, "apt-get": BRINGS_TMUX}, 0, "installing it with apt-get", APT
    ),
    Machine(
        "apt that has no tmux",
        {**ROOT_USER, "apt-get": BRINGS_NOTHING},
        1,
        "apt-get did not bring it",
        APT,
    ),
    Machine(
        "a user whose sudo asks nothing",
        {**A_USER, "sudo": '[ "$1" = -n ] && shift; exec "$@"', "true": "", "apt-get": BRINGS_TMUX},
        0,
        "installing it with apt-get",
        APT,
    ),
    Machine(
        "a user whose sudo asks",
        {**A_USER, "sudo": "exit 1", "apt-get": BRINGS_TMUX},
        1,
        "sudo apt-get install tmux",
    ),
    Machine(
        "a user without sudo", {**A_USER, "dnf": "exit 0"}, 1, "for example: sudo dnf install tmux"
    ),
]


def _run(
    script: str, programs: Mapping[str, str], folder: Path
) -> subprocess.CompletedProcess[str]:
    bin_dir = folder / "bin"
    bin_dir.mkdir()
    for tool in TOOLS:
        (bin_dir / tool).symlink_to(shutil.which(tool) or tool)
    for name, body in programs.items():
        (bin_dir / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        (bin_dir / name).chmod(0o755)
    return subprocess.run(
        [ROOT / "scripts" / script],
        env={"PATH": str(bin_dir), "BIN": str(bin_dir), "LOG": str(folder / "log")},
        capture_output=True,
        encoding="utf-8",
    )


@pytest.mark.parametrize("machine", [pytest.param(each, id=each.test_id) for each in MACHINES])
def test_need_tmux_installs_it_or_says_what_to_install(machine: Machine, tmp_path: Path):
    result = _run("need-tmux", machine.programs, tmp_path)
    said = result.stdout + result.stderr
    log = tmp_path / "log"
    assert result.returncode == machine.code, said
    assert machine.says in said
    assert bool(said) == bool(machine.says)
    assert (log.read_text(encoding="utf-8").splitlines() if log.exists() else []) == [*machine.ran]


GOOD = "echo /opt/python/bin/python3"


@pytest.mark.parametrize(
    ("programs", "code", "says"),
    [
        pytest.param({"python3": GOOD}, 0, "/opt/python/bin/python3\n", id="python3"),
        pytest.param(
            {"python3.13": "exit 127", "python3.11": GOOD, "python3": "exit 1"},
            0,
            "/opt/python/bin/python3\n",
            id="a name on PATH that does not run is passed over",
        ),
        pytest.param({"python3": "exit 1"}, 1, "needs Python 3.11 or newer", id="too old"),
        pytest.param({}, 1, "needs Python 3.11 or newer", id="none"),
    ],
)
def test_need_python_prints_one_or_says_what_to_install(
    programs: dict[str, str], code: int, says: str, tmp_path: Path
):
    result = _run("need-python", programs, tmp_path)
    assert result.returncode == code
    assert says in result.stdout + result.stderr
    assert len((result.stdout + result.stderr).splitlines()) == 1
