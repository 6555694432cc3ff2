"""Every failure that the control layer can report, as one tree.

::

    MuxError
    ├── BackendError              the multiplexer itself
    │   ├── BackendUnavailable    not installed, or too old to use
    │   ├── BackendTimeout        no answer within the deadline: nothing is known
    │   ├── BackendOutputError    an answer that could not be understood
    │   ├── SessionMissing        the session does not run, and was not to be started
    │   ├── SocketRefused         its socket is not, or not surely, the user's own
    │   └── UnsupportedOperation  this multiplexer has no such act
    ├── PlaceRefused              a directory or file is not private to its user
    ├── AuditFailed               the audit line could not be written
    ├── LockTimeout               somebody else is acting on the same thing
    ├── ClaimError
    │   ├── LaunchNotFound        no launch has this id
    │   ├── LaunchAmbiguous       several launches have this prefix
    │   ├── ClaimConflict         a claim differs from what was recorded
    │   └── StartFailed           the command could not be executed
    ├── BadText                   the text may not be typed into a pane
    ├── VerificationFailed        the pane is not, or not provably, the launch's
    └── DeliveryError             a send that did not end well
        ├── DeliveryRefused       nothing was typed
        └── DeliveryUncertain     something may have been typed

This module imports nothing, so that every other one can import it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tongs_mux.model import Check, Verdict

Effect = Literal["none", "partial", "unknown"]
"""What had happened to the pane when an act ended early."""


class MuxError(Exception):
    """Base of everything that this package raises on purpose.

    ``reason`` is the stable slug of the table in the docs; ``hint`` says in
    one line what a person can do next.
    """

    reason = "failed"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class BackendError(MuxError):
    """The multiplexer could not do what it was asked."""


class BackendUnavailable(BackendError):
    """The multiplexer is missing or too old."""

    reason = "unsupported"


class BackendTimeout(BackendError):
    """The multiplexer gave no answer within the deadline: unknown, never gone (D8)."""

    reason = "unknown"


class BackendOutputError(BackendError):
    """The multiplexer answered with something that is not its format."""

    reason = "unknown"


class SessionMissing(BackendError):
    """A pane was to be opened in a session that does not run: none was, and none was started."""

    reason = "no-session"


class SocketRefused(BackendError):
    """The server's socket is another user's, or is where another could put theirs."""

    reason = "unknown-place"


class UnsupportedOperation(BackendError):
    """This multiplexer, version or platform has no such operation."""

    reason = "unsupported"


class PlaceRefused(MuxError):
    """A directory or file of ours is a link, foreign, or open to others."""

    reason = "unknown-place"

    def __init__(self, message: str, *, path: str, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = path


class AuditFailed(MuxError):
    """The audit line could not be written, so the act was not begun (A97)."""

    reason = "audit"


class LockTimeout(MuxError):
    """Another process held the lock until our deadline; nothing was done."""

    reason = "busy"


class ClaimError(MuxError):
    """A launch record could not be found, read or claimed."""


class LaunchNotFound(ClaimError):
    """No record matches the given launch id or prefix."""

    reason = "no-such-launch"


class LaunchAmbiguous(ClaimError):
    """Several records match the given prefix; ``matches`` lists them."""

    reason = "ambiguous"

    def __init__(self, message: str, *, matches: tuple[str, ...], hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.matches = matches


class ClaimConflict(ClaimError):
    """A claim names another pane or process than the opener recorded (A88)."""

    reason = "replaced"


class StartFailed(ClaimError):
    """The command could not be executed, or ended at once (A91)."""

    reason = "start-failed"


class BadText(MuxError):
    """The text is empty, too long, or holds a control character."""

    reason = "bad-text"

    def __init__(self, message: str, *, reason: str = "bad-text", hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


class VerificationFailed(MuxError):
    """The launch's pane did not verify; ``verdict`` holds each check."""

    def __init__(self, message: str, *, verdict: Verdict, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.verdict = verdict
        self.reason = verdict.reason


class DeliveryError(MuxError):
    """A send that ended early; only ``effect == "none"`` may be tried again."""

    effect: Effect = "none"

    def __init__(
        self, message: str, *, reason: str, checks: tuple[Check, ...] = (), hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.reason = reason
        self.checks = checks


class DeliveryRefused(DeliveryError):
    """A guard said no before anything was typed."""


class DeliveryUncertain(DeliveryError):
    """The act had begun: ``effect`` says how far it is known to have come."""

    def __init__(
        self,
        message: str,
        *,
        reason: str,
        effect: Effect,
        checks: tuple[Check, ...] = (),
        hint: str = "",
    ) -> None:
        super().__init__(message, reason=reason, checks=checks, hint=hint)
        self.effect = effect


__all__ = [
    "AuditFailed",
    "BackendError",
    "BackendOutputError",
    "BackendTimeout",
    "BackendUnavailable",
    "BadText",
    "ClaimConflict",
    "ClaimError",
    "DeliveryError",
    "DeliveryRefused",
    "DeliveryUncertain",
    "Effect",
    "LaunchAmbiguous",
    "LaunchNotFound",
    "LockTimeout",
    "MuxError",
    "PlaceRefused",
    "SessionMissing",
    "SocketRefused",
    "StartFailed",
    "UnsupportedOperation",
    "VerificationFailed",
]
