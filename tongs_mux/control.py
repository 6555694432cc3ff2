"""The only door to a pane: every act is verified, guarded, locked and audited here."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from tongs_mux.acts import Act, Actor, Judge, simple_judge
from tongs_mux.audit import AuditLog
from tongs_mux.backend import Backend, Guard
from tongs_mux.claims import LaunchStore
from tongs_mux.ending import Ending
from tongs_mux.errors import (
    BadText,
    DeliveryUncertain,
    MuxError,
    UnsupportedOperation,
    VerificationFailed,
)
from tongs_mux.evidence import Backends, Seen, Witness, refusal
from tongs_mux.files import locked, private_dir
from tongs_mux.guards import Foreground, is_shell, is_still, wrapped
from tongs_mux.leftover import LeftoverStore, left
from tongs_mux.model import Fact, LaunchRecord, ProcessFacts, Receipt
from tongs_mux.process import Processes, ancestors, foreground
from tongs_mux.reader import Reader, Reading
from tongs_mux.send import Pauses, Sending, Sight
from tongs_mux.shells import is_script, shell_of
from tongs_mux.squeeze import squeezed
from tongs_mux.text import prepare, sha256

Asked = Callable[[tuple[str, ...]], bool]
"""Shows a person a screen and asks whether to type into it (``send --unseen``)."""

Proof = Callable[[bytes, float], Fact | None]
"""Waits, bounded, for the program's own word that it took the prompt that was pasted as
these bytes, newer than the given time; None where it did not come."""

SEND_LOCK_SECONDS = 15.0
"""How long one send to a launch waits for another."""


@dataclass(frozen=True)
class Controller:
    """Verified access to panes. Holds no state of its own between calls.

    Clock, processes and pauses are arguments; ``judge`` gives the outcome word
    and exit code that the audit carries for an error.
    """

    store: LaunchStore
    backends: Backends
    audit: AuditLog
    processes: Processes
    runtime: Path
    clock: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    pause: Callable[[float], None] = time.sleep
    pauses: Pauses = Pauses()
    judge: Judge = simple_judge

    @property
    def witness(self) -> Witness:
        """Looks at launches without acting."""
        return Witness(self.backends, self.processes, self.clock)

    def verify(self, record: LaunchRecord) -> Seen:
        """The launch as it is now. Never raises for a silent multiplexer: ``unknown``."""
        return self.witness.look(record)

    def list(self, records: Iterable[LaunchRecord]) -> tuple[Seen, ...]:
        """Every given launch, verified, with one listing a multiplexer server."""
        return self.witness.look_all(records)

    def running(self, record: LaunchRecord) -> Seen:
        """The launch, verified. Raises VerificationFailed where it is not ``running``."""
        seen = self.verify(record)
        if not seen.verdict.verified:
            raise refusal(seen)
        return seen

    def capture(self, record: LaunchRecord, lines: int | None = None) -> tuple[str, ...]:
        """The visible screen, or the last ``lines`` lines with scrollback, as plain text.

        Raises VerificationFailed; a pane that changed hands meanwhile is not shown.
        """
        seen = self.running(record)
        if lines is None:
            return () if seen.screen is None else trimmed(seen.screen.lines)
        text = self._backend(record).history(self._guard(seen).pane_id, lines)
        self.running(record)
        return text

    def focus(self, record: LaunchRecord, by: Actor) -> str:
        """Bring the pane to the front; returns the client's name, empty where none is attached."""
        with self._acting("focus", record, by) as act:
            seen = self.running(record)
            act.begin()
            held, client = self._backend(record).focus(self._guard(seen))
            if held == "held":
                raise refusal(self.verify(record), changed=True)
            return client

    def close(self, record: LaunchRecord, by: Actor) -> str:
        """Remove the pane and end its program; returns a notice, empty where all is on record.

        A pane whose program has exited is removed as well, where pane and
        server still match the record. Raises VerificationFailed otherwise.
        """
        with self._acting("close", record, by) as act:
            seen = self.verify(_as_claimed(record))
            if not (seen.verdict.verified or still_ours(seen)):
                raise refusal(replace(seen, record=record), hint=_left_to_close(seen))
            ending = Ending(self.processes, self.monotonic, self.pause, self.pauses.step)
            program = ending.program(record.claim.process if record.claim else None)
            act.begin()
            if self._backend(record).close(self._guard(seen)) == "held":
                raise refusal(self.verify(record), changed=True)
            act.reached("partial")
            ending.await_end(program)
        return self._note_end(record)

    def _note_end(self, record: LaunchRecord) -> str:
        """Write down when it ended. That it did is true without: here an error is a notice."""
        try:
            with self.store.holding(record.launch_id):
                current = self.store.read(record.launch_id)
                self.store.update(replace(current, ended_at=self.clock()))
        except (MuxError, OSError) as error:
            return f"it was closed, but its record does not say when: {error}"
        return ""

    def send(
        self,
        record: LaunchRecord,
        text: str,
        reader: Reader,
        by: Actor,
        *,
        wrapper: bool = False,
        asked: Asked | None = None,
        proof: Proof | None = None,
    ) -> Receipt:
        """Paste ``text`` into the launch's pane and press Enter, all guards on.

        The receipt is ``submitted`` only where ``proof`` brings the program's
        own word, newer than this send and for this text; else ``pasted``.

        Raises:
            BadText: the text may not be typed; nothing was.
            VerificationFailed: the pane is not the launch's; nothing was typed.
            DeliveryRefused: a guard said no; nothing was typed.
            DeliveryUncertain: the act had begun; ``effect`` says how far it came.
            AuditFailed: the act could not be audited and was not begun.
        """
        data = text.encode("utf-8", "surrogatepass")
        with self._acting("send", record, by) as act:
            act.about(data, sha256(data))
            body = prepare(text)
            act.about(body, sha256(body))
            if reader.guarded and not squeezed(body.decode("utf-8")):
                raise BadText(
                    "nothing of the text can be seen: it could not be told apart from an "
                    "empty composer",
                    hint="give at least one character that is seen",
                )
            if b"\n" in body and not reader.multiline:
                raise UnsupportedOperation(
                    f"harness {reader.name} takes one line: without bracketed paste each "
                    "line would be submitted by itself",
                    hint="set `multiline = true` in its profile where it knows bracketed paste",
                )
            with self._send_lock(record):
                since = self.clock()
                sending = self._sending(record, body, reader, act, wrapper, asked)
                gone = self._type(sending, record, act)
                proved = proof(body, since) if proof is not None else None
            facts = sending.evidence(proved)
            receipt: Literal["submitted", "pasted"] = "submitted" if proved else "pasted"
            act.note(facts, receipt)
            if gone or proved or not reader.guarded:
                self._leftovers(record).forget(record.launch_id)
        digest = sha256(body)
        return Receipt(record.launch_id, act.id, len(body), digest, receipt, "paste", facts)

    def _type(self, sending: Sending, record: LaunchRecord, act: Act) -> bool:
        try:
            return sending.run()
        except DeliveryUncertain:
            raise
        except Exception:
            # nothing was typed: what stands in the composer is not ours, unless it is older
            if sending.leftover is None or act.id:
                self._leftovers(record).forget(record.launch_id)
            raise

    def _sending(
        self,
        record: LaunchRecord,
        body: bytes,
        reader: Reader,
        act: Act,
        wrapper: bool,
        asked: Asked | None,
    ) -> Sending:
        text = body.decode("utf-8")
        leftovers = self._leftovers(record)

        def begin() -> None:
            act.begin()
            act.reached("none")
            leftovers.remember(record.launch_id, left(act.id, text, body, self.clock()))

        return Sending(
            record=record,
            reader=reader,
            backend=self._backend(record),
            text=text,
            body=body,
            pauses=self.pauses,
            wrapper=wrapper,
            leftover=leftovers.recall(record.launch_id),
            look=lambda: self.sight(record, reader, wrapper=wrapper),
            begin=begin,
            reached=act.reached,
            asked=asked,
            clock=self.clock,
            monotonic=self.monotonic,
            pause=self.pause,
        )

    def sight(self, record: LaunchRecord, reader: Reader, *, wrapper: bool = False) -> Sight:
        """Pane, foreground program and screen of a launch, in one look."""
        seen = self.verify(record)
        if not seen.verdict.verified or seen.pane is None or seen.screen is None:
            return Sight(seen, Reading(None, "unseen"), Foreground(None, None, False))
        return Sight(seen, reader.read(seen.screen, seen.pane), self._foreground(record, wrapper))

    def _foreground(self, record: LaunchRecord, wrapper: bool) -> Foreground:
        claimed = self._named(record.claim.process.pid) if record.claim else None
        if claimed is None:
            return Foreground(None, None, False)
        under = False
        if wrapper and not self._became_shell(record, claimed):
            everybody = [self._named(pid, claimed) for pid in self.processes.pids()]
            # a helper that lives on in the shell's own group reads no keys: the shell does (D6)
            readers = [
                facts
                for facts in everybody
                if facts is not None
                and facts.group == claimed.foreground_group
                and self.processes.reads_terminal(facts.pid)
            ]
            under = wrapped(claimed, readers, lambda pid: ancestors(self.processes, pid))
        leader = foreground(self.processes, claimed)
        return Foreground(claimed, self._named(leader.pid) if leader else None, under)

    def _named(self, pid: int, beside: ProcessFacts | None = None) -> ProcessFacts | None:
        """A process by the name of the shell that its program is, whatever it is called.

        Given one ``beside``, only what is in the foreground with it is looked at so closely.
        """
        facts = self.processes.facts(pid)
        if facts is None or is_shell(facts.name):
            return facts
        if beside is not None and facts.group != beside.foreground_group:
            return facts
        if is_script(facts.name, self.processes.argv(pid)):
            return facts
        shell = shell_of(self.processes.program(pid))
        return replace(facts, name=shell) if shell else facts

    def _became_shell(self, record: LaunchRecord, claimed: ProcessFacts) -> bool:
        """A wrapper that has executed a shell since, which is in front itself (D6).

        What runs below it is a job in its background; one in front has a group of its own.
        """
        if claimed.group != claimed.foreground_group or not is_shell(claimed.name):
            return False
        seen = self.processes.argv(claimed.pid)
        return bool(seen) and not is_still(record.argv, seen)

    def _backend(self, record: LaunchRecord) -> Backend:
        if record.pane is None:
            raise VerificationFailed("no pane was opened", verdict=self.verify(record).verdict)
        return self.backends(record.pane)

    def _guard(self, seen: Seen) -> Guard:
        claim, pane = seen.record.claim, seen.pane
        if claim is None or pane is None:
            raise refusal(seen)
        return Guard(claim.server, pane.pane_id, pane.pid)

    def _home(self, record: LaunchRecord) -> Path:
        return Path(record.places.get("runtime_dir", self.runtime))

    def _leftovers(self, record: LaunchRecord) -> LeftoverStore:
        return LeftoverStore(self._home(record) / "leftovers")

    @contextmanager
    def _send_lock(self, record: LaunchRecord) -> Iterator[None]:
        directory = private_dir(self._home(record) / "locks")
        with locked(directory / f"{record.launch_id}.send", deadline=SEND_LOCK_SECONDS):
            yield

    def _acting(self, action: str, record: LaunchRecord, by: Actor) -> Act:
        return Act(self.audit, self.judge, action, by, record)


def _as_claimed(record: LaunchRecord) -> LaunchRecord:
    """The record by its claim alone: a start that failed may have left its pane all the same."""
    return record if record.claim is None else replace(record, start_error=None)


def _left_to_close(seen: Seen) -> str:
    """What to do instead of closing a launch that can't be closed; empty for the usual."""
    if seen.verdict.state != "exited" or seen.pane is not None:
        return ""
    return "there is nothing left to close; `tongs-agents gc` removes its record"


def still_ours(seen: Seen) -> bool:
    """True for an exited launch whose dead pane, pid and server are the recorded ones."""
    record, pane = seen.record, seen.pane
    if seen.verdict.state != "exited" or pane is None or record.claim is None:
        return False
    passed = {check.name: check.passed for check in seen.verdict.checks}
    return passed.get("server") is True and passed.get("pane-process") is True


def trimmed(lines: tuple[str, ...]) -> tuple[str, ...]:
    """``lines`` without trailing blanks and without empty lines at the end."""
    text = [line.rstrip() for line in lines]
    while text and not text[-1]:
        text.pop()
    return tuple(text)


__all__ = [
    "SEND_LOCK_SECONDS",
    "Asked",
    "Controller",
    "Proof",
    "still_ours",
    "trimmed",
]
