"""Every failure that the composition reports, as one tree.

::

    AgentsError
    ├── ConfigError        the config file is wrong: every fault with its line
    ├── UsageError         an argument that can't be meant
    ├── Refused            a rule said no; nothing was done
    ├── Failed             a failure that is told in full, facts of its own included
    ├── Unsupported        this platform, version or harness cannot do it
    ├── FileChanged        somebody wrote a user's file while we were at it
    └── WaitError          a wait or look that ended without its answer
        ├── LaunchEnded    the launch has ended
        ├── WaitTimedOut   the time was up
        └── WaitCancelled  the caller went away

This module imports nothing at run time, so that every other one can import it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tongs_agents.outcomes import Failure
    from tongs_mux.model import Check


class AgentsError(Exception):
    """Base of everything that this package raises on purpose.

    ``reason`` is the stable slug of the table in ``reasons``; ``hint`` says in
    one line what a person can do next.
    """

    reason = "failed"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong in a config file, and what is allowed there."""

    key: str
    """Dotted, empty where it is the file as a whole."""
    line: int | None
    """From 1; None where it could not be found."""
    problem: str
    allowed: str

    def sentence(self, path: str) -> str:
        """``PATH:LINE: KEY PROBLEM; allowed: …``."""
        where = path if self.line is None else f"{path}:{self.line}"
        what = f"{self.key} {self.problem}" if self.key else self.problem
        return f"{where}: {what}; allowed: {self.allowed}"


class ConfigError(AgentsError):
    """The config file can't be used. ``faults`` are all of them, in the file's order.

    ``key``, ``line`` and ``allowed`` are the first one's.
    """

    reason = "usage"

    def __init__(self, path: str, faults: tuple[Fault, ...], *, hint: str = "") -> None:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        super().__init__(
            faults[0].sentence(path) + more,
            hint=hint or "`tongs-agents config check` lists every fault",
        )
        self.path = path
        self.faults = faults
        self.key = faults[0].key
        self.line = faults[0].line
        self.allowed = faults[0].allowed


class UsageError(AgentsError):
    """An option or argument is missing, unknown or contradicts another."""

    reason = "usage"


class Refused(AgentsError):
    """A rule above the control layer said no; nothing was done.

    ``checks`` are the rules that were looked at, where there were several.
    """

    def __init__(
        self, message: str, *, reason: str, checks: tuple[Check, ...] = (), hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.reason = reason
        self.checks = checks


class Failed(AgentsError):
    """Carries a failure that says more than an error of the tables can."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.error, hint=failure.hint)
        self.failure = failure
        self.reason = failure.reason


class Unsupported(AgentsError):
    """It cannot be done here; ``reason`` may be ``hooks-untrusted`` (A101)."""

    def __init__(self, message: str, *, reason: str = "unsupported", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


class FileChanged(AgentsError):
    """A user's own file is no longer what it was a moment ago; nothing was written."""

    reason = "busy"


class WaitError(AgentsError):
    """A wait that ended without its answer, with the state and status last seen."""

    def __init__(
        self, message: str, *, state: str | None, status: str | None, hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.state = state
        self.status = status


class LaunchEnded(WaitError):
    """The launch has ended, and something else was asked of it."""

    reason = "exited"


class WaitTimedOut(WaitError):
    """The status asked for did not come in time."""

    reason = "timeout"


class WaitCancelled(WaitError):
    """The caller went away before the answer."""

    reason = "cancelled"


class Terminated(BaseException):
    """A signal ended this process. As an interruption: no ``except Exception`` holds it up."""

    reason = "cancelled"

    def __init__(self, number: int, name: str) -> None:
        super().__init__(f"ended by {name}")
        self.number = number
        self.name = name


__all__ = [
    "AgentsError",
    "ConfigError",
    "Failed",
    "Fault",
    "FileChanged",
    "LaunchEnded",
    "Refused",
    "Terminated",
    "Unsupported",
    "UsageError",
    "WaitCancelled",
    "WaitError",
    "WaitTimedOut",
]
