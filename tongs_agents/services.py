"""The composition root: from a process's world to the services that verbs and tools use.

Every service is made when it is first asked for, and its module is imported only
then: a verb pays for what it needs, and one that only reads makes nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tongs_agents.paths import Places, resolve

if TYPE_CHECKING:
    from tongs_agents.config import Config
    from tongs_agents.fleet import Fleet
    from tongs_agents.launches import Starter
    from tongs_agents.multiplexers import BackendFactory
    from tongs_agents.watching import Watch
    from tongs_mux.audit import AuditLog
    from tongs_mux.claims import LaunchStore
    from tongs_mux.control import Controller
    from tongs_mux.model import LaunchRecord
    from tongs_mux.process import Processes


class Services:
    """What one process has at hand; ``environ``, home, cwd and clock are given to it."""

    def __init__(
        self,
        environ: Mapping[str, str],
        *,
        home: Path,
        cwd: Path,
        uid: int,
        pid: int,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.environ = environ
        self.home = home
        self.cwd = cwd
        self.uid = uid
        self.pid = pid
        self.clock = clock

    @classmethod
    def of_process(cls) -> Services:
        """The services of this very process."""
        environ, uid = dict(os.environ), os.getuid()
        return cls(environ, home=_home(environ, uid), cwd=_cwd(environ), uid=uid, pid=os.getpid())

    def afresh(self) -> Services:
        """The same process's, with nothing read yet: what a server takes for each call."""
        return Services(
            self.environ,
            home=self.home,
            cwd=self.cwd,
            uid=self.uid,
            pid=self.pid,
            clock=self.clock,
        )

    @cached_property
    def places(self) -> Places:
        """Where everything is. Raises PlaceRefused."""
        return resolve(self.environ, self.home)

    @cached_property
    def config(self) -> Config:
        """The settings. Raises ConfigError, PlaceRefused."""
        from tongs_agents.config import load

        return load(self.places.config, home=self.home)

    @cached_property
    def store(self) -> LaunchStore:
        """The launch records; makes nothing. Raises PlaceRefused where others can get at them."""
        from tongs_mux.claims import LaunchStore
        from tongs_mux.files import private_dir

        for directory in (self.places.state_dir, self.places.launches):
            with suppress(FileNotFoundError):
                private_dir(directory, create=False)
        return LaunchStore(self.places.launches)

    @cached_property
    def audit(self) -> AuditLog:
        """The control audit; a line that is written makes the state dir."""
        from tongs_mux.audit import AuditLog

        return AuditLog(self.places.control_audit, clock=self.clock)

    @cached_property
    def processes(self) -> Processes:
        """Looks processes up."""
        from tongs_mux.process import system_processes

        return system_processes()

    @cached_property
    def backends(self) -> BackendFactory:
        """The multiplexer servers."""
        from tongs_agents.multiplexers import BackendFactory

        return BackendFactory(self.processes, self.environ)

    @cached_property
    def control(self) -> Controller:
        """The door to the panes, for looking. Makes nothing; ``acting`` is for acts."""
        from tongs_mux.control import Controller

        return Controller(
            store=self.store,
            backends=self.backends,
            audit=self.audit,
            processes=self.processes,
            runtime=self.places.runtime_dir,
            clock=self.clock,
            judge=judge,
        )

    def acting(self) -> Controller:
        """The door to the panes, for acts: state and runtime dir exist and are private.

        Raises PlaceRefused, AuditFailed.
        """
        from tongs_mux.files import private_dir

        self.auditing()
        private_dir(self.places.runtime_dir)
        return self.control

    def auditing(self) -> AuditLog:
        """The control audit in a state dir that exists and is private.

        Raises PlaceRefused; AuditFailed where the state dir can't be made.
        """
        from tongs_mux.errors import AuditFailed
        from tongs_mux.files import private_dir

        try:
            private_dir(self.places.state_dir)
        except OSError as error:
            raise AuditFailed(
                f"nothing can be audited: {self.places.state_dir}: {error.strerror}",
                hint=f"make {self.places.state_dir} writable, or name another state dir",
            ) from error
        return self.audit

    @cached_property
    def watch(self) -> Watch:
        """What launches are doing. Raises PlaceRefused."""
        from tongs_agents.sessions import SessionStore
        from tongs_agents.watching import Watch

        sessions = SessionStore(self.places.sessions, clock=self.clock)
        return Watch(self.control, sessions, self.places.runtime_dir, self.clock)

    @cached_property
    def fleet(self) -> Fleet:
        """Sessions, launched here or not. Raises PlaceRefused."""
        from tongs_agents.fleet import Fleet

        return Fleet(self.watch.sessions, self.processes, self.watch)

    @cached_property
    def starter(self) -> Starter:
        """Starts launches. Raises ConfigError, PlaceRefused, AuditFailed."""
        from tongs_agents.launches import Starter

        return Starter(
            control=self.acting(),
            places=self.places,
            config=self.config,
            watch=self.watch,
            environ=self.environ,
            uid=self.uid,
            home=self.home,
            cwd=self.cwd,
            random_hex=lambda count: os.urandom(count).hex(),
        )

    def starter_beside(self, record: LaunchRecord) -> Starter:
        """Starts launches in the running session of ``record``, which is never started (A89).

        Their environment is that session's, and what they inherit besides is on record:
        nothing comes from this process. Raises as ``starter``.
        """
        from dataclasses import replace  # rarely needed

        server = None if record.server is None else record.server.pid
        environ = self.processes.environ(server) if server is not None else {}
        return replace(self.starter, within=record.pane, environ=environ, cwd=Path(record.cwd))

    def records(self) -> tuple[tuple[LaunchRecord, ...], tuple[str, ...]]:
        """Every launch on record, oldest first, and a sentence for each that can't be read."""
        records, troubles = self.store.scan()
        return records, tuple(trouble.message for trouble in troubles)

    def agent_around(self) -> str | None:
        """The launch in whose process tree this process is, None outside of any (A65)."""
        from tongs_agents.inside import agent_around

        records, state_dir = self.store.all(), self.places.state_dir
        return agent_around(self.environ, self.pid, records, self.processes, state_dir)


def judge(error: BaseException) -> tuple[str, int]:
    """The outcome word and exit code that the audit carries for an error: the one table's."""
    from tongs_agents.outcomes import failure_of

    failure = failure_of(error)
    return failure.outcome, failure.exit_code


def _home(environ: Mapping[str, str], uid: int) -> Path:
    """The home directory, as an absolute path: ``HOME``, else what the system has on record."""
    home = Path(environ.get("HOME", ""))
    if home.is_absolute():
        return home
    import pwd  # rarely needed

    try:
        return Path(pwd.getpwuid(uid).pw_dir)
    except KeyError:
        from tongs_agents.errors import UsageError

        raise UsageError(
            f"HOME is not set and user {uid} has no home directory", hint="set HOME"
        ) from None


def _cwd(environ: Mapping[str, str]) -> Path:
    """The working directory; one that was removed keeps its name, so that an error can say it."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        gone = Path(environ.get("PWD", ""))
        return gone if gone.is_absolute() else Path("/")


__all__ = ["Services", "judge"]
