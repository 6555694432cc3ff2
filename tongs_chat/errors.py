"""Every failure that chat can report, as one tree.

::

    ChatError
    ├── StoreError                the chat file itself
    │   ├── NoStore               nothing was ever granted, or all was purged
    │   ├── StoreBusy             locked until our deadline: nothing was written
    │   ├── StoreRefused          not ours, a link, open to others, on the wrong file system
    │   ├── StoreDamaged          not a chat file, or not whole
    │   ├── SchemaTooNew          a newer version of the product wrote it
    │   └── SchemaTooOld          an older one did, and this role may not change it
    ├── NotPermitted              this role may not do that to that table or row
    ├── NotFound                  no such channel, message or chat
    ├── GrantError                no valid grant, or none that can be made
    ├── LimitReached              one of the limits says no
    ├── InvalidMessage            the text, or where it is to go
    └── InvalidName               no handle or channel can be called so

This module imports nothing: the hook reads it too.
"""


class ChatError(Exception):
    """Base of everything that this package raises on purpose.

    ``reason`` is the stable slug of the table in the docs; ``hint`` says in
    one line what can be done next.
    """

    reason = "failed"

    def __init__(self, message: str, *, reason: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if reason:
            self.reason = reason


class StoreError(ChatError):
    """The chat file could not be used as it is; it was left as it was."""


class NoStore(StoreError):
    """There is no chat file: it comes into being with the first grant (A27, A80)."""

    reason = "no-chat"


class StoreBusy(StoreError):
    """Another process held the file until our deadline; nothing was written (A34)."""

    reason = "busy"


class StoreRefused(StoreError):
    """The file or its directory is not private to its user, or lies where it can't be safe."""

    reason = "unknown-place"


class StoreDamaged(StoreError):
    """It is no chat file, or a damaged one; nobody writes a new one in its place (G3)."""


class SchemaTooNew(StoreError):
    """A newer version of the product has changed the file."""


class SchemaTooOld(StoreError):
    """The file has to be brought up to date first, which only the maintainer's role may do."""


class NotPermitted(ChatError):
    """The role of this connection may not do this: a fault of ours, stopped by the authorizer."""

    def __init__(
        self, message: str, *, role: str, action: str = "", table: str = "", hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.role = role
        self.action = action
        self.table = table


class NotFound(ChatError):
    """What was named does not exist."""


class GrantError(ChatError):
    """There is no grant that is valid now, or it can't be made as asked."""

    reason = "not-granted"


class LimitReached(ChatError):
    """A limit was reached; ``reason`` says which, the message how far it goes."""

    reason = "rate"


class InvalidMessage(ChatError):
    """The text can't be stored, or not there; nothing was written."""

    reason = "bad-text"


class InvalidName(ChatError):
    """Handles and channels have 1 to 32 characters out of a-z, 0-9 and ``-`` (1.13)."""

    reason = "usage"


__all__ = [
    "ChatError",
    "GrantError",
    "InvalidMessage",
    "InvalidName",
    "LimitReached",
    "NoStore",
    "NotFound",
    "NotPermitted",
    "SchemaTooNew",
    "SchemaTooOld",
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreRefused",
]
