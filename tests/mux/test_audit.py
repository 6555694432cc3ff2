"""The audit log with real processes: whole lines, rotation at the edge, refusal when unwritable."""

from __future__ import annotations

import dataclasses
import fcntl
import itertools
import json
import os
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.house.tree import ROOT
from tests.tools import need_strace
from tests.waiting import wait_for
from tongs_mux.audit import LOCK_SECONDS, MAX_BYTES, WITHHELD, AuditEntry, AuditLog, previous
from tongs_mux.audit_lines import follow, lines
from tongs_mux.errors import AuditFailed, PlaceRefused
from tongs_mux.model import PaneRef

PANE = PaneRef("tmux", "agents", "%3", "/tmp/tmux-0/tongs-agents")
SEND = AuditEntry(
    actor="mcp:0123456789ab",
    action="send",
    caller="0123456789ab",
    target="ba9876543210",
    pane=PANE,
    bytes=12,
    sha256="a" * 64,
)


def ticking() -> Callable[[], float]:
    return itertools.count(1000).__next__


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "audit" / "control.jsonl"


def make_log(path: Path) -> AuditLog:
    acts = (f"act{number}" for number in itertools.count(1))
    return AuditLog(path, clock=ticking(), new_act=acts.__next__)


def start(code: str, *arguments: object, **options: Any) -> subprocess.Popen[bytes]:
    """A process of its own that runs ``code``."""
    prelude = "import os, resource, sys, time; from pathlib import Path\n"
    prelude += "from tongs_mux.audit import *; from tongs_mux.errors import AuditFailed\n"
    words = [sys.executable, "-c", prelude + textwrap.dedent(code), *map(str, arguments)]
    return subprocess.Popen(words, env={**os.environ, "PYTHONPATH": str(ROOT)}, **options)


def fill(path: Path, size: int) -> None:
    """Makes the log ``size`` bytes long, of whole lines."""
    make_log(path).outcome(None, AuditEntry(actor="cli", action="filler"))
    with path.open("ab") as file:
        line = b'{"filler":"' + b"x" * 86 + b'"}\n'
        while file.tell() + 2 * len(line) < size:
            file.write(line)
        file.write(b"y" * (size - file.tell() - 1) + b"\n")
    assert path.stat().st_size == size


# -- what a line says


def test_an_act_is_two_lines_of_one_id_and_a_refusal_one_without(path: Path) -> None:
    log = make_log(path)
    act = log.begin(SEND)
    done = dataclasses.replace(
        SEND, outcome="ok", exit_code=0, receipt="pasted", evidence=("unguarded", "window:open")
    )
    log.outcome(act, done)
    refused = AuditEntry(
        actor="cli", action="focus", outcome="refused", exit_code=5, reason="replaced"
    )
    log.outcome(None, refused)
    pane = {
        "multiplexer": "tmux",
        "session": "agents",
        "pane_id": "%3",
        "socket": "/tmp/tmux-0/tongs-agents",
    }
    about = {
        "actor": "mcp:0123456789ab",
        "action": "send",
        "caller": "0123456789ab",
        "target": "ba9876543210",
        "pane": pane,
        "bytes": 12,
        "sha256": "a" * 64,
    }
    assert [json.loads(line) for line in lines(path)] == [
        {"ts": 1000, "phase": "begin", "act": "act1", **about},
        {
            "ts": 1001,
            "phase": "outcome",
            "act": "act1",
            **about,
            "outcome": "ok",
            "exit_code": 0,
            "receipt": "pasted",
            "evidence": ["unguarded", "window:open"],
        },
        {
            "ts": 1002,
            "phase": "outcome",
            "actor": "cli",
            "action": "focus",
            "outcome": "refused",
            "exit_code": 5,
            "reason": "replaced",
        },
    ]


def test_a_layer_above_adds_words_and_numbers(path: Path) -> None:
    labels: dict[str, str | int] = {"handle": "reviewer", "level": "chat+wake", "message": 412}
    make_log(path).outcome(None, AuditEntry(actor="cli", action="grant", labels=labels))
    assert json.loads(next(lines(path)))["labels"] == labels


def test_no_field_is_made_for_text() -> None:
    names = {field.name for field in dataclasses.fields(AuditEntry)}
    assert not names & {"text", "body", "prompt", "message", "content", "error", "detail"}


PROSE = "rm -rf ~ # and my password is hunter2\nplease"


@pytest.mark.parametrize(
    "field",
    [
        "actor",
        "action",
        "caller",
        "target",
        "sha256",
        "outcome",
        "reason",
        "effect",
        "receipt",
        "evidence",
        "labels",
    ],
)
def test_prose_is_withheld_wherever_it_is_put(path: Path, field: str) -> None:
    value: object = {"evidence": (PROSE,), "labels": {PROSE: PROSE}}.get(field, PROSE)
    entry = dataclasses.replace(SEND, **{field: value})  # type: ignore[arg-type]
    log = make_log(path)
    log.outcome(log.begin(entry), entry)
    written = path.read_text(encoding="utf-8")
    assert "hunter2" not in written
    assert written.count(WITHHELD) in (2, 4)
    assert written.count("\n") == 2


def test_a_line_is_one_line_of_ascii_whatever_the_session_is_called(path: Path) -> None:
    pane = dataclasses.replace(PANE, session="naïve\u2028\n会議")
    make_log(path).begin(dataclasses.replace(SEND, pane=pane))
    assert path.read_bytes().isascii()
    assert path.read_bytes().count(b"\n") == 1
    assert json.loads(path.read_bytes())["pane"]["session"] == pane.session


def test_acts_get_ids_of_their_own_by_default(path: Path) -> None:
    log = AuditLog(path, clock=time.time)
    assert len({log.begin(SEND) for _ in range(50)}) == 50


# -- private


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_everything_is_private_under_any_umask(path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        fill(path, MAX_BYTES)
        make_log(path).begin(SEND)
    finally:
        os.umask(before)
    modes = {
        each.name: stat.S_IMODE(each.stat().st_mode)
        for each in (path.parent, *path.parent.iterdir())
    }
    assert modes == {
        "audit": 0o700,
        "control.jsonl": 0o600,
        "control.jsonl.1": 0o600,
        "control.jsonl.lock": 0o600,
    }


# -- rotation


def test_a_log_is_filled_to_the_last_byte_and_rotated_at_the_next(path: Path) -> None:
    make_log(path).outcome(None, SEND)
    size = path.stat().st_size
    path.unlink()
    fill(path, MAX_BYTES - size)
    log = make_log(path)
    log.outcome(None, SEND)
    assert path.stat().st_size == MAX_BYTES
    assert not previous(path).exists()
    log.outcome(None, SEND)
    assert path.stat().st_size == size
    assert previous(path).stat().st_size == MAX_BYTES


def test_one_old_log_is_kept(path: Path) -> None:
    for _ in range(3):
        fill(path, MAX_BYTES)
        make_log(path).begin(SEND)
        path.unlink()
    assert sorted(each.name for each in path.parent.iterdir()) == [
        "control.jsonl.1",
        "control.jsonl.lock",
    ]


def test_twenty_processes_write_whole_lines_and_lose_none_across_a_rotation(path: Path) -> None:
    fill(path, MAX_BYTES - 20_000)
    before = sum(1 for _ in lines(path))
    code = """
        log = AuditLog(Path(sys.argv[1]), clock=time.time)
        entry = AuditEntry(actor="cli", action="send", labels={"writer": int(sys.argv[2])})
        for _ in range(20):
            log.outcome(log.begin(entry), entry)
    """
    writers = [start(code, path, number) for number in range(20)]
    assert [writer.wait() for writer in writers] == [0] * 20
    written = [json.loads(line) for line in itertools.islice(lines(path), before, None)]
    assert previous(path).exists()
    assert max(path.stat().st_size, previous(path).stat().st_size) <= MAX_BYTES
    assert len(written) == 20 * 20 * 2
    for number in range(20):
        own = [line for line in written if line["labels"]["writer"] == number]
        assert [line["phase"] for line in own] == ["begin", "outcome"] * 20
        assert [line["act"] for line in own[::2]] == [line["act"] for line in own[1::2]]
    times = [line["ts"] for line in written]
    assert times == sorted(times)


# -- a log that can't be written


def directory_in_its_place(path: Path) -> None:
    path.mkdir()


def link_in_its_place(path: Path) -> None:
    path.symlink_to("/dev/null")


def full_device_in_its_place(path: Path) -> None:
    path.symlink_to("/dev/full")


def pipe_in_its_place(path: Path) -> None:
    os.mkfifo(path, 0o600)


def open_to_others(path: Path) -> None:
    path.touch()
    path.chmod(0o644)


def open_directory(path: Path) -> None:
    path.parent.chmod(0o755)


def lock_is_a_link(path: Path) -> None:
    path.with_name(f"{path.name}.lock").symlink_to("/dev/null")


def old_log_is_a_directory(path: Path) -> None:
    fill(path, MAX_BYTES)
    previous(path).mkdir()


def audit_directory_is_a_file(path: Path) -> None:
    path.parent.rmdir()
    path.parent.write_text("x", encoding="utf-8")


@pytest.mark.parametrize(
    "spoil",
    [
        directory_in_its_place,
        link_in_its_place,
        full_device_in_its_place,
        pipe_in_its_place,
        open_to_others,
        open_directory,
        lock_is_a_link,
        old_log_is_a_directory,
        audit_directory_is_a_file,
    ],
)
def test_an_act_is_not_begun_where_its_line_cant_be_written(
    path: Path, spoil: Callable[[Path], None]
) -> None:
    path.parent.mkdir(parents=True, mode=0o700)
    spoil(path)
    with pytest.raises(AuditFailed) as caught:
        make_log(path).begin(SEND)
    assert caught.value.reason == "audit"
    assert caught.value.hint
    assert str(path) in caught.value.message


def test_a_line_that_fits_only_in_part_is_taken_back(path: Path) -> None:
    make_log(path).begin(SEND)
    whole = path.read_bytes()
    code = """
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
        try:
            AuditLog(Path(sys.argv[1]), clock=time.time).begin(AuditEntry("cli", "send"))
        except AuditFailed as error:
            print(error.hint)
    """
    for room in (0, 1, 20):
        child = start(code, path, len(whole) + room, stdout=subprocess.PIPE)
        assert child.communicate()[0].startswith(b"make ")
        assert path.read_bytes() == whole


def test_a_writer_that_hangs_with_the_lock_is_waited_for_until_the_deadline(path: Path) -> None:
    make_log(path).begin(SEND)
    with path.with_name(f"{path.name}.lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        late = itertools.count(0, LOCK_SECONDS + 1)
        log = AuditLog(path, clock=time.time, monotonic=lambda: next(late))
        with pytest.raises(AuditFailed, match="held by another"):
            log.begin(SEND)
    assert sum(1 for _ in lines(path)) == 1


def test_a_line_that_a_crash_tore_does_not_spoil_the_next(path: Path) -> None:
    log = make_log(path)
    log.begin(SEND)
    with path.open("ab") as file:
        file.write(b'{"ts":1,"pha')
    log.begin(SEND)
    *_, torn, last = lines(path)
    assert torn == '{"ts":1,"pha'
    assert json.loads(last)["act"] == "act2"


# -- reading


def test_a_log_that_was_never_written_has_no_lines(path: Path) -> None:
    assert list(lines(path)) == []


def test_the_renamed_log_is_read_first_even_without_a_current_one(path: Path) -> None:
    log = make_log(path)
    log.begin(SEND)
    path.rename(previous(path))
    assert [json.loads(line)["act"] for line in lines(path)] == ["act1"]
    log.begin(SEND)
    assert [json.loads(line)["act"] for line in lines(path)] == ["act1", "act2"]


def test_a_line_that_is_not_whole_yet_is_not_shown(path: Path) -> None:
    make_log(path).begin(SEND)
    with path.open("ab") as file:
        file.write(b'{"half":')
    assert sum(1 for _ in lines(path)) == 1


def acts_followed(path: Path, steps: Sequence[Callable[[], object]]) -> Iterator[str]:
    """The ids of acts that a follower shows; each step runs when it has nothing to read."""
    waiting = iter(steps)

    def wait() -> bool:
        step = next(waiting, None)
        if step is not None:
            step()
        return step is not None

    for line in follow(path, wait=wait):
        if '"act"' in line:
            yield json.loads(line)["act"]


def test_a_follower_shows_what_is_there_and_what_comes(path: Path) -> None:
    log = make_log(path)
    steps: list[Callable[[], object]] = [lambda: None, lambda: log.begin(SEND)] * 3
    assert list(acts_followed(path, steps)) == ["act1", "act2", "act3"]


def test_a_follower_goes_on_through_rotations(path: Path) -> None:
    log = make_log(path)

    def rotate_between_two() -> None:
        log.begin(SEND)  # lands in the log that is about to be renamed
        with path.open("ab") as file:
            file.write(b"{}" + b" " * (MAX_BYTES - path.stat().st_size - 3) + b"\n")
        log.begin(SEND)

    steps = [rotate_between_two] * 4
    assert list(acts_followed(path, steps)) == [f"act{number}" for number in range(1, 9)]


def test_a_follower_reads_the_middle_one_of_three_logs(path: Path) -> None:
    log = make_log(path)
    log.begin(SEND)

    def rotate_twice() -> None:
        for _ in range(2):
            with path.open("ab") as file:
                file.write(b"{}" + b" " * (MAX_BYTES - path.stat().st_size - 3) + b"\n")
            log.begin(SEND)

    assert list(acts_followed(path, [rotate_twice])) == ["act1", "act2", "act3"]


def test_a_follower_waits_while_a_rotation_is_half_done_and_shows_nothing_twice(
    path: Path,
) -> None:
    log = make_log(path)
    log.begin(SEND)
    steps: list[Callable[[], object]] = [
        lambda: path.rename(previous(path)),
        lambda: None,
        lambda: log.begin(SEND),
    ]
    assert list(acts_followed(path, steps)) == ["act1", "act2"]


def test_a_follower_holds_few_descriptors_and_gives_them_back(path: Path) -> None:
    log = make_log(path)
    before = len(os.listdir("/proc/self/fd"))
    most = []

    def rotate() -> None:
        log.begin(SEND)
        fill_up = MAX_BYTES - path.stat().st_size - 3
        with path.open("ab") as file:
            file.write(b"{}" + b" " * fill_up + b"\n")
        most.append(len(os.listdir("/proc/self/fd")))

    shown = acts_followed(path, [rotate] * 6)
    assert sum(1 for _ in shown) == 6
    assert max(most) <= before + 4
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_follower_in_another_process_sees_every_line_of_a_busy_writer(path: Path) -> None:
    code = """
        from tongs_mux.audit_lines import follow
        print("ready", flush=True)
        seen = 0
        def wait():
            time.sleep(0.002)
            return seen < 400
        for line in follow(Path(sys.argv[1]), wait=wait):
            seen += line.startswith('{"ts"')
        print(seen)
    """
    fill(path, MAX_BYTES - 30_000)
    before = 1
    reader = start(code, path, stdout=subprocess.PIPE)
    assert reader.stdout is not None
    assert reader.stdout.readline() == b"ready\n"
    log = make_log(path)
    for _ in range(400 - before):
        log.begin(SEND)
    wait_for(lambda: reader.poll() is not None, what="the reader's end")
    assert previous(path).exists()
    assert reader.stdout.read() == b"400\n"
    reader.stdout.close()


def test_a_log_that_is_rotated_while_it_is_opened_is_read_in_order_and_once(path: Path) -> None:
    code = """
        path = Path(sys.argv[1])
        os.umask(0o077)
        for number in range(0, 3000, 2):
            if path.exists():
                path.replace(previous(path))
            path.write_text(f"{number}\\n{number + 1}\\n")
    """
    path.parent.mkdir(parents=True, mode=0o700)
    writer = start(code, path)
    looks = 0
    while writer.poll() is None:
        seen = [int(line) for line in lines(path)]
        assert seen == [seen[0] + step for step in range(len(seen))]
        looks += 1
    assert writer.returncode == 0
    assert looks > 10


@pytest.mark.parametrize("spoil", [link_in_its_place, pipe_in_its_place, open_to_others])
def test_a_log_that_is_not_private_is_not_read(path: Path, spoil: Callable[[Path], None]) -> None:
    path.parent.mkdir(parents=True, mode=0o700)
    spoil(path)
    with pytest.raises(PlaceRefused):
        list(lines(path))


# -- cost


def test_a_line_costs_few_system_calls(path: Path) -> None:
    """Counted, not timed: a line is well below a millisecond as long as this holds."""
    need_strace("to count system calls")
    code = """
        log = AuditLog(Path(sys.argv[1]), clock=time.time)
        entry = AuditEntry("cli", "send")
        log.begin(entry)
        os.getppid()
        for _ in range(10):
            log.begin(entry)
        os.getppid()
    """
    trace = path.parents[2] / "trace"
    child = start(code, path)
    assert child.wait() == 0
    words = ["strace", "-o", str(trace), *map(str, child.args)]  # type: ignore[arg-type]
    subprocess.run(words, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)
    calls = trace.read_text(encoding="utf-8").splitlines()
    first, last = (number for number, call in enumerate(calls) if call.startswith("getppid"))
    assert (last - first - 1) / 10 <= 30
