"""Launches by profile: spawn, respawn, what is on record, and what may be forgotten."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from tongs_agents.attaching import (
    Wanted,
    attach,
    said_by,
    settings_path,
    unattached,
    write_settings,
)
from tongs_agents.beginning import AT_ONCE, has_begun
from tongs_agents.errors import Refused
from tongs_agents.first_prompt import await_ready, started, with_prompt
from tongs_agents.harness.claude_attach import Attachment
from tongs_agents.harness.inherited import cleaned, for_launch
from tongs_agents.harness.registry import harness_named
from tongs_agents.hooks import HOOKS_LABEL
from tongs_agents.install.standing import is_registered
from tongs_agents.multiplexers import make_socket_dir, workspace_pane
from tongs_agents.parcel import Parcel, leave, parcel_path
from tongs_agents.paths import Places
from tongs_agents.viewing import attach_command
from tongs_agents.watching import Watch
from tongs_mux.acts import Act, Actor, refusals
from tongs_mux.control import Controller
from tongs_mux.errors import BadText, DeliveryUncertain, MuxError, StartFailed
from tongs_mux.evidence import Seen
from tongs_mux.ids import new_launch_id
from tongs_mux.model import LaunchRecord, PaneRef, ProcessFacts
from tongs_mux.opening import CLAIM_SECONDS, Opener, Plan
from tongs_mux.process import alive
from tongs_mux.reader import Reader
from tongs_mux.text import prepare, sha256
from tongs_mux.verify import CLAIM_GRACE

if TYPE_CHECKING:  # a send needs neither the config nor the launcher, and saves their import
    from tongs_agents.config import Config, Profile

RESPAWNED_FROM = "respawned_from"
"""Label of a launch that was started again: the launch that it follows."""

UNKNOWN_SECONDS = 2.0
"""How long a launch that was just started is looked at again while that can't be told."""


@dataclass(frozen=True, slots=True)
class Spawned:
    """A launch that was started. ``state`` is ``running``, or ``pending`` if unclaimed."""

    record: LaunchRecord
    state: str
    prompt: Literal["submitted", "pasted"] | None
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Starter:
    """What starting a launch needs of the world."""

    control: Controller
    places: Places
    config: Config
    watch: Watch
    environ: Mapping[str, str]
    uid: int
    home: Path
    cwd: Path
    random_hex: Callable[[int], str]
    within: PaneRef | None = None
    """The running session to open in, which is never started; None: the workspace's, which is.

    ``environ`` and ``cwd`` are then that session's, and a launch gets its pane's own (A89)."""

    def spawn(
        self,
        profile: Profile,
        by: Actor,
        *,
        prompt: str | None = None,
        labels: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        launch_id: str | None = None,
    ) -> Spawned:
        """Start ``profile`` in a new pane of the workspace session, stealing no focus.

        It starts in ``cwd``, else in ours, where the profile names no place.
        ``launch_id`` is one that ``new_id`` made.

        A session that isn't running is started detached, and said so in the
        notices. Raises StartFailed where the command can't be executed or ends
        at once, BadText for a prompt that may not be sent, BackendError,
        AuditFailed.
        """
        record = self._record(profile, labels or {}, cwd or self.cwd, launch_id or self.new_id())
        control, before = self.control, record.labels.get(RESPAWNED_FROM)
        action = "spawn" if before is None else "respawn"
        with Act(control.audit, control.judge, action, by, record) as act:
            if before is not None:
                act.labelled({RESPAWNED_FROM: before})
            body = None if prompt is None else prepare(prompt)
            if body is not None:
                act.about(body, sha256(body))
            text = None if body is None else body.decode("utf-8")
            record, attached = self._attach(record, profile)
            argv, pasted = with_prompt(harness_named(profile.harness), attached.argv, text)
            environ = None if self.within else cleaned(self.environ)
            parcel = Parcel(argv, environ, profile.env)
            spawned = self._start(record, parcel, attached.settings, act)
            spawned = replace(spawned, notices=(*spawned.notices, *attached.notices))
        if body is None or spawned.state != "running":
            return replace(spawned, prompt="pasted" if body is not None else None)
        with started():
            if pasted is not None:
                return self._first_prompt(spawned, pasted, by)
            return replace(spawned, prompt=self._taken(spawned.record, body))

    def _attach(self, record: LaunchRecord, profile: Profile) -> tuple[LaunchRecord, Attachment]:
        """The record with its label, and the command line with our hooks, where it takes them."""
        path = settings_path(self.places.runtime_dir, record.launch_id, profile.harness)
        environ = for_launch(self.environ, self.environ, profile.env, {})
        said = cache(lambda word: said_by(record.argv[0], profile.harness, word, environ))
        wanted = Wanted(
            profile.harness,
            record.argv,
            path,
            environ,
            said,
            read=lambda name: (Path(record.cwd) / name).read_text(encoding="utf-8"),
        )
        version = partial(said, "--version")
        if profile.attach == "auto" and is_registered(profile.harness, environ, self.home, version):
            labels = {**record.labels, HOOKS_LABEL: "installed"}
            return replace(record, labels=labels), unattached(wanted)
        found = unattached(wanted) if profile.attach == "never" else attach(wanted)
        if found.attached:
            record = replace(record, labels={**record.labels, HOOKS_LABEL: "attached"})
        return record, found

    def _taken(self, record: LaunchRecord, body: bytes) -> Literal["submitted", "pasted"]:
        """Whether the program said that it took the prompt that it was started with."""
        if HOOKS_LABEL not in record.labels:
            return "pasted"
        proof = self.watch.proof(record)
        return "pasted" if proof(body, record.created_at) is None else "submitted"

    def _start(
        self, record: LaunchRecord, parcel: Parcel, settings: str | None, act: Act
    ) -> Spawned:
        where = self._where()
        runtime, launch_id = self.places.runtime_dir, record.launch_id
        harness = record.labels["harness"]

        def prepare() -> None:
            if settings is not None:
                write_settings(settings_path(runtime, launch_id, harness), settings)
            leave(parcel_path(runtime, launch_id), parcel)

        try:
            record, created = self._open(record, where, act, prepare)
            return self._await(record, created, where)
        except BaseException:
            parcel_path(runtime, launch_id).unlink(missing_ok=True)
            raise

    def named(self, name: str, by: Actor) -> Profile:
        """The configured profile. Raises Refused ``no-such-profile``, audited."""
        with refusals(self.control.audit, self.control.judge, "spawn", by):
            return profile_named(self.config, name)

    def respawn(self, record: LaunchRecord, by: Actor) -> Spawned:
        """Start the profile of an ended launch again, as a new launch, where that was started.

        One that nobody claimed in time has ended as well. Raises Refused: ``running``
        where it is alive, ``unknown`` where that can't be told, ``no-such-profile``
        where the config has lost it.
        """
        control, launch_id = self.control, record.launch_id
        with refusals(control.audit, control.judge, "respawn", by, launch_id):
            profile = self._of_ended(record)
        again = {RESPAWNED_FROM: launch_id}
        return self.spawn(profile, by, labels=again, cwd=Path(record.cwd))

    def _of_ended(self, record: LaunchRecord) -> Profile:
        verdict = self.control.verify(record).verdict
        claim, reason = record.claim, verdict.reason or verdict.state
        hint = "try again later"
        if reason == "running":
            hint = "`tongs-agents close` it first"
        elif reason != "unknown" and claim and alive(self.control.processes, claim.process):
            reason, hint = "running", f"end its program first (pid {claim.process.pid})"
        if reason in ("running", "pending", "unknown"):
            state = "alive" if reason == "running" else reason
            raise Refused(f"launch {record.launch_id} is {state}", reason=reason, hint=hint)
        return profile_named(self.config, record.labels.get("profile", ""))

    def new_id(self) -> str:
        """An id for a launch that is to be."""
        return new_launch_id(self.random_hex)

    def _record(
        self, profile: Profile, labels: Mapping[str, str], cwd: Path, launch_id: str
    ) -> LaunchRecord:
        own = {
            "profile": profile.name,
            "harness": profile.harness,
            "wrapper": "yes" if profile.wrapper else "no",
            "multiline": "yes" if profile.multiline else "no",
        }
        return LaunchRecord(
            launch_id=launch_id,
            created_at=self.control.clock(),
            argv=profile.command,
            cwd=str(profile.cwd or cwd),
            labels={**own, **labels},
            places={
                "config": str(self.places.config),
                "state_dir": str(self.places.state_dir),
                "runtime_dir": str(self.places.runtime_dir),
            },
        )

    def _where(self) -> PaneRef:
        if self.within is not None:
            return self.within
        space = self.config.workspace
        return workspace_pane(
            space.multiplexer, space.session, space.socket, self.environ, self.uid
        )

    def _opener(self) -> Opener:
        control = self.control
        return Opener(
            store=control.store,
            runtime=self.places.runtime_dir,
            monotonic=control.monotonic,
            pause=control.pause,
        )

    def _open(
        self, record: LaunchRecord, where: PaneRef, act: Act, prepare: Callable[[], None]
    ) -> tuple[LaunchRecord, bool]:
        if where.multiplexer == "tmux" and where.socket is not None and self.within is None:
            make_socket_dir(where.socket)
        from tongs_agents.launcher import MODULE

        command = (sys.executable, "-I", "-m", MODULE)
        plan = Plan(
            record=record,
            session=where.session,
            launcher=(*command, str(self.places.state_dir), record.launch_id),
            name=record.labels["profile"],
            create_session=self.within is None,
            environment=cleaned(self.environ),
        )
        record, opened = self._opener().open(plan, self.control.backends(where), act, prepare)
        return record, opened.created_session

    def _await(self, record: LaunchRecord, created: bool, where: PaneRef) -> Spawned:
        record = self._opener().await_claim(record.launch_id, self._became, CLAIM_SECONDS)
        state = self._state_at_first(record)
        if state in ("exited", "not-listed", "replaced"):
            raise self._ended_at_once(record)
        if state == "unknown":
            raise DeliveryUncertain(
                f"launch {record.launch_id} was started, and then the multiplexer did not answer",
                reason="unknown", effect="partial",
                hint=f"`tongs-agents agent-status --why {record.launch_id}` looks again",
            )  # fmt: skip
        if state == "pending" and self.control.witness.gone(record):
            raise StartFailed("its pane was closed before the program in it had started")
        new = f"session {where.session!r} was not running: started detached"
        notices = (f"{new}; see it with `{attach_command(where)}`",) if created else ()
        return Spawned(record, state, None, notices)

    def _ended_at_once(self, record: LaunchRecord) -> StartFailed:
        """The error, which the record keeps: later looks say it too, not an end alone."""
        why = f"{record.argv[0]} ended at once"
        with suppress(MuxError):
            self.control.store.fail(record.launch_id, why)
        return StartFailed(why, hint=f"run it by hand in {record.cwd} to see why")

    def _state_at_first(self, record: LaunchRecord) -> str:
        """``exited`` where the program ends as it starts, else the state after that time.

        A server that ends with its only pane may give no answer for a moment.
        """
        begun, first = self.control.monotonic(), self._process(record)
        while True:
            state = self.control.verify(record).verdict.state
            waited = self.control.monotonic() - begun
            if state not in ("running", "unknown"):
                return state
            if state == "unknown" and waited >= UNKNOWN_SECONDS:
                return state
            if state == "running" and has_begun(first, self._process(record), waited):
                return state
            self.control.pause(AT_ONCE / 5 if state == "unknown" else AT_ONCE)

    def _process(self, record: LaunchRecord) -> ProcessFacts | None:
        return self.control.processes.facts(record.claim.process.pid) if record.claim else None

    def _became(self, record: LaunchRecord) -> bool:
        """True once the launcher has become the command, or has ended."""
        from tongs_agents.launcher import MODULE

        if record.claim is None:
            return False
        return MODULE not in self.control.processes.argv(record.claim.process.pid)

    def _first_prompt(self, spawned: Spawned, prompt: str, by: Actor) -> Spawned:
        """Send the prompt once the composer is ready (A21, A91); a refusal is a notice."""
        record = spawned.record
        reader = reader_of(record)
        await_ready(self.control, record, reader)
        try:
            receipt = self.control.send(
                record,
                prompt,
                reader,
                by,
                wrapper=is_wrapper(record),
                proof=self.watch.proof(record) if HOOKS_LABEL in record.labels else None,
            )
        except (MuxError, BadText) as error:
            notice = f"the prompt was not sent: {error}"
            return replace(spawned, notices=(*spawned.notices, notice))
        return replace(spawned, prompt=receipt.receipt)


def profile_named(config: Config, name: str) -> Profile:
    """The configured profile. Raises Refused ``no-such-profile``."""
    profile = config.profiles.get(name)
    if profile is None:
        from tongs_agents.config_example import how_to_add  # here: only this error needs it

        known = ", ".join(sorted(config.profiles)) or "none"
        raise Refused(
            f"there is no profile {name!r} (configured: {known})",
            reason="no-such-profile",
            hint=how_to_add(name, config.path),
        )
    return profile


def reader_of(record: LaunchRecord) -> Reader:
    """The reader for the harness that the launch was started with."""
    harness = harness_named(record.labels.get("harness", "other"))
    return harness.reader(record.labels.get("multiline") == "yes")


def is_wrapper(record: LaunchRecord) -> bool:
    """True where the claimed process is declared to be a wrapper of the harness (D3)."""
    return record.labels.get("wrapper") == "yes"


def may_forget(seen: Seen, control: Controller) -> bool:
    """True for a record whose launch has surely ended, or was never claimed (A88).

    ``unknown`` is no end: a silent multiplexer removes nothing.
    """
    record = seen.record
    if record.claim is None:
        old = control.clock() - record.created_at > CLAIM_GRACE
        return record.start_error is not None or old
    gone = not alive(control.processes, record.claim.process)
    return gone and seen.verdict.state in ("exited", "replaced", "not-listed")


__all__ = [
    "RESPAWNED_FROM",
    "UNKNOWN_SECONDS",
    "Spawned",
    "Starter",
    "is_wrapper",
    "may_forget",
    "profile_named",
    "reader_of",
]
