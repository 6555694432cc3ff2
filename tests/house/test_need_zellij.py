"""What the set-up makes of machines with, without and with an old Zellij; cargo is a stand-in."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.house.tree import ROOT

TOOLS = (
    *("sh", "sed", "cat", "chmod", "mktemp", "rm", "sort", "head", "tail", "mkdir"),
    *("date", "sleep", "grep"),
)
BUILDS = r"""
[ "$CARGO_PROFILE_RELEASE_LTO $CARGO_PROFILE_RELEASE_OPT_LEVEL" = "off 1" ] || exit 9
while [ $# -gt 0 ]; do [ "$1" = --root ] && root=$2; shift; done
mkdir -p "$root/bin"
printf '#!/bin/sh\necho zellij 0.45.1\n' > "$root/bin/zellij"
chmod +x "$root/bin/zellij"
echo "   Compiling zellij v0.45.1"
"""
FAILS = 'echo "error: no such crate" >&2; exit 101'


class Machine(NamedTuple):
    """Programs, what was built before, and what `need-zellij` says and ends with."""

    test_id: str
    programs: Mapping[str, str] = {}
    built: str = ""
    code: int = 0
    ci: int = 0
    says: tuple[str, ...] = ()
    where: str = ""
    """The directory that ``--where`` prints: ``bin`` or one in the cache."""


MACHINES = [
    Machine("on PATH", {"zellij": "echo zellij 0.45.1"}, where="bin"),
    Machine("the oldest that is enough", {"zellij": "echo zellij 0.44.2"}, where="bin"),
    Machine("0.100 is newer than 0.44", {"zellij": "echo zellij 0.100.0"}, where="bin"),
    Machine("version 1", {"zellij": "echo zellij 1.0.0"}, where="bin"),
    Machine("built before", built="0.45.1", where="cache/tongs-agents/zellij/0.45.1/bin"),
    Machine(
        "an old one on PATH, a good one built",
        {"zellij": "echo zellij 0.43.1"},
        built="0.45.1",
        where="cache/tongs-agents/zellij/0.45.1/bin",
    ),
    Machine("none, and no cargo", ci=1, says=("cargo", "tests on Zellij")),
    Machine("an old one", {"zellij": "echo zellij 0.44.1"}, ci=1, says=("cargo",)),
    Machine("one that does not run", {"zellij": "exit 127"}, ci=1, says=("cargo",)),
    Machine(
        "cargo builds it",
        {"cargo": BUILDS},
        says=("about 5 minutes", "is built: "),
        where="cache/tongs-agents/zellij/0.45.1/bin",
    ),
    Machine("cargo fails", {"cargo": FAILS}, ci=1, says=("no such crate", "building it failed")),
]


def run(machine: Machine, folder: Path, *options: str, ci: bool = False):
    bin_dir, cache = folder / "bin", folder / "cache"
    if not bin_dir.exists():
        bin_dir.mkdir()
        for tool in TOOLS:
            (bin_dir / tool).symlink_to(shutil.which(tool) or tool)
        for name, body in machine.programs.items():
            (bin_dir / name).write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
            (bin_dir / name).chmod(0o755)
        if machine.built:
            program = cache / "tongs-agents/zellij" / machine.built / "bin/zellij"
            program.parent.mkdir(parents=True)
            program.write_text(f"#!/bin/sh\necho zellij {machine.built}\n", encoding="utf-8")
            program.chmod(0o755)
    environ = {"PATH": str(bin_dir), "XDG_CACHE_HOME": str(cache), **({"CI": "true"} if ci else {})}
    return subprocess.run(
        [ROOT / "scripts" / "need-zellij", *options],
        env=environ,
        capture_output=True,
        encoding="utf-8",
    )


@pytest.mark.parametrize("ci", [False, True], ids=["by hand", "CI"])
@pytest.mark.parametrize("machine", [pytest.param(each, id=each.test_id) for each in MACHINES])
def test_need_zellij_finds_builds_or_says_why_not(machine: Machine, ci: bool, tmp_path: Path):
    result = run(machine, tmp_path, ci=ci)
    assert result.returncode == (machine.ci if ci else machine.code), result.stderr
    assert result.stdout == ""
    assert all(words in result.stderr for words in machine.says), result.stderr
    assert bool(result.stderr) == bool(machine.says)


@pytest.mark.parametrize("machine", [pytest.param(each, id=each.test_id) for each in MACHINES])
def test_where_it_is_can_be_asked(machine: Machine, tmp_path: Path):
    result = run(machine, tmp_path, "--where")
    assert result.stdout.strip() == (str(tmp_path / machine.where) if machine.where else "")


def test_asking_where_can_leave_it_at_that(tmp_path: Path):
    result = run(Machine("cargo builds it", {"cargo": BUILDS}), tmp_path, "--where-if-any")
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_it_is_built_only_once(tmp_path: Path):
    machine = Machine("cargo builds it", {"cargo": BUILDS})
    assert "building" in run(machine, tmp_path).stderr
    assert run(machine, tmp_path).stderr == ""


def test_a_cargo_of_rustup_finds_its_toolchain_under_an_empty_home(tmp_path: Path):
    owner = tmp_path / "owner"
    cargo = owner / ".cargo" / "bin" / "cargo"
    cargo.parent.mkdir(parents=True)
    (owner / ".rustup").mkdir()
    needs = f'[ "$RUSTUP_HOME" = "{owner}/.rustup" ] || exit 7\n{BUILDS}'
    cargo.write_text(f"#!/bin/sh\n{needs}\n", encoding="utf-8")
    cargo.chmod(0o755)
    run(Machine("tools alone"), tmp_path, "--where-if-any")  # lays out the machine
    home, cache = tmp_path / "empty", tmp_path / "cache"
    home.mkdir()
    result = subprocess.run(
        [ROOT / "scripts" / "need-zellij"],
        env={
            "PATH": f"{cargo.parent}:{tmp_path / 'bin'}",
            "HOME": str(home),
            "XDG_CACHE_HOME": str(cache),
            "CI": "true",
        },
        capture_output=True,
        encoding="utf-8",
    )
    assert result.returncode == 0, result.stderr
    assert "is built: " in result.stderr
