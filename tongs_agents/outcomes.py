"""The one map from an error to its exit code, its reason and its JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tongs_agents import errors as agents
from tongs_agents.reasons import REASONS
from tongs_chat import errors as chat
from tongs_mux import errors as mux
from tongs_mux.model import Check


@dataclass(frozen=True, slots=True)
class Failure:
    """How an act failed, the same in every verb and every MCP reply."""

    outcome: str
    exit_code: int
    reason: str
    error: str
    """One sentence."""
    hint: str = ""
    checks: tuple[Check, ...] = ()
    uncertain: bool = False
    effect: mux.Effect | None = None
    """Only where the act had begun."""
    timed_out: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)
    """More facts of this error: ``state`` and ``status``, ``matches``, ``faults``."""

    def to_json(self) -> dict[str, Any]:
        """The failure as interface.md's JSON object; what does not apply is left out."""
        reply: dict[str, Any] = {
            "ok": False,
            "outcome": self.outcome,
            "exit_code": self.exit_code,
            "reason": self.reason,
            "error": self.error,
        }
        optional = {
            "hint": self.hint,
            "checks": [
                {"name": check.name, "passed": check.passed, "seen": check.seen}
                for check in self.checks
            ],
            "uncertain": self.uncertain,
            "effect": self.effect,
            "timed_out": self.timed_out,
        }
        reply.update({name: value for name, value in optional.items() if value})
        # What every failure has can't be overwritten by what this one adds.
        return {**reply, **{name: self.extra[name] for name in self.extra if name not in reply}}


def failure(reason: str, error: str, *, hint: str = "", checks: tuple[Check, ...] = ()) -> Failure:
    """The failure that ``reason`` stands for; without a hint, the table's remedy.

    A slug that is not in the table is our own fault, and reported as ``failed``.
    """
    if reason not in REASONS:
        reason, error = "failed", f"{error} (unknown reason {reason!r})"
    row = REASONS[reason]
    return Failure(
        outcome=row.outcome,
        exit_code=row.exit_code,
        reason=reason,
        error=error,
        hint=hint or row.remedy,
        checks=checks,
        timed_out=reason == "timeout",
    )


def _plain(error: mux.MuxError | chat.ChatError | agents.AgentsError) -> Failure:
    return failure(error.reason, error.message, hint=error.hint)


def _refusal(found: Failure) -> Failure:
    """An act refused because the launch has ended is 5, where a look at it is 3."""
    return replace(found, outcome="refused", exit_code=5) if found.exit_code == 3 else found


def _said_no(error: mux.DeliveryError | agents.Refused) -> Failure:
    return _refusal(failure(error.reason, error.message, hint=error.hint, checks=error.checks))


def _not_verified(error: mux.VerificationFailed) -> Failure:
    found = failure(error.reason, error.message, hint=error.hint, checks=error.verdict.checks)
    return replace(found, outcome="refused", exit_code=5)


def _uncertain(error: mux.DeliveryUncertain) -> Failure:
    found = failure(error.reason, error.message, hint=error.hint, checks=error.checks)
    return replace(found, outcome="error", exit_code=1, uncertain=True, effect=error.effect)


def _ambiguous(error: mux.LaunchAmbiguous) -> Failure:
    return replace(_plain(error), extra={"matches": list(error.matches)})


def _misconfigured(error: agents.ConfigError) -> Failure:
    faults = [
        {"key": fault.key, "line": fault.line, "text": fault.sentence(error.path)}
        for fault in error.faults
    ]
    return replace(_plain(error), extra={"faults": faults})


def _waited(error: agents.WaitError) -> Failure:
    return replace(_plain(error), extra={"state": error.state, "status": error.status})


def _stopped(error: BaseException, words: str, code: int) -> Failure:
    """An act that had begun says how far it came: to call again could do it twice."""
    effect = getattr(error, "effect", None)
    if effect in (None, "none"):
        found = replace(failure("cancelled", words), exit_code=code)
        return found if effect is None else replace(found, uncertain=True, effect=effect)
    found = failure("cancelled", words, hint="look at the pane before you call again")
    return replace(found, exit_code=code, uncertain=True, effect=effect)


def _interrupted(error: BaseException) -> Failure:
    return _stopped(error, "interrupted", 130)


def _terminated(error: agents.Terminated) -> Failure:
    return _stopped(error, f"ended by {error.name}", 128 + error.number)


def _system(error: OSError) -> Failure:
    what = error.strerror or str(error) or type(error).__name__
    return failure("failed", f"{error.filename}: {what}" if error.filename else what)


def _bug(error: BaseException) -> Failure:
    return failure("failed", f"unexpected {type(error).__name__}: {error}")


RULES: Mapping[type[BaseException], Callable[[Any], Failure]] = {
    mux.MuxError: _plain,
    mux.BackendError: _plain,
    mux.BackendUnavailable: _plain,
    mux.BackendTimeout: _plain,
    mux.BackendOutputError: _plain,
    mux.SessionMissing: _plain,
    mux.SocketRefused: _plain,
    mux.UnsupportedOperation: _plain,
    mux.PlaceRefused: _plain,
    mux.AuditFailed: _plain,
    mux.LockTimeout: _plain,
    mux.ClaimError: _plain,
    mux.LaunchNotFound: _plain,
    mux.LaunchAmbiguous: _ambiguous,
    mux.ClaimConflict: _plain,
    mux.StartFailed: _plain,
    mux.BadText: _plain,
    mux.VerificationFailed: _not_verified,
    mux.DeliveryError: _said_no,
    mux.DeliveryRefused: _said_no,
    mux.DeliveryUncertain: _uncertain,
    chat.ChatError: _plain,
    chat.StoreError: _plain,
    chat.NoStore: _plain,
    chat.StoreBusy: _plain,
    chat.StoreRefused: _plain,
    chat.StoreDamaged: _plain,
    chat.SchemaTooNew: _plain,
    chat.SchemaTooOld: _plain,
    chat.NotPermitted: _plain,
    chat.NotFound: _plain,
    chat.GrantError: _plain,
    chat.LimitReached: _plain,
    chat.InvalidMessage: _plain,
    chat.InvalidName: _plain,
    agents.AgentsError: _plain,
    agents.ConfigError: _misconfigured,
    agents.UsageError: _plain,
    agents.Refused: _said_no,
    agents.Failed: lambda error: error.failure,
    agents.Unsupported: _plain,
    agents.FileChanged: _plain,
    agents.WaitError: _waited,
    agents.LaunchEnded: _waited,
    agents.WaitTimedOut: _waited,
    agents.WaitCancelled: _waited,
    KeyboardInterrupt: _interrupted,
    agents.Terminated: _terminated,
    OSError: _system,
    BaseException: _bug,
}
"""Every error that we raise has a row; of several that fit, the most specific wins."""


def failure_of(error: BaseException) -> Failure:
    """The failure that ``error`` is reported as. Never raises."""
    rule = next(RULES[kind] for kind in type(error).__mro__ if kind in RULES)
    return rule(error)


__all__ = ["RULES", "Failure", "failure", "failure_of"]
