"""The front: real shells, run by the claimed process as a harness runs hooks."""

from __future__ import annotations

import os
import re
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents.hook_rig import (
    LAUNCH,
    NESTED,
    PYTHON,
    SHELLS,
    SILENT,
    World,
    hook,
    launched,
    named,
    pulsed,
    shells,
    unlaunched,
    world_at,
)
from tests.tools import need_strace
from tests.waiting import wait_for
from tongs_agents.hooks.command import DIRECTORY

in_every_shell = pytest.mark.parametrize("shell", shells())
TOOLS = ("PreToolUse", "PostToolUse")


def nested(program: Path = PYTHON) -> tuple[str, ...]:
    return (str(program), "-I", "-S", "-c", NESTED)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[World]:
    with launched(tmp_path) as made:
        yield made


@pytest.fixture
def free(tmp_path: Path) -> Iterator[World]:
    with unlaunched(tmp_path) as made:
        yield made


# ---------------------------------------------------------------- the silent path


@in_every_shell
@pytest.mark.parametrize("event", TOOLS)
@pytest.mark.requirement("4.2", "A83", "P1")
def test_a_tool_event_leaves_one_line_and_says_nothing(rig: World, shell: Any, event: str):
    for _ in range(2):
        assert rig.hook(event, shell=shell) == SILENT
    assert rig.pulse.read_text(encoding="ascii").split() == [event]
    assert stat.S_IMODE(rig.pulse.stat().st_mode) == 0o600
    assert rig.sessions() == ()


@in_every_shell
def test_the_pulse_stays_one_line_and_its_time_moves(rig: World, shell: Any):
    for event in (*TOOLS, "PreToolUse"):
        rig.hook(event, shell=shell)
        os.utime(rig.pulse, (1.0, 1.0))
    rig.hook("PreToolUse", shell=shell)
    assert rig.pulse.read_bytes() == b"PreToolUse \n"
    assert abs(rig.pulse.stat().st_mtime - time.time()) < 60


@in_every_shell
@pytest.mark.parametrize("size", [0, 600, 100_000, 2_000_000])
def test_a_payload_of_any_size_is_left_unread(rig: World, shell: Any, size: int):
    assert rig.hook("PostToolUse", b"x" * size, shell=shell) == SILENT
    assert pulsed(rig)


@in_every_shell
@pytest.mark.requirement("A82")
def test_a_bell_takes_a_tool_event_to_python_which_has_nothing_to_say(rig: World, shell: Any):
    rig.bell.touch()
    assert rig.hook("PostToolUse", shell=shell) == SILENT
    assert pulsed(rig)
    assert rig.bell.exists()


@in_every_shell
@pytest.mark.parametrize("event", TOOLS)
@pytest.mark.requirement("4.9", "A85")
def test_a_tool_event_of_a_session_that_nobody_launched_makes_nothing(
    free: World, shell: Any, event: str
):
    before = sorted(free.root.rglob("*"))
    assert free.hook(event, shell=shell) == SILENT
    assert [path for path in free.root.rglob("*") if path.name != "payload"] == before


# ---------------------------------------------------------------- whose event it is


IDS = {
    "path": "../../../../up",
    "short": "0123456",
    "long": "a" * 65,
    "upper": "0123456789AB",
    "newline": "0123456789ab\n",
    "slash": "01234567/9ab",
    "not text": "0123456789\udcffab",
    "another's": "ba9876543210",
}


@in_every_shell
@pytest.mark.parametrize("launch_id", IDS.values(), ids=IDS)
@pytest.mark.requirement("A70")
def test_an_id_that_is_none_or_anothers_changes_nothing(rig: World, shell: Any, launch_id: str):
    rig.record(launch_id="ba9876543210", claim=None)
    before = {*rig.root.rglob("*"), rig.root / "payload"}
    env = {"TONGS_AGENTS_LAUNCH_ID": launch_id}
    for event in ("PreToolUse", "UserPromptSubmit", "Stop"):
        assert rig.hook(event, {"prompt": "x"}, shell=shell, env=env) == SILENT
    after = set(rig.root.rglob("*"))
    if launch_id == IDS["another's"]:
        # the front knows ids by their form only; Python knows whose they are
        after.discard(rig.places.runtime_dir / "pulses" / launch_id)
    assert after <= before


@in_every_shell
@pytest.mark.requirement("A70")
def test_a_nested_harness_is_not_the_launchs(rig: World, shell: Any):
    for event in ("PreToolUse", "UserPromptSubmit", "Stop", "SessionEnd"):
        assert rig.hook(event, {"prompt": "x"}, shell=shell, before=nested()) == SILENT
    assert not pulsed(rig)
    assert rig.sessions() == ()


@in_every_shell
@pytest.mark.parametrize("words", ["exec", "true &&"])
@pytest.mark.requirement("A70")
def test_a_nested_harness_below_the_agents_shell_is_not_the_launchs(
    rig: World, shell: Any, words: str
):
    before = ("bash", "-c", f'{words} "$0" "$@"; :', *nested())
    for event in ("PreToolUse", "Stop"):
        assert rig.hook(event, shell=shell, before=before) == SILENT
    assert not pulsed(rig)
    assert rig.sessions() == ()


@in_every_shell
@pytest.mark.requirement("A70")
def test_one_shell_between_hook_and_harness_is_the_users_own(rig: World, shell: Any):
    before = ("bash", "-c", '"$0" "$@"; exit "$?"')
    assert rig.hook("PreToolUse", shell=shell, before=before) == SILENT
    assert pulsed(rig)
    assert rig.hook("Stop", shell=shell, before=before) == SILENT
    assert [session.status for session in rig.sessions()] == ["done"]


@in_every_shell
def test_two_shells_between_are_one_too_many(rig: World, shell: Any):
    before = ("bash", "-c", '"$0" "$@"; exit "$?"') * 2
    for event in ("PreToolUse", "Stop"):
        assert rig.hook(event, shell=shell, before=before) == SILENT
    assert not pulsed(rig)
    assert rig.sessions() == ()


@in_every_shell
@pytest.mark.parametrize("name", ["sh) S 1 (x", "a b) (sh", "(sh)", "sh ", ")"])
def test_a_name_with_blanks_and_brackets_is_read_as_the_name_that_it_is(
    rig: World, shell: Any, name: str
):
    before = nested(named(name, rig.root))
    for event in ("PreToolUse", "Stop"):
        assert rig.hook(event, shell=shell, before=before) == SILENT
    assert not pulsed(rig)
    assert rig.sessions() == ()


@in_every_shell
def test_the_claimed_process_itself_may_have_any_name(tmp_path: Path, shell: Any):
    with world_at(tmp_path) as world:
        world.start(program=named("we) S 1 (ird", tmp_path))
        world.record()
        before = ("bash", "-c", '"$0" "$@"; exit "$?"')
        world.hook("PreToolUse", shell=shell, before=before)
        world.hook("Stop", shell=shell, before=before)
        assert pulsed(world)
        assert len(world.sessions()) == 1


@in_every_shell
@pytest.mark.requirement("A70")
def test_the_program_that_a_harnesss_own_script_has_started_is_the_harness(
    tmp_path: Path, shell: Any
):
    """npm's package of Codex: ``node`` is claimed, and waits for the program ``codex``."""
    with world_at(tmp_path) as world:
        world.start(program=named("node", tmp_path))
        world.record(harness="codex")
        codex = nested(named("codex", tmp_path))
        for event in ("PreToolUse", "UserPromptSubmit", "Stop"):
            command = hook(event, "codex")
            assert world.hook(event, command=command, shell=shell, before=codex) == SILENT
        assert pulsed(world)
        assert [session.status for session in world.sessions()] == ["done"]


STARTED = {
    "by what is no interpreter": ("claude-x", ("codex",)),
    "under another name": ("node", ("codec",)),
    "by another harness": ("node", ("codex", "codex")),
    "by a program of its own": ("codex", ("codex",)),
}


@in_every_shell
@pytest.mark.parametrize("names", STARTED.values(), ids=STARTED)
@pytest.mark.requirement("A70")
def test_a_program_that_was_started_otherwise_is_not_the_harness(
    tmp_path: Path, shell: Any, names: tuple[str, tuple[str, ...]]
):
    claimed, programs = names
    paths = {name: named(name, tmp_path) for name in {claimed, *programs}}
    with world_at(tmp_path) as world:
        world.start(program=paths[claimed])
        world.record(harness="codex")
        before = tuple(word for name in programs for word in nested(paths[name]))
        for event in ("PreToolUse", "UserPromptSubmit", "Stop"):
            command = hook(event, "codex")
            assert world.hook(event, command=command, shell=shell, before=before) == SILENT
        assert not pulsed(world)
        assert world.sessions() == ()


@in_every_shell
@pytest.mark.requirement("A70")
def test_below_a_declared_wrapper_the_harness_may_be_any_descendant(tmp_path: Path, shell: Any):
    with world_at(tmp_path) as world:
        world.start(TONGS_AGENTS_LAUNCH_WRAPPER="yes")
        world.record()
        claude = nested(named("claude", tmp_path))
        before = ("bash", "-c", '"$0" "$@"; :', *nested(named("we) S 1 (i", tmp_path)), *claude)
        assert world.hook("PreToolUse", shell=shell, before=before) == SILENT
        assert pulsed(world)
        world.hook("Stop", shell=shell, before=before)
        assert [session.status for session in world.sessions()] == ["done"]


@in_every_shell
@pytest.mark.requirement("A70")
def test_below_a_declared_wrapper_a_harness_in_a_harness_is_not_the_launchs(
    tmp_path: Path, shell: Any
):
    with world_at(tmp_path) as world:
        world.start(TONGS_AGENTS_LAUNCH_WRAPPER="yes")
        world.record()
        claude, codex = (nested(named(name, tmp_path)) for name in ("claude", "codex"))
        for inner in (claude, codex):
            before = (*claude, "bash", "-c", '"$0" "$@"; :', *inner)
            for event in ("PreToolUse", "Stop"):
                assert world.hook(event, shell=shell, before=before) == SILENT
        assert not pulsed(world)
        assert world.sessions() == ()


@in_every_shell
@pytest.mark.requirement("A70")
def test_the_walk_below_a_wrapper_comes_to_an_end(tmp_path: Path, shell: Any):
    with world_at(tmp_path) as world:
        world.start(TONGS_AGENTS_LAUNCH_WRAPPER="yes")
        world.record()
        for pid in ("999999999", "", "x", "1"):
            env = {"TONGS_AGENTS_LAUNCH_PID": pid}
            if pid != "1":  # everybody's ancestor: only Python sees that it is not ours
                assert world.hook("PreToolUse", shell=shell, env=env) == SILENT
            assert world.hook("Stop", shell=shell, env=env) == SILENT
        assert not pulsed(world)
        assert world.sessions() == ()


# ---------------------------------------------------------------- installed and attached


@in_every_shell
@pytest.mark.requirement("A72")
def test_an_installed_hook_of_an_attached_launch_leaves_at_once(tmp_path: Path, shell: Any):
    with world_at(tmp_path) as world:
        world.start(TONGS_AGENTS_ATTACHED="yes")
        world.record()
        for event in ("PreToolUse", "Stop"):
            command = hook(event, source="installed")
            assert world.hook(event, shell=shell, command=command) == SILENT
        assert not pulsed(world)
        assert world.sessions() == ()
        for event in ("PreToolUse", "Stop"):
            assert world.hook(event, shell=shell) == SILENT
        assert pulsed(world)
        assert len(world.sessions()) == 1


@in_every_shell
@pytest.mark.requirement("A72")
def test_an_installed_hook_counts_where_nothing_was_attached(rig: World, shell: Any):
    rig.hook("PreToolUse", shell=shell, command=hook("PreToolUse", source="installed"))
    assert pulsed(rig)


# ---------------------------------------------------------------- it never blocks a tool


@in_every_shell
@pytest.mark.parametrize("event", [*TOOLS, "Stop"])
@pytest.mark.requirement("A75")
def test_a_removed_program_stays_silent(rig: World, shell: Any, event: str):
    gone = hook(event, directory=rig.root / "no such place")
    assert rig.hook(event, shell=shell, command=gone) == SILENT


@in_every_shell
@pytest.mark.parametrize("how", ["missing", "fails", "no entry", "a directory"])
@pytest.mark.requirement("A75")
def test_a_python_that_is_missing_or_broken_ends_with_0(rig: World, shell: Any, how: str):
    python, directory = rig.root / "python", DIRECTORY
    if how == "fails":
        python.write_text("#!/bin/sh\necho trouble >&2\nexit 2\n", encoding="ascii")
        python.chmod(0o755)
    elif how == "a directory":
        python.mkdir()
    elif how == "no entry":
        python, directory = PYTHON, rig.root / "hooks"
        shutil.copytree(DIRECTORY, directory)
        (directory / "entry.py").unlink()
    command = hook("Stop", python=python, directory=directory)
    assert rig.hook("Stop", shell=shell, command=command) == SILENT


@in_every_shell
@pytest.mark.parametrize(
    "trouble", ["missing", "a directory", "a file", "full", "unset", "relative"]
)
@pytest.mark.requirement("A75")
def test_a_pulse_that_cannot_be_written_is_no_trouble(rig: World, shell: Any, trouble: str):
    env: dict[str, str | None] = {}
    pulses = rig.pulse.parent
    if trouble in ("missing", "a file"):
        pulses.rmdir()
    if trouble == "a file":
        pulses.touch()
    if trouble == "a directory":
        rig.pulse.mkdir()
    if trouble == "full":
        rig.pulse.symlink_to("/dev/full")
    if trouble in ("unset", "relative"):
        env["TONGS_AGENTS_RUNTIME_DIR"] = None if trouble == "unset" else "run"
    before = sorted(rig.places.runtime_dir.rglob("*"))
    assert rig.hook("PreToolUse", shell=shell, env=env) == SILENT
    assert sorted(rig.places.runtime_dir.rglob("*")) == before


@in_every_shell
@pytest.mark.parametrize("closed", [[0], [1], [2], [0, 1, 2]], ids=str)
@pytest.mark.parametrize("event", ["PreToolUse", "Stop"])
def test_closed_descriptors_are_no_trouble(rig: World, shell: Any, event: str, closed: list[int]):
    assert rig.hook(event, shell=shell, closed=closed) == SILENT
    assert pulsed(rig) is (event == "PreToolUse")
    assert len(rig.sessions()) == (event == "Stop" and 0 not in closed)
    for path in rig.places.state_dir.rglob("*.lock"):
        assert path.read_bytes() == b""


# ---------------------------------------------------------------- what it costs


def traced(world: World, event: str, shell: tuple[str, ...]) -> list[str]:
    """The system calls of a hook, by a tracer that leaves the hook its parent."""
    need_strace("to see what the hook does")
    trace = world.root / f"trace-{event}"
    words = ("strace", "-D", "-f", "-s", "200", "-o", str(trace))
    assert world.hook(event, b"x" * 3000, shell=shell, before=words) == SILENT
    wait_for(lambda: trace.exists() and "exited with" in trace.read_text(errors="replace"))
    return trace.read_text(encoding="utf-8", errors="replace").splitlines()


def opened(lines: list[str]) -> list[str]:
    """What was opened once the shell itself was up, by name."""
    start = next(
        number for number, line in enumerate(lines) if "front.sh" in line and "open" in line
    )
    names = [re.search(r'open(?:at)?\((?:AT_FDCWD, )?"(.*?)"', line) for line in lines[start:]]
    return [Path(found[1]).name for found in names if found]


@in_every_shell
@pytest.mark.parametrize("event", TOOLS)
@pytest.mark.requirement("P1", "4.9")
def test_the_silent_path_opens_two_files_and_starts_nothing(rig: World, shell: Any, event: str):
    lines = traced(rig, event, shell)
    assert pulsed(rig)
    assert opened(lines) == ["front.sh", LAUNCH]
    calls = [line for line in lines if re.search(r"\b(clone3?|v?fork|execve)\(", line)]
    assert len(calls) == 1, calls  # the shell itself
    assert not [line for line in lines if re.search(r"\bread\(0,", line)]
    assert not [line for line in lines if re.search(r"\bwrite\(2,", line)]
    assert [line for line in lines if "write(1," in line and event in line]


@in_every_shell
@pytest.mark.requirement("P1", "4.9")
def test_a_session_that_nobody_launched_opens_the_front_and_no_more(free: World, shell: Any):
    lines = traced(free, "PreToolUse", shell)
    assert opened(lines) == ["front.sh"]
    assert not [line for line in lines if re.search(r"\b(clone3?|v?fork)\(", line)]
    assert not [line for line in lines if re.search(r"\bread\(0,", line)]


def test_the_tracer_would_see_a_process_and_a_read(rig: World):
    command = hook("Stop")
    rig.bell.touch()
    lines = traced(rig, "Stop", SHELLS["dash"])
    assert [line for line in lines if re.search(r"\b(clone3?|v?fork)\(", line)], command
    assert [line for line in lines if re.search(r"\bread\(0,", line)]
