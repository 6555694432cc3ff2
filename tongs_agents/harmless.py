"""Text that came from elsewhere, shown as text: nothing in it is obeyed by a terminal."""

from __future__ import annotations

import re

# controls, separators of lines, what turns the direction of text, halves of characters
_OBEYED = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def harmless(text: str, *, newlines: bool = False) -> str:
    """``text`` with what a terminal would obey escaped; tabs stay, newlines where asked."""

    def escaped(found: re.Match[str]) -> str:
        if newlines and found[0] == "\n":
            return "\n"
        return found[0].encode("unicode_escape").decode("ascii")

    return _OBEYED.sub(escaped, text)


__all__ = ["harmless"]
