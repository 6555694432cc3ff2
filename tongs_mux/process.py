"""Process identity and ancestry: boot id and start ticks on Linux, psutil elsewhere."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Protocol

from tongs_mux.model import ProcessFacts, ProcessIdentity

_PROC_CHUNK = 1 << 16
_TICKS = os.sysconf("SC_CLK_TCK")

_TERMINALS = {4, 5, *range(136, 144)}
"""Major numbers of Linux's terminals: consoles, ``/dev/tty`` and pseudo-terminals."""


class Processes(Protocol):
    """Looks processes up; the seam that tests and other systems replace."""

    def facts(self, pid: int) -> ProcessFacts | None:
        """What is known of ``pid`` now, None where no such process lives."""
        ...

    def argv(self, pid: int) -> tuple[str, ...]:
        """Its command line, empty where it can't be read. Never used as proof (D2)."""
        ...

    def environ(self, pid: int) -> dict[str, str]:
        """The environment it was started with, empty where it can't be read."""
        ...

    def pids(self) -> tuple[int, ...]:
        """Every process that can be seen."""
        ...

    def reads_terminal(self, pid: int) -> bool:
        """True where its standard input is a terminal; False where that can't be told."""
        return False

    def program(self, pid: int) -> str:
        """A path by which the file that it executes can be opened; empty where there is none."""
        return ""


class LinuxProcesses:
    """Reads ``/proc``; one process costs about 20 µs."""

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = str(proc)
        self._boot_id: str | None = None

    def _boot(self) -> str:
        if self._boot_id is None:
            self._boot_id = self._read("sys/kernel/random/boot_id").decode("ascii").strip()
        return self._boot_id

    def _read(self, name: str) -> bytes:
        # bare descriptors: a list of many launches reads this for each (P6)
        fd = os.open(f"{self._proc}/{name}", os.O_RDONLY | os.O_CLOEXEC)
        try:
            data = part = os.read(fd, _PROC_CHUNK)
            while len(part) == _PROC_CHUNK:
                part = os.read(fd, _PROC_CHUNK)
                data += part
            return data
        finally:
            os.close(fd)

    def facts(self, pid: int) -> ProcessFacts | None:
        """What ``/proc/PID/stat`` says; the name may hold spaces and brackets."""
        try:
            stat = self._read(f"{pid}/stat")
        except OSError:
            return None
        head, _, tail = stat.rpartition(b")")
        fields = tail.split()
        return ProcessFacts(
            pid=pid,
            ppid=int(fields[1]),
            start_token=f"{self._boot()}:{int(fields[19])}",
            name=head.partition(b"(")[2].decode("utf-8", "replace"),
            group=int(fields[2]),
            foreground_group=int(fields[5]),
            zombie=fields[0] in (b"Z", b"X"),
            session=int(fields[3]),
            ready=fields[0] in (b"R", b"D"),
            used=(int(fields[11]) + int(fields[12])) / _TICKS,
        )

    def argv(self, pid: int) -> tuple[str, ...]:
        """Split ``/proc/PID/cmdline``."""
        return _split_nul(self._quiet(f"{pid}/cmdline"))

    def environ(self, pid: int) -> dict[str, str]:
        """Split ``/proc/PID/environ``: as it was at exec, not as it is now."""
        pairs = (item.partition("=") for item in _split_nul(self._quiet(f"{pid}/environ")))
        return {name: value for name, sign, value in pairs if sign}

    def _quiet(self, name: str) -> bytes:
        try:
            return self._read(name)
        except OSError:
            return b""

    def pids(self) -> tuple[int, ...]:
        """The numbered entries of ``/proc``."""
        return tuple(int(name) for name in os.listdir(self._proc) if name.isdigit())

    def reads_terminal(self, pid: int) -> bool:
        """By the device behind descriptor 0: a job in the background of a script has none."""
        try:
            return os.major(os.stat(f"{self._proc}/{pid}/fd/0").st_rdev) in _TERMINALS
        except OSError:
            return False

    def program(self, pid: int) -> str:
        """The link to its program file, which holds when that was renamed or removed."""
        return f"{self._proc}/{pid}/exe"


def _split_nul(data: bytes) -> tuple[str, ...]:
    return tuple(part.decode("utf-8", "surrogateescape") for part in data.split(b"\0") if part)


class PortableProcesses:
    """The same by psutil, for systems without ``/proc`` (D5)."""

    def facts(self, pid: int) -> ProcessFacts | None:
        """As psutil sees it; what it may not read is unknown, never assumed."""
        import psutil  # here: Linux never needs it on this path, and it costs 40 ms

        try:
            process = psutil.Process(pid)
            with process.oneshot():
                return ProcessFacts(
                    pid=pid,
                    ppid=process.ppid(),
                    start_token=f"created:{process.create_time():.6f}",
                    name=process.name(),
                    group=_group_of(pid),
                    foreground_group=-1,
                    zombie=process.status() == psutil.STATUS_ZOMBIE,
                    session=_session_of(pid),
                )
        except psutil.NoSuchProcess:
            return None
        except psutil.AccessDenied:
            return ProcessFacts(pid, 0, None, "", -1, -1)

    def argv(self, pid: int) -> tuple[str, ...]:
        """The command line, empty where it can't be read."""
        import psutil  # as above

        try:
            return tuple(psutil.Process(pid).cmdline())
        except psutil.Error:
            return ()

    def environ(self, pid: int) -> dict[str, str]:
        """The environment, empty where it can't be read."""
        import psutil  # as above

        try:
            return dict(psutil.Process(pid).environ())
        except psutil.Error:
            return {}

    def pids(self) -> tuple[int, ...]:
        """Every process id that psutil lists."""
        import psutil  # as above

        return tuple(psutil.pids())

    def reads_terminal(self, pid: int) -> bool:
        """psutil does not say."""
        return False

    def program(self, pid: int) -> str:
        """As psutil has it."""
        import psutil  # as above

        try:
            return psutil.Process(pid).exe()
        except psutil.Error:
            return ""


def _group_of(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except OSError:
        return -1


def _session_of(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return -1


def system_processes(proc: Path = Path("/proc")) -> Processes:
    """The look-up that fits this system."""
    return LinuxProcesses(proc) if (proc / "self" / "stat").exists() else PortableProcesses()


def identity(processes: Processes, pid: int) -> ProcessIdentity | None:
    """``pid`` with its start token, None where no such process lives."""
    facts = processes.facts(pid)
    if facts is None or facts.zombie:
        return None
    return ProcessIdentity(pid, facts.start_token)


def alive(processes: Processes, who: ProcessIdentity) -> bool:
    """True only where exactly this process still lives; a reused pid is another one."""
    return who.start_token is not None and identity(processes, who.pid) == who


def ancestors(processes: Processes, pid: int) -> tuple[int, ...]:
    """Pids from the parent of ``pid`` up to the first of all, however many there are.

    A ring, which only pids reused meanwhile can make, is followed once.
    """
    chain: dict[int, None] = {}
    facts = processes.facts(pid)
    while facts is not None and facts.ppid > 0 and facts.ppid not in chain:
        chain[facts.ppid] = None
        facts = processes.facts(facts.ppid)
    return tuple(chain)


def foreground(processes: Processes, facts: ProcessFacts) -> ProcessFacts | None:
    """The leader of the foreground process group of ``facts``'s terminal, if it is known."""
    if facts.foreground_group <= 0:
        return None
    if facts.foreground_group == facts.group:
        return facts
    return processes.facts(facts.foreground_group)


def end(who: ProcessIdentity, number: signal.Signals, processes: Processes) -> bool:
    """Send a signal to exactly this process; False where it no longer lives."""
    if not alive(processes, who):
        return False
    try:
        os.kill(who.pid, number)
    except ProcessLookupError:
        return False
    return True


__all__ = [
    "LinuxProcesses",
    "PortableProcesses",
    "Processes",
    "alive",
    "ancestors",
    "end",
    "foreground",
    "identity",
    "system_processes",
]
