"""How checks are shown: a line each, and exit code 1 where one is a fault."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tongs_agents.cli.reply import Line, Reply, Span

if TYPE_CHECKING:
    from tongs_agents.doctor.check import Check

_COLOURS = {"ok": "green", "warning": "yellow", "fault": "red"}


def checked(found: Iterable[Check], what: str) -> Reply:
    """The reply; ``what`` says where faults were found."""
    checks = list(found)
    lines = tuple(map(_line, checks))
    documents = [check.to_json() for check in checks]
    faults = sum(check.level == "fault" for check in checks)
    if not faults:
        return Reply({"ok": True, "checks": documents}, lines)
    from tongs_agents.outcomes import failure

    found_wrong = failure("usage", f"{faults} fault{'' if faults == 1 else 's'} in {what}")
    document = {**found_wrong.to_json(), "checks": documents}
    return Reply(document, lines, exit_code=found_wrong.exit_code)


def _line(check: Check) -> Line:
    remedy = f" ({check.remedy})" if check.remedy else ""
    return (
        Span(f"{check.level:<8}", _COLOURS[check.level]),
        f" {check.name}: {check.text}{remedy}",
    )


__all__ = ["checked"]
