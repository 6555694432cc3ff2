"""An audited act: a begin line before it, one outcome line after it (A97)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Self

from tongs_mux.audit import AuditEntry, AuditLog
from tongs_mux.errors import (
    AuditFailed,
    BackendUnavailable,
    DeliveryError,
    DeliveryUncertain,
    Effect,
    LockTimeout,
    MuxError,
    SessionMissing,
    StartFailed,
    UnsupportedOperation,
    VerificationFailed,
)
from tongs_mux.model import Fact, LaunchRecord, PaneRef
from tongs_mux.text import sha256

Judge = Callable[[BaseException], tuple[str, int]]
"""(outcome word, exit code) of an error: the table of a layer above."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts: ``cli``, ``cli:<launch>``, ``mcp:<launch>``, ``chat:<launch>``."""

    name: str
    caller: str | None = None
    """The launch that acts, where one does."""


def simple_judge(error: BaseException) -> tuple[str, int]:
    """For use without a layer above: refused 5, anything else 1."""
    if isinstance(error, DeliveryUncertain) or not isinstance(error, MuxError):
        return ("error", 1)
    return ("refused", 5)


class Act:
    """Context of one act on one launch. Nothing may be done before ``begin``.

    A refusal, which never begins, writes only its outcome line; where even
    that can't be written, AuditFailed takes the refusal's place. An error after
    ``begin`` leaves the act uncertain, with the effect that was ``reached``; an
    interruption stays what it is, and carries that effect as an attribute.
    """

    def __init__(
        self, log: AuditLog, judge: Judge, action: str, by: Actor, record: LaunchRecord
    ) -> None:
        self._log = log
        self._judge = judge
        self._entry = AuditEntry(
            actor=by.name,
            action=action,
            caller=by.caller,
            target=record.launch_id,
            pane=record.pane,
        )
        self._begun = ""
        self._effect: Effect = "unknown"

    @property
    def id(self) -> str:
        """The act's id, empty before it began."""
        return self._begun

    def about(self, body: bytes, digest: str) -> None:
        """Byte count and SHA-256 of the text; the text itself is never logged (6.31)."""
        self._entry = replace(self._entry, bytes=len(body), sha256=digest)

    def aimed(self, pane: PaneRef) -> None:
        """The pane, where it was not known at first."""
        self._entry = replace(self._entry, pane=pane)

    def labelled(self, labels: Mapping[str, str]) -> None:
        """Words of a layer above, for both lines: another launch that it is about, say."""
        self._entry = replace(self._entry, labels={**self._entry.labels, **labels})

    def note(self, facts: tuple[Fact, ...], receipt: str | None = None) -> None:
        """Evidence, and the receipt, for the outcome line."""
        self._entry = replace(self._entry, evidence=_words(facts), receipt=receipt)

    def begin(self) -> None:
        """Write the begin line, once. Raises AuditFailed: then nothing may be done."""
        if not self._begun:
            self._begun = self._log.begin(self._entry)

    def reached(self, effect: Effect) -> None:
        """How far it is known to have come: said before and after each step that changes it."""
        self._effect = effect

    def __enter__(self) -> Self:
        """Nothing is written yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Write the outcome line."""
        if isinstance(error, AuditFailed) and not self._begun:
            return
        lost = _lost(error, self._effect) if self._begun else None
        if self._begun and error is not None and not isinstance(error, Exception):
            error.effect = self._effect  # type: ignore[attr-defined]
        try:
            self._log.outcome(self._begun or None, self._ended(lost or error))
        except AuditFailed as failed:
            if self._begun and error is None:
                raise DeliveryUncertain(
                    "it was done, but its outcome could not be audited: " + failed.message,
                    reason="audit", effect="unknown", hint=failed.hint,
                ) from failed  # fmt: skip
            if not self._begun:
                raise failed from error
        if lost is not None:
            raise lost from error

    def _ended(self, error: BaseException | None) -> AuditEntry:
        if error is None:
            return replace(self._entry, outcome="ok", exit_code=0)
        outcome, code = self._judge(error)
        usual = "cancelled" if isinstance(error, KeyboardInterrupt) else "failed"
        reason = getattr(error, "reason", usual)
        effect = getattr(error, "effect", None) if self._begun else None
        return replace(self._entry, outcome=outcome, exit_code=code, reason=reason, effect=effect)


_DEFINITE = (
    DeliveryError,
    VerificationFailed,
    StartFailed,
    BackendUnavailable,
    SessionMissing,
    UnsupportedOperation,
)
"""Errors that say by themselves what was done, also where the act had begun."""

_DONE: dict[Effect, str] = {
    "none": "nothing had been done yet",
    "partial": "a part of it had been done",
    "unknown": "it is not known whether it was done",
}


def _lost(error: BaseException | None, effect: Effect) -> DeliveryUncertain | None:
    """What an error means for an act that had begun, None where it says so itself."""
    if not isinstance(error, Exception) or isinstance(error, _DEFINITE):
        return None
    if isinstance(error, LockTimeout) and effect == "none":
        return None  # ``busy``: nothing was written, try again
    kind = "" if isinstance(error, (MuxError, OSError)) else f"unexpected {type(error).__name__}: "
    return DeliveryUncertain(
        f"{kind}{error}; {_DONE[effect]}",
        reason=getattr(error, "reason", "failed"), effect=effect,
        hint=_hint(error) if effect == "none" else "look at the pane before you try again",
    )  # fmt: skip


def _hint(error: Exception) -> str:
    return error.hint if isinstance(error, MuxError) else ""


@contextmanager
def refusals(
    log: AuditLog,
    judge: Judge,
    action: str,
    by: Actor,
    target: str | None = None,
    body: bytes | None = None,
) -> Iterator[None]:
    """Audits what is refused before there is an act: an unknown profile, say.

    ``body`` is the text of a send, of which the line says length and hash.
    """
    try:
        yield
    except Exception as error:
        outcome, code = judge(error)
        reason = getattr(error, "reason", "failed")
        entry = AuditEntry(by.name, action, caller=by.caller, target=target)
        if body is not None:
            entry = replace(entry, bytes=len(body), sha256=sha256(body))
        log.outcome(None, replace(entry, outcome=outcome, exit_code=code, reason=reason))
        raise


def _words(facts: tuple[Fact, ...]) -> tuple[str, ...]:
    """Names of the facts; what was seen only where it is one word (``window:open``)."""
    return tuple(
        f"{fact.check}:{fact.seen}" if fact.seen.isalpha() else fact.check for fact in facts
    )


__all__ = ["Act", "Actor", "Judge", "refusals", "simple_judge"]
