"""The Python behind the front, run as the harness runs it: records, payloads, silence."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.agents.hook_rig import (
    LAUNCH,
    PYTHON,
    SILENT,
    World,
    hook,
    launched,
    named,
    told,
    unlaunched,
    world_at,
)
from tests.house.tree import ROOT
from tongs_agents.hooks.command import DIRECTORY
from tongs_agents.hooks.record import MAX_RECORD
from tongs_mux.process import identity, system_processes
from tongs_mux.text import prepare, sha256


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


# ---------------------------------------------------------------- a launch's record


@pytest.mark.requirement("7.6", "7.7", "7.9")
def test_a_turn_is_written_into_one_record(rig: World):
    began = time.time()
    assert rig.hook("SessionStart", {"source": "startup"}) == SILENT
    assert statuses(rig) == ["started"]
    assert rig.hook("UserPromptSubmit", {"prompt": "go\n"}) == SILENT
    assert statuses(rig) == ["working"]
    assert rig.hook("PermissionRequest", {"tool_name": "Bash"}) == SILENT
    [session] = rig.sessions()
    assert (session.status, session.needs, session.tool) == ("waiting", "permission", "Bash")
    assert rig.hook("Stop") == SILENT
    [session] = rig.sessions()
    assert (session.status, session.turn_open, session.last_event) == ("done", False, "stop")
    assert session.session_id == "11-22"
    assert session.harness == "claude"
    assert session.launch_id == LAUNCH
    assert session.cwd == "/project"
    assert session.transcript_path == "/t.jsonl"
    assert session.prompt_sha256 == sha256(prepare("go"))
    assert session.process == identity(system_processes(), rig.pid)
    assert set(session.facts) == {"session-start", "prompt", "needs", "stop"}
    assert all(began <= at <= time.time() for at in session.facts.values())


@pytest.mark.requirement("7.7", "7.8")
def test_the_file_is_private_and_named_by_digest_only(rig: World):
    rig.hook("Stop", {"session_id": "../../up"})
    [path] = rig.places.sessions.glob("*.json")
    [session] = rig.sessions()
    assert path.name == f"v1-{session.canonical_id.rpartition(':')[2]}.json"
    assert session.canonical_id.startswith("fleet:v1:claude:")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert {each.name for each in rig.places.sessions.iterdir()} == {
        path.name,
        path.with_suffix(".lock").name,
    }


@pytest.mark.requirement("7.6")
def test_what_is_on_record_is_these_fields(rig: World):
    rig.hook("UserPromptSubmit", {"prompt": "SECRET text"})
    [path] = rig.places.sessions.glob("*.json")
    text = path.read_text(encoding="ascii")
    assert "SECRET" not in text
    assert set(json.loads(text)) == {
        "schema", "session_id", "harness_id", "instance_id", "canonical_id", "launch_id",
        "sequence", "pid", "process_start", "process_identity", "cwd", "transcript_path",
        "status", "since", "detail", "tool", "needs", "turn_open", "ts", "last_event",
        "prompt_sha256", "prompt_at", "prompts", "facts",
    }  # fmt: skip


def test_a_session_after_clear_has_a_record_of_its_own(rig: World):
    rig.hook("SessionEnd", {"reason": "clear"})
    rig.hook("SessionStart", {"source": "clear", "session_id": "33-44"})
    assert sorted(statuses(rig)) == ["ended", "started"]


def test_codex_tells_the_same(tmp_path: Path):
    with world_at(tmp_path) as world:
        world.start()
        world.record(harness="codex")
        for event in ("UserPromptSubmit", "Interrupt"):
            command = hook(event, harness="codex")
            assert world.hook(event, {"prompt": "x"}, command=command) == SILENT
        [session] = world.sessions()
        assert (session.harness, session.status) == ("codex", "waiting")
        assert "interrupt" in session.facts


@pytest.mark.requirement("A83")
def test_a_subagents_events_never_set_the_status(rig: World):
    rig.hook("UserPromptSubmit", {"prompt": "go"})
    rig.hook("Stop")
    for event in ("SubagentStart", "SubagentStop", "PermissionRequest", "Stop"):
        assert rig.hook(event, {"agent_id": "a1", "tool_name": "Bash"}) == SILENT
    rig.hook("PreToolUse", {"agent_id": "a1"})
    [session] = rig.sessions()
    assert (session.status, set(session.facts)) == ("done", {"prompt", "stop"})


def test_hooks_that_run_at_once_lose_nothing(rig: World):
    payload = json.dumps(told({})).encode("ascii")
    ended = rig.ask(["dash", "-c", hook("Stop")], payload, times=12)
    assert ended == [SILENT] * 12
    [path] = rig.places.sessions.glob("*.json")
    assert json.loads(path.read_bytes())["sequence"] == 12


@pytest.mark.requirement("H8")
def test_a_held_lock_is_not_waited_for_long(rig: World):
    rig.hook("Stop")
    [lock] = rig.places.sessions.glob("*.lock")
    with lock.open("r+b") as file:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)
        began = time.monotonic()
        assert rig.hook("UserPromptSubmit", {"prompt": "x"}) == SILENT
        assert time.monotonic() - began < 4
    assert statuses(rig) == ["done"]


# ---------------------------------------------------------------- payloads and silence

PAYLOADS = {
    "empty": b"",
    "blank": b" \n",
    "garbage": bytes(range(256)),
    "half": b'{"session_id": "11-22", "prompt": "x',
    "two": b'{"session_id": "1"} {"session_id": "2"}',
    "a list": b'["session_id"]',
    "deep": b"[" * 200_000,
    "no id": b'{"prompt": "x"}',
    "not UTF-8": b'{"session_id": "\xff\xfe"',
    "huge number": b'{"session_id": "1", "x": ' + b"9" * 9000 + b"}",
}


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
@pytest.mark.parametrize("event", ["UserPromptSubmit", "Stop"])
@pytest.mark.requirement("4.17", "A75")
def test_a_payload_that_is_none_leaves_no_record(rig: World, event: str, payload: bytes):
    assert rig.hook(event, payload) == SILENT
    assert rig.sessions() == ()


@pytest.mark.parametrize("size", [600, 100_000, 5_000_000])
@pytest.mark.requirement("4.17", "7.8")
def test_a_prompt_of_any_size_has_its_hash(rig: World, size: int):
    text = "é\n" * (size // 3)
    prompt = f'<pasted_content id="cf4c">{text}</pasted_content id="cf4c">'
    assert rig.hook("UserPromptSubmit", {"prompt": prompt}) == SILENT
    [session] = rig.sessions()
    assert session.prompts[-1][0] == session.prompt_sha256
    assert sha256(text.rstrip("\n").encode("utf-8")) == session.prompt_sha256
    [path] = rig.places.sessions.glob("*.json")
    assert path.stat().st_size < MAX_RECORD


def test_a_payload_past_every_bound_is_left(rig: World):
    assert rig.hook("UserPromptSubmit", {"prompt": "x" * 17_000_000}) == SILENT
    assert rig.sessions() == ()


def test_lone_surrogates_are_no_trouble(rig: World):
    fields = {"prompt": "\ud800", "cwd": "/\udfff", "transcript_path": "\ud800"}
    assert rig.hook("UserPromptSubmit", fields) == SILENT
    [session] = rig.sessions()
    assert (session.status, session.cwd) == ("working", "/?")
    session.cwd.encode("utf-8")


def _open_sessions(world: World) -> None:
    world.places.sessions.mkdir()
    world.places.sessions.chmod(0o755)


def _swapped(world: World, make: Callable[..., object], *arguments: str) -> None:
    world.hook("Stop")
    [path] = world.places.sessions.glob("*.json")
    path.unlink()
    make(path, *arguments)


def _no_lock(world: World) -> None:
    world.hook("Stop")
    [path] = world.places.sessions.glob("*.lock")
    path.unlink()
    path.mkdir()


TROUBLES: Mapping[str, Callable[[World], object]] = {
    "gone": lambda world: shutil.rmtree(world.places.state_dir),
    "a file instead of sessions": lambda world: world.places.sessions.touch(),
    "a link instead of sessions": lambda world: world.places.sessions.symlink_to("/tmp"),
    "sessions open to others": _open_sessions,
    "a link instead of the record": lambda world: _swapped(world, Path.symlink_to, "/dev/null"),
    "a directory instead of the record": lambda world: _swapped(world, Path.mkdir),
    "a directory instead of the lock": _no_lock,
}


@pytest.mark.parametrize("make", TROUBLES.values(), ids=TROUBLES)
@pytest.mark.requirement("4.11", "7.8")
def test_a_state_dir_that_cannot_be_written_is_no_trouble(
    rig: World, make: Callable[[World], object]
):
    make(rig)
    before = sorted(rig.root.rglob("*"))
    assert rig.hook("UserPromptSubmit", {"prompt": "x"}) == SILENT
    assert [path for path in sorted(rig.root.rglob("*")) if path.name != "payload"] == [
        path for path in before if path.name != "payload"
    ]


UNPRIVILEGED = (sys.executable, "-I", "-S", "-c", """
import ctypes, os, sys
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2
for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
    if os.geteuid() == 0 and ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0):
        sys.exit("these capabilities can't be given up")
os.execvp(sys.argv[1], sys.argv[1:])
""")  # fmt: skip
"""Runs a command to which modes mean what they say, for root too."""


def test_a_read_only_state_dir_is_no_trouble(rig: World):
    rig.hook("Stop")
    rig.places.sessions.chmod(0o500)
    try:
        new = str(rig.places.sessions / "new")
        [touched] = rig.ask([*UNPRIVILEGED, "touch", new])
        assert (touched.code, new in touched.errors) == (1, True)
        assert rig.hook("UserPromptSubmit", {"prompt": "x"}, before=UNPRIVILEGED) == SILENT
    finally:
        rig.places.sessions.chmod(0o700)
    assert statuses(rig) == ["done"]


def test_no_file_of_ours_takes_the_place_of_a_closed_descriptor(rig: World):
    """Else what is meant for the harness would be written into it."""
    file = rig.root / "number"
    code = (
        f"import posix, sys; sys.path.append({str(ROOT)!r}); "
        "from tongs_agents.hooks import entry; "
        f"new = lambda *_: posix.open({str(file)!r}, posix.O_WRONLY | posix.O_CREAT); "
        "entry.run = lambda *_: posix.write(fd := new(), b'%d' % fd); entry.main()"
    )
    assert rig.ask([str(PYTHON), "-I", "-S", "-c", code], closed=[0, 1, 2]) == [SILENT]
    assert int(file.read_text(encoding="ascii")) > 2


@pytest.mark.requirement("H5")
def test_an_input_that_never_ends_is_left_in_time(rig: World):
    fifo = rig.root / "fifo"
    os.mkfifo(fifo)
    code = (
        f"import sys; sys.path.append({str(ROOT)!r}); "
        "from tongs_agents.hooks import entry; entry.SECONDS = float(sys.argv.pop(1)); entry.main()"
    )
    words = [
        str(PYTHON),
        "-I",
        "-S",
        "-c",
        code,
        "0.2",
        "claude",
        "--from",
        "attached",
        "Stop",
        "1",
    ]
    endless = ["sh", "-c", 'exec "$0" "$@" 0<>fifo', *words]
    began = time.monotonic()
    assert rig.ask(endless, cwd=str(rig.root)) == [SILENT]
    assert 0.2 <= time.monotonic() - began < 10
    assert rig.ask(words, json.dumps(told({})).encode("ascii")) == [SILENT]
    assert statuses(rig) == ["done"]


# ---------------------------------------------------------------- what it is made of

LEAN = {
    "_json", "_sha2", "_sha256", "_signal", "_stat", "fcntl", "posix", "time", "sys",
    "__future__", "errno", "unicodedata",
}  # fmt: skip
"""Beyond what every start of the interpreter brings."""


@pytest.mark.requirement("design 8", "P2")
def test_the_hooks_python_imports_what_is_named_here_and_nothing_else(rig: World):
    bare = [str(PYTHON), "-I", "-S", "-c", "import sys; print(*sys.modules)"]
    start = subprocess.run(bare, capture_output=True, encoding="ascii", check=True).stdout.split()
    words = (str(PYTHON), "-I", "-S", "-X", "importtime", str(DIRECTORY / "entry.py"))
    payload = json.dumps(told({"prompt": "x"})).encode("ascii")
    [ended] = rig.ask(
        [*words, "claude", "--from", "attached", "UserPromptSubmit", str(rig.pid)], payload
    )
    lines = [line for line in ended.errors.splitlines() if line.startswith("import time:")]
    imported = {line.rpartition("|")[2].strip() for line in lines[1:]}
    assert rig.sessions()
    ours = {name for name in imported if name.startswith("tongs_")}
    shared = {"tongs_agents", "tongs_mux", "tongs_mux.squeeze"}
    assert all(name in shared or name.startswith("tongs_agents.hooks") for name in ours)
    assert imported - ours - set(start) <= LEAN


def test_it_runs_from_a_place_with_blanks_quotes_and_unicode(rig: World):
    place = rig.root / 'it\'s "a" plåce $x' / "tongs_agents"
    shutil.copytree(DIRECTORY.parent, place, ignore=shutil.ignore_patterns("__pycache__", "cli"))
    python = named("it's pythøn", rig.root)
    for event in ("PreToolUse", "Stop"):
        command = hook(event, python=python, directory=place / "hooks")
        assert rig.hook(event, command=command) == SILENT
    assert rig.pulse.exists()
    assert statuses(rig) == ["done"]
