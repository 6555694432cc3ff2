"""Whose event it is: the launch's, nobody's, or not ours to record."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agents.hook_rig import (
    LAUNCH,
    NESTED,
    PYTHON,
    SILENT,
    STAND_IN,
    World,
    hook,
    launched,
    named,
    told,
    unlaunched,
    world_at,
)
from tongs_agents.hooks import identity as hook_identity
from tongs_agents.hooks import proc
from tongs_agents.hooks.command import DIRECTORY
from tongs_agents.launcher import MODULE
from tongs_agents.parcel import Parcel, leave, parcel_path
from tongs_agents.paths import resolve
from tongs_mux.errors import PlaceRefused
from tongs_mux.files import private_dir
from tongs_mux.ids import is_launch_id
from tongs_mux.model import LaunchRecord, PaneRef
from tongs_mux.process import identity, system_processes


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[World]:
    with launched(tmp_path) as made:
        yield made


@pytest.fixture
def free(tmp_path: Path) -> Iterator[World]:
    with unlaunched(tmp_path) as made:
        yield made


def statuses(world: World) -> list[str]:
    return [session.status for session in world.sessions()]


# ---------------------------------------------------------------- whose event it is


def _path(world: World) -> Path:
    return world.places.launches / f"{LAUNCH}.json"


def _claimed(world: World, **changes: Any) -> None:
    record = world.record()
    assert record.claim is not None
    process = replace(record.claim.process, **changes)
    world.record(claim=replace(record.claim, process=process))


def _rewritten(world: World, **changes: Any) -> None:
    values = json.loads(_path(world).read_bytes())
    _path(world).write_text(json.dumps({**values, **changes}), encoding="ascii")


def _linked(world: World) -> None:
    _path(world).rename(world.root / "moved")
    _path(world).symlink_to(world.root / "moved")


SPOILED: Mapping[str, Callable[[World], object]] = {
    "no record": lambda world: world.launches.remove(LAUNCH),
    "not claimed": lambda world: world.record(claim=None),
    "another harness": lambda world: world.record(harness="codex"),
    "another's pid": lambda world: _claimed(world, pid=1),
    "another start": lambda world: _claimed(world, start_token="x:1"),  # noqa: S106 - no password
    "no start token": lambda world: _claimed(world, start_token=None),
    "other places": lambda world: world.record(places={"state_dir": "/elsewhere"}),
    "no places": lambda world: world.record(places={}),
    "another id inside": lambda world: _rewritten(world, launch_id="ba9876543210"),
    "another schema": lambda world: _rewritten(world, schema=99),
    "labels of another form": lambda world: _rewritten(world, labels=["claude"]),
    "garbage": lambda world: _path(world).write_bytes(b"\xff{"),
    "empty": lambda world: _path(world).write_bytes(b""),
    "open to others": lambda world: _path(world).chmod(0o644),
    "a link": _linked,
    "open directory": lambda world: world.places.launches.chmod(0o755),
    "open state dir": lambda world: world.places.state_dir.chmod(0o755),
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
@pytest.mark.requirement("A70")
def test_where_the_record_does_not_agree_nothing_is_written(
    rig: World, spoil: Callable[[World], object]
):
    spoil(rig)
    assert rig.hook("UserPromptSubmit", {"prompt": "x"}) == SILENT
    assert not rig.places.sessions.exists()


@pytest.mark.parametrize(
    "name",
    ["STATE_DIR", "RUNTIME_DIR", "CONFIG", "LAUNCH_ID", "LAUNCH_PID", "LAUNCH_WRAPPER", "ATTACHED"],
)
@pytest.mark.parametrize("value", ["/elsewhere", "", None])
@pytest.mark.requirement("A86")
def test_a_place_that_differs_from_what_the_harness_was_started_with_is_refused(
    rig: World, name: str, value: str | None
):
    """As the settings of a repository could make it."""
    other = rig.root / "other"
    if value == "/elsewhere":
        shutil.copytree(rig.places.state_dir, other)
        for directory in (other, other / "launches"):
            directory.chmod(0o700)
        value = str(other)
    env = {f"TONGS_AGENTS_{name}": value}
    assert rig.hook("Stop", env=env) == SILENT
    is_same = name in ("LAUNCH_WRAPPER", "ATTACHED") and not value
    assert rig.places.sessions.exists() is is_same
    assert not (other / "sessions").exists()


@pytest.mark.requirement("A86")
def test_a_copy_of_the_record_in_another_state_dir_is_not_believed(rig: World):
    """The copy names its own places, and the environment agrees: the claimed process does not."""
    other = rig.root / "other"
    shutil.copytree(rig.places.state_dir, other)
    for directory in (other, other / "launches"):
        directory.chmod(0o700)
    file = other / "launches" / f"{LAUNCH}.json"
    values = json.loads(file.read_bytes())
    values["places"]["state_dir"] = str(other)
    file.write_text(json.dumps(values), encoding="ascii")
    assert rig.hook("Stop", env={"TONGS_AGENTS_STATE_DIR": str(other)}) == SILENT
    assert not (other / "sessions").exists()


def direct(world: World, *before: str, source: str = "attached") -> bool:
    """True where an event that came to Python without the front was recorded."""
    words = (str(PYTHON), "-I", "-S", str(DIRECTORY / "entry.py"))
    payload = json.dumps(told({})).encode("ascii")
    line = [*before, *words, "claude", "--from", source, "Stop", str(world.pid)]
    assert world.ask(line, payload) == [SILENT]
    return world.places.sessions.exists()


SHELL = ("bash", "-c", '"$0" "$@"; exit "$?"')


@pytest.mark.requirement("A70")
def test_python_makes_the_whole_check_itself(rig: World):
    run = (str(PYTHON), "-I", "-S", "-c", NESTED)
    for before in (run, (*run, *SHELL), (*SHELL, *run), (*SHELL, *SHELL, *SHELL)):
        assert not direct(rig, *before)
    assert direct(rig, *SHELL, *SHELL)


@pytest.mark.requirement("A70")
def test_python_sees_a_harness_in_a_harness_below_a_wrapper(tmp_path: Path):
    with world_at(tmp_path) as world:
        world.start(TONGS_AGENTS_LAUNCH_WRAPPER="yes")
        world.record()
        claude = (str(named("claude", tmp_path)), "-I", "-S", "-c", NESTED)
        other = (str(named("a) S 1 (b", tmp_path)), "-I", "-S", "-c", NESTED)
        assert not direct(world, *claude, *SHELL, *claude)
        assert direct(world, *other, *SHELL, *claude)


@pytest.mark.requirement("A72")
def test_python_leaves_an_installed_hook_of_an_attached_launch(tmp_path: Path):
    with world_at(tmp_path) as world:
        world.start(TONGS_AGENTS_ATTACHED="yes")
        world.record()
        assert not direct(world, source="installed")
        assert direct(world)


@pytest.mark.requirement("A70")
def test_an_app_server_between_is_no_shell(tmp_path: Path):
    with world_at(tmp_path) as world:
        world.start()
        world.record()
        server = named("codex", tmp_path)
        before = (str(server), "-I", "-S", "-c", NESTED)
        assert world.hook("Stop", before=before) == SILENT
        assert not world.places.sessions.exists()


@pytest.mark.requirement("A71")
def test_a_server_that_sessions_share_is_none_of_theirs(tmp_path: Path):
    with world_at(tmp_path) as world:
        world.start(program=named("node", tmp_path))
        world.record(harness="codex")
        codex = named("codex", tmp_path)
        for word, recorded in (("app-server", 0), ("resume", 1)):
            before = (str(codex), "-I", "-S", "-c", NESTED.replace("[1:]", "[2:]"), word)
            assert world.hook("Stop", command=hook("Stop", "codex"), before=before) == SILENT
            assert len(world.sessions()) == recorded


@pytest.mark.requirement("A70", "A72", "A83")
def test_what_the_launcher_becomes_is_the_claimed_process(tmp_path: Path):
    """The real launcher, from the environment of a pane to the program that runs our hooks."""
    with world_at(tmp_path) as world:
        me = identity(system_processes(), os.getpid())
        places = world.places
        values = {
            "config": str(places.config),
            "state_dir": str(places.state_dir),
            "runtime_dir": str(places.runtime_dir),
        }
        for directory in (places.state_dir, places.runtime_dir):
            private_dir(directory)
        record = LaunchRecord(
            LAUNCH, 1.0, ("claude",), str(tmp_path), places=values, server=me,
            labels={"harness": "claude", "hooks": "attached"},
            pane=PaneRef("tmux", "agents", "%1", "/s"),
        )  # fmt: skip
        world.launches.create(record)
        argv = (str(PYTHON), "-I", "-S", str(STAND_IN))
        leave(parcel_path(places.runtime_dir, LAUNCH), Parcel(argv, None, {}))
        world.process = subprocess.Popen(
            [sys.executable, "-I", "-m", MODULE, str(places.state_dir), LAUNCH],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            env={**world.environ, "TMUX": f"/s,{os.getpid()},0", "TMUX_PANE": "%1"},
        )
        for event in ("PreToolUse", "Stop"):
            installed = hook(event, source="installed")
            assert world.hook(event, command=installed) == SILENT
        assert not world.pulse.exists()
        assert world.sessions() == ()
        for event in ("PreToolUse", "Stop"):
            assert world.hook(event) == SILENT
        assert world.pulse.exists()
        assert statuses(world) == ["done"]


# ---------------------------------------------------------------- sessions nobody launched


@pytest.mark.requirement("A85", "7.9")
def test_a_session_that_nobody_launched_is_recorded_by_its_lifecycle(free: World):
    free.hook("SessionStart", {"source": "startup"})
    free.hook("UserPromptSubmit", {"prompt": "x"}, env={"TMUX": "/s,1,0", "TMUX_PANE": "%7"})
    [session] = free.sessions()
    assert (session.status, session.launch_id) == ("working", None)
    assert session.process == identity(system_processes(), free.pid)
    assert session.terminal_env == {"TMUX": "/s,1,0", "TMUX_PANE": "%7"}
    assert stat.S_IMODE(free.places.state_dir.stat().st_mode) == 0o700
    free.hook("SessionEnd", {"reason": "other"})
    assert statuses(free) == ["ended"]


@pytest.mark.requirement("A85")
def test_its_permission_dialog_ends_with_the_next_prompt_or_stop(free: World):
    for last in ("UserPromptSubmit", "Stop"):
        free.hook("PermissionRequest", {"tool_name": "Bash"})
        assert statuses(free) == ["waiting"]
        free.hook("PostToolUse")
        assert statuses(free) == ["waiting"]
        free.hook(last, {"prompt": "x"})
        assert statuses(free) != ["waiting"]


@pytest.mark.requirement("A86")
def test_its_state_dir_is_the_one_that_its_harness_was_started_with(free: World):
    other = free.root / "other"
    for env in ({"TONGS_AGENTS_STATE_DIR": str(other)}, {"TONGS_AGENTS_STATE_DIR": None}):
        assert free.hook("Stop", env={**env, "XDG_STATE_HOME": str(other)}) == SILENT
    assert not other.exists()
    assert not free.places.state_dir.exists()


def test_a_launch_id_that_its_harness_does_not_have_is_not_believed(free: World):
    env = {"TONGS_AGENTS_LAUNCH_ID": LAUNCH, "TONGS_AGENTS_LAUNCH_PID": str(free.pid)}
    assert free.hook("Stop", env=env) == SILENT
    assert not free.places.state_dir.exists()


# ---------------------------------------------------------------- the same as elsewhere


def test_a_process_has_the_same_identity_as_in_a_claim():
    for pid in (os.getpid(), os.getppid(), 1):
        seen, facts = proc.process(pid), system_processes().facts(pid)
        assert seen is not None
        assert facts is not None
        assert (seen.pid, seen.name, seen.parent) == (facts.pid, facts.name, facts.ppid)
        assert seen.token() == facts.start_token
    assert proc.process(2**22 + 7) is None
    own = {name.decode(): value.decode() for name, value in proc.environ(os.getpid()).items()}
    assert own == system_processes().environ(os.getpid())
    assert proc.environ(2**22 + 7) == {}


@given(st.text(st.sampled_from("az09-A_./é\n"), max_size=70))
def test_an_id_is_one_for_the_hook_where_it_is_one_elsewhere(text: str):
    assert hook_identity.is_launch_id(text) == is_launch_id(text)


values = st.none() | st.sampled_from(["", "/", "rel", "/a/b", "/é x", "../x"])


@given(values, values, values)
@pytest.mark.requirement("A21")
def test_the_hook_finds_the_state_dir_that_everything_else_finds(
    own: str | None, xdg: str | None, home: str | None
):
    env = {"TONGS_AGENTS_STATE_DIR": own, "XDG_STATE_HOME": xdg, "HOME": home}
    given_env = {name: value for name, value in env.items() if value is not None}
    in_bytes = {name.encode(): value.encode() for name, value in given_env.items()}
    found = hook_identity.state_dir_of(in_bytes)
    try:
        wanted = resolve(given_env, Path(home or "")).state_dir
    except PlaceRefused:
        wanted = None
    if wanted is not None and not wanted.is_absolute():
        wanted = None  # without a home directory there is none
    assert (None if found is None else Path(os.fsdecode(found))) == wanted


def test_this_interpreter_is_one_that_the_hook_knows():
    assert sys.version_info >= (3, 11)
    import _json

    assert hasattr(_json, "make_scanner")
    assert hasattr(_json, "encode_basestring_ascii")
