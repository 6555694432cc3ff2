"""Who a process is: real ones with awkward names, zombies, reused pids, systems that don't tell."""

from __future__ import annotations

import contextlib
import os
import pty
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.waiting import wait_for
from tongs_mux.model import ProcessFacts, ProcessIdentity
from tongs_mux.process import (
    LinuxProcesses,
    PortableProcesses,
    Processes,
    alive,
    ancestors,
    end,
    foreground,
    identity,
    system_processes,
)
from tongs_mux.testing import FakeProcesses

on_linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc")
BOTH = [pytest.param(LinuxProcesses(), marks=on_linux, id="linux"), PortableProcesses()]
SYSTEMS = pytest.mark.parametrize("system", BOTH, ids=["linux", "portable"])


@contextlib.contextmanager
def running(*argv: str, **options) -> Iterator[subprocess.Popen[bytes]]:
    """A process that ends with the block."""
    with subprocess.Popen(argv, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def known(system: Processes, pid: int) -> ProcessFacts:
    facts = system.facts(pid)
    assert facts is not None
    return facts


@SYSTEMS
def test_facts_of_this_very_process(system: Processes):
    facts = known(system, os.getpid())
    assert (facts.ppid, facts.group, facts.zombie) == (os.getppid(), os.getpgrp(), False)
    assert identity(system, os.getpid()) == ProcessIdentity(os.getpid(), facts.start_token)
    assert os.getpid() in system.pids()


def test_a_process_that_has_had_no_turn_is_told_from_one_that_waits():
    system = LinuxProcesses()
    with running("sleep", "60") as waiting, running("sh", "-c", "while :; do :; done") as busy:
        wait_for(lambda: known(system, busy.pid).used >= 0.1, what="its turns")
        assert known(system, busy.pid).ready
        assert not known(system, waiting.pid).ready
        assert known(system, waiting.pid).used < 0.1


@SYSTEMS
@pytest.mark.parametrize(
    "name", ["a) b (", "((", "))", ") S 1 1", "two words", "項目", "line\nbreak"]
)
def test_a_name_shifts_no_number(system: Processes, name: str, tmp_path: Path):
    program = tmp_path / name
    shutil.copy(shutil.which("sleep") or "", program)
    with running(str(program), "60") as process:
        wait_for(lambda: system.argv(process.pid)[:1] == (str(program),), what="the exec")
        facts = known(system, process.pid)
        assert facts.ppid == os.getpid()
        assert facts.group == os.getpgrp()
        assert facts.name.encode() == name.encode()[:15]


@SYSTEMS
def test_argv_and_environment_as_they_were_given(system: Processes):
    environ = {"PATH": os.environ["PATH"], "GIVEN": "a=b c", "EMPTY": ""}
    with running("sleep", "60", env=environ) as process:
        wait_for(lambda: system.argv(process.pid)[:1] == ("sleep",), what="the exec")
        assert system.argv(process.pid) == ("sleep", "60")
        assert system.environ(process.pid) == environ


@SYSTEMS
def test_a_process_that_ended_is_none_and_empty(system: Processes):
    with running("sleep", "60") as process:
        who = identity(system, process.pid)
        assert who is not None
        assert alive(system, who)
    assert system.facts(process.pid) is None
    assert (system.argv(process.pid), system.environ(process.pid)) == ((), {})
    assert identity(system, process.pid) is None
    assert not alive(system, who)
    assert not end(who, signal.SIGTERM, system)


@SYSTEMS
def test_a_zombie_is_seen_and_lives_no_more(system: Processes):
    with running("sleep", "60") as process:
        who = identity(system, process.pid)
        assert who is not None
        os.kill(process.pid, signal.SIGKILL)
        wait_for(lambda: known(system, process.pid).zombie, what="the zombie")
        assert identity(system, process.pid) is None
        assert not alive(system, who)
        assert not end(who, signal.SIGTERM, system)


@SYSTEMS
def test_two_processes_never_share_an_identity(system: Processes):
    with running("sleep", "60") as first, running("sleep", "60") as second:
        assert identity(system, first.pid) != identity(system, second.pid)
        assert identity(system, first.pid) == identity(system, first.pid)


@SYSTEMS
def test_end_signals_exactly_this_process(system: Processes):
    with running("sleep", "60") as process:
        who = identity(system, process.pid)
        assert who is not None
        assert not end(replace(who, start_token=f"{who.start_token}0"), signal.SIGKILL, system)
        assert not end(replace(who, start_token=None), signal.SIGKILL, system)
        assert process.poll() is None
        assert end(who, signal.SIGKILL, system)
        assert process.wait(10) == -signal.SIGKILL


@SYSTEMS
def test_ancestors_from_the_parent_upwards(system: Processes):
    script = "sleep 60 & echo $!; wait"
    with running("sh", "-c", script, stdout=subprocess.PIPE) as shell:
        assert shell.stdout is not None
        child = int(shell.stdout.readline())
        try:
            chain = ancestors(system, child)
        finally:
            os.kill(child, signal.SIGKILL)
        assert chain[:2] == (shell.pid, os.getpid())
        assert chain[2:] == ancestors(system, os.getpid())


@on_linux
def test_the_start_token_is_of_this_boot_and_of_the_clock_ticks():
    facts = known(LinuxProcesses(), os.getpid())
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    assert facts.start_token is not None
    token, _, ticks = facts.start_token.rpartition(":")
    assert token == boot
    since_epoch = psutil.boot_time() + int(ticks) / os.sysconf("SC_CLK_TCK")
    assert abs(since_epoch - psutil.Process().create_time()) < 2


# -- what reads a terminal's keys

JOB = """
import os, sys, time
os.setpgid(0, 0)
os.tcsetpgrp(0, os.getpgrp()) if sys.argv[1] == "front" else None
os.write(1, b"ready")
time.sleep(60)
"""


@contextlib.contextmanager
def _job_on_a_pty(place: str) -> Iterator[tuple[int, int]]:
    """(pid of a session leader with a terminal, pid of its job)."""
    leader, master = pty.fork()
    if leader == 0:  # the leader: ignores SIGTTOU so that its job may take the terminal
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        job = os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, "-I", "-S", "-c", JOB, place])
        os.waitpid(job, 0)
        os._exit(0)
    try:
        heard = b""
        while not heard.endswith(b"ready"):
            heard += os.read(master, 100)
        (job,) = [child.pid for child in psutil.Process(leader).children()]
        yield leader, job
    finally:
        for pid in (*(child.pid for child in psutil.Process(leader).children()), leader):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(leader, 0)
        os.close(master)


@on_linux
def test_the_foreground_is_the_job_that_reads_the_keys():
    system = LinuxProcesses()
    with _job_on_a_pty("front") as (leader, job):
        assert foreground(system, known(system, leader)) == known(system, job)
        assert foreground(system, known(system, job)) == known(system, job)


@on_linux
def test_a_job_in_the_background_is_not_the_foreground():
    system = LinuxProcesses()
    with _job_on_a_pty("back") as (leader, job):
        assert foreground(system, known(system, job)) == known(system, leader)
        assert foreground(system, known(system, leader)) == known(system, leader)


@on_linux
def test_without_a_terminal_the_foreground_is_not_known():
    with running("sleep", "60", start_new_session=True) as process:
        facts = known(LinuxProcesses(), process.pid)
        assert facts.foreground_group == -1
        assert foreground(LinuxProcesses(), facts) is None


@pytest.mark.case("D5")
def test_without_proc_the_foreground_is_not_known():
    facts = known(PortableProcesses(), os.getpid())
    assert foreground(PortableProcesses(), facts) is None


# -- systems that don't tell


@pytest.mark.case("D5")
def test_without_proc_the_portable_look_up_is_used(tmp_path: Path):
    assert isinstance(system_processes(tmp_path / "missing"), PortableProcesses)


@on_linux
def test_with_proc_it_is_read():
    assert isinstance(system_processes(), LinuxProcesses)


class _Silent(psutil.Process):
    """A process about which the system says nothing to us."""

    def name(self) -> str:
        raise psutil.AccessDenied(self.pid)


@pytest.mark.case("D5")
def test_what_may_not_be_read_is_unknown_and_never_alive(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(psutil, "Process", _Silent)
    facts = known(PortableProcesses(), os.getpid())
    assert facts.start_token is None
    assert not alive(PortableProcesses(), ProcessIdentity(os.getpid(), None))
    assert ancestors(PortableProcesses(), os.getpid()) == ()


@pytest.mark.case("D5")
def test_an_identity_without_a_start_token_is_never_alive():
    system = FakeProcesses()
    pid = system.start("program")
    system.set(pid, start_token=None)
    assert system.identity(pid) == ProcessIdentity(pid, None)
    assert not alive(system, ProcessIdentity(pid, None))
    assert not end(ProcessIdentity(pid, None), signal.SIGTERM, system)


# -- what only a table can stage


@pytest.mark.case("C1")
def test_a_reused_pid_is_another_process():
    system = FakeProcesses()
    pid = system.start("program")
    who = system.identity(pid)
    system.end(pid)
    assert not alive(system, who)
    system.start("stranger", pid=pid)
    assert not alive(system, who)
    assert not end(who, signal.SIGTERM, system)
    assert identity(system, pid) != who


def test_a_ring_of_parents_ends():
    system = FakeProcesses()
    first = system.start("a")
    second = system.start("b", ppid=first)
    system.set(first, ppid=second)
    assert ancestors(system, first) == (second, first)


def test_a_long_chain_is_followed_to_its_end():
    system = FakeProcesses()
    pid = system.start("first")
    parents: list[int] = []
    for _ in range(300):
        parents.insert(0, pid)
        pid = system.start("sh", ppid=pid)
    assert ancestors(system, pid)[: len(parents)] == tuple(parents)


def test_a_chain_ends_where_the_parent_is_gone():
    system = FakeProcesses()
    assert ancestors(system, system.start("a", ppid=77)) == (77,)
    assert ancestors(system, 12345) == ()


def test_a_foreground_group_whose_leader_is_gone_is_not_known():
    system = FakeProcesses()
    pid = system.start("a", foreground=555)
    assert foreground(system, known(system, pid)) is None


def test_a_process_in_the_foreground_group_is_taken_for_its_leader():
    system = FakeProcesses()
    leader = system.start("a")
    member = system.start("b", ppid=leader, group=leader, foreground=leader)
    assert foreground(system, known(system, member)) == known(system, member)
