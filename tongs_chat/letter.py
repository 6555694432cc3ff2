"""A peer message as its reader sees it, whole or in part. Imports nothing, as the hook needs it."""


class Letter:
    """A message that waits, or the part of one that was taken; ``text`` is empty until then."""

    __slots__ = (
        "again",
        "handed",
        "handle",
        "id",
        "kind",
        "launch_id",
        "length",
        "reply_to",
        "run_id",
        "sender_name",
        "sender_run",
        "text",
        "title",
        "ts",
    )

    def __init__(
        self,
        message_id: int,
        kind: str,
        launch_id: str,
        handle: str,
        title: str,
        length: int,
        ts: float,
        reply_to: int | None = None,
        run_id: str | None = None,
        sender_run: str | None = None,
        sender_name: str | None = None,
        handed: int = 0,
    ) -> None:
        self.id = message_id
        self.kind = kind
        """``message``; ``idle`` or ``gone`` for what the product itself says of a chat."""
        self.launch_id = launch_id
        """The sender's launch: where an answer goes."""
        self.handle = handle
        self.title = title
        self.length = length
        """Of the whole message, in characters."""
        self.ts = ts
        self.reply_to = reply_to
        self.run_id = run_id
        """The reader's run that it is for."""
        self.sender_run = sender_run
        self.sender_name = sender_name
        self.handed = handed
        """So many characters were handed over before this part."""
        self.text = ""
        self.again = False
        """True where it may have been handed over before: its last holder died."""

    @property
    def more(self) -> bool:
        """True where another part follows this one (A98)."""
        return self.handed + len(self.text) < self.length


__all__ = ["Letter"]
