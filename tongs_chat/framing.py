"""What others wrote or call themselves, as data: lines that no frame has (A96). Pure.

Imports nothing: the hook reads it too.
"""

from tongs_chat import limits

PREFIX = "| "
"""Before every line that is somebody else's; no line of a frame begins so."""

_ELLIPSIS = "…"


def clipped(text: str, most: int) -> str:
    """``text`` within ``most`` bytes of UTF-8, an ellipsis included; no character is split."""
    data = text.encode("utf-8", "replace")
    if len(data) <= most:
        return data.decode("utf-8")
    room = most - len(_ELLIPSIS.encode())
    return data[:room].decode("utf-8", "ignore") + _ELLIPSIS


def one_line(text: str, most: int) -> str:
    """``text`` on one line within ``most`` bytes: white space flat, what can't be seen left out.

    Left out are controls, format characters (which can turn text round), U+2028
    and U+2029, and what is assigned to nothing.
    """
    # The first part is longer than what can be kept: a body of 100,000 characters costs little.
    flat = " ".join(text[: most * 4].split())
    return clipped("".join([char for char in flat if char.isprintable()]), most)


def preview(body: str) -> str:
    """The beginning of a message on one line (A31)."""
    return one_line(body, limits.PREVIEW_BYTES)


def name(text: str) -> str:
    """A title, a project or a handle of somebody else's (A96)."""
    return one_line(text, limits.TITLE_BYTES)


def quoted(body: str) -> str:
    """Every line of ``body`` prefixed, whatever ends a line."""
    lines = body.splitlines() or [""]
    return "\n".join([PREFIX + line for line in lines])


__all__ = ["PREFIX", "clipped", "name", "one_line", "preview", "quoted"]
