"""A process table in memory: starts, ends, zombies and reused pids, at a word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tongs_mux.model import ProcessFacts, ProcessIdentity

FIRST_PID = 1000
"""Pid of the first process that is started without one."""


@dataclass
class _Entry:
    facts: ProcessFacts
    argv: tuple[str, ...]
    environ: dict[str, str] = field(default_factory=dict)


class FakeProcesses:
    """The Processes seam over a table that a test writes.

    No two processes ever have the same start token, so a pid that is given
    out twice is another process.
    """

    def __init__(self) -> None:
        self._table: dict[int, _Entry] = {}
        self._ticks = 0
        self._next_pid = FIRST_PID

    def start(
        self,
        *argv: str,
        pid: int | None = None,
        ppid: int = 1,
        group: int | None = None,
        foreground: int | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> int:
        """Start a process and return its pid; a given ``pid`` may be a used one.

        It leads its own group and reads its terminal's keys where nothing else is said.
        """
        if pid is None:
            pid, self._next_pid = self._next_pid, self._next_pid + 1
        self._ticks += 1
        facts = ProcessFacts(
            pid=pid,
            ppid=ppid,
            start_token=f"boot:{self._ticks}",
            name=(argv[0] if argv else "program").rpartition("/")[2],
            group=pid if group is None else group,
            foreground_group=pid if foreground is None else foreground,
        )
        self._table[pid] = _Entry(facts, argv, dict(environ or {}))
        return pid

    def end(self, pid: int, *, zombie: bool = False) -> None:
        """End a process; a zombie stays in the table until it is ended again."""
        if zombie:
            self.set(pid, zombie=True)
        else:
            self._table.pop(pid, None)

    def set(self, pid: int, **changes: object) -> None:
        """Change facts of a process: its parent, name, groups, or token (None: not told)."""
        entry = self._table[pid]
        # the fields' types are the caller's to keep: a wrong name raises TypeError
        entry.facts = replace(entry.facts, **changes)  # type: ignore[arg-type]

    def identity(self, pid: int) -> ProcessIdentity:
        """Pid and start token of a process in the table. Raises KeyError."""
        return ProcessIdentity(pid, self._table[pid].facts.start_token)

    def facts(self, pid: int) -> ProcessFacts | None:
        """As the Processes seam."""
        entry = self._table.get(pid)
        return entry.facts if entry is not None else None

    def argv(self, pid: int) -> tuple[str, ...]:
        """As the Processes seam."""
        entry = self._table.get(pid)
        return entry.argv if entry is not None else ()

    def environ(self, pid: int) -> dict[str, str]:
        """As the Processes seam."""
        entry = self._table.get(pid)
        return dict(entry.environ) if entry is not None else {}

    def pids(self) -> tuple[int, ...]:
        """As the Processes seam."""
        return tuple(self._table)

    def reads_terminal(self, pid: int) -> bool:
        """Everybody in the table does."""
        return pid in self._table

    def program(self, pid: int) -> str:
        """Nobody in the table has a file."""
        return ""


__all__ = ["FIRST_PID", "FakeProcesses"]
