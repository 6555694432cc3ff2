"""Opening a pane for a launch, and waiting until the program in it has claimed it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tongs_mux.acts import Act
from tongs_mux.backend import Backend, Opened, OpenRequest
from tongs_mux.claims import LaunchStore
from tongs_mux.errors import StartFailed
from tongs_mux.files import locked, private_dir
from tongs_mux.model import LaunchRecord

CLAIM_SECONDS = 5.0
"""How long an opener waits for the claim before it answers ``pending`` (6.21)."""

OPEN_LOCK_SECONDS = 30.0
"""How long one opener waits for another on the same server (C11)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to open where. ``launcher`` is executed in the pane and makes the claim."""

    record: LaunchRecord
    session: str
    launcher: tuple[str, ...]
    name: str
    create_session: bool
    environment: Mapping[str, str]
    """Environment of a multiplexer server that has to be started (A89)."""


@dataclass(frozen=True, slots=True)
class Opener:
    """Opens panes, one at a time a server, each recorded before it can be claimed."""

    store: LaunchStore
    runtime: Path
    monotonic: Callable[[], float]
    pause: Callable[[float], None]

    def open(
        self, plan: Plan, backend: Backend, act: Act, prepare: Callable[[], None] = lambda: None
    ) -> tuple[LaunchRecord, Opened]:
        """Create the record, ``prepare``, open the pane, write down what was opened.

        What is prepared is found by its record, also where we are killed in between.

        The record's lock is held from before the pane exists until its id and
        pid are on record: the launcher in the pane waits for it (A88).
        Raises BackendError, AuditFailed, LockTimeout; no record is left then.
        """
        record = plan.record
        act.begin()
        act.reached("none")
        self.store.create(record)
        try:
            prepare()
            with self._alone(backend), self.store.holding(record.launch_id):
                act.reached("unknown")
                opened = backend.open(_request(plan))
                act.reached("partial")
                act.aimed(opened.pane)
                record = self.store.opened(record.launch_id, opened.pane, opened.pid, opened.server)
        except BaseException:
            self.store.remove(plan.record.launch_id)
            raise
        return record, opened

    @contextmanager
    def _alone(self, backend: Backend) -> Iterator[None]:
        address = f"{backend.multiplexer}:{backend.address()}"
        name = hashlib.sha256(address.encode("utf-8")).hexdigest()[:16]
        directory = private_dir(self.runtime / "locks")
        with locked(directory / f"{name}.open", deadline=OPEN_LOCK_SECONDS):
            yield

    def await_claim(
        self, launch_id: str, became: Callable[[LaunchRecord], bool], seconds: float
    ) -> LaunchRecord:
        """The record once it is claimed and its program runs, or as it is at the deadline.

        ``became`` says whether the launcher has already become the command.
        Raises StartFailed where the launcher wrote why it could not.
        """
        until = self.monotonic() + seconds
        while True:
            record = self.store.read(launch_id)
            if record.start_error is not None:
                raise StartFailed(record.start_error, hint="see the profile's `command` and `cwd`")
            if record.claim is not None and became(record):
                return record
            if self.monotonic() >= until:
                return record
            self.pause(0.01)


def _request(plan: Plan) -> OpenRequest:
    return OpenRequest(
        session=plan.session,
        argv=plan.launcher,
        cwd=plan.record.cwd,
        name=plan.name,
        create_session=plan.create_session,
        environment=plan.environment,
    )


__all__ = [
    "CLAIM_SECONDS",
    "OPEN_LOCK_SECONDS",
    "Opener",
    "Plan",
]
