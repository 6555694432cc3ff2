"""TEXT as an argument, or ``-`` for standard input."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tongs_mux.errors import BadText

if TYPE_CHECKING:
    from tongs_agents.services import Services

MOST = 1024 * 1024
"""Bytes of standard input that are read: far more than any text that may be sent."""


def text_or_stdin(services: Services, text: str, action: str, target: str | None = None) -> str:
    """``text``, or all of standard input for ``-``; ``action`` is the verb that will use it.

    Bytes that are no UTF-8 come as surrogates, as Python gives them in an
    argument: whoever checks the text refuses them (``bad-text``). Raises
    BadText ``too-large`` over ``MOST`` bytes, audited; AuditFailed, PlaceRefused.
    """
    if text != "-":
        return text
    data = b"" if sys.stdin is None else sys.stdin.buffer.read(MOST + 1)
    if len(data) > MOST:
        _refuse(services, action, target)
    return data.decode("utf-8", "surrogateescape")


def _refuse(services: Services, action: str, target: str | None) -> None:
    from tongs_agents.services import judge
    from tongs_mux.acts import Actor, refusals

    with refusals(services.auditing(), judge, action, Actor("cli"), target):
        raise BadText(
            f"standard input is longer than {MOST} bytes",
            reason="too-large",
            hint="put it into a file and send the path",
        )


__all__ = ["MOST", "text_or_stdin"]
