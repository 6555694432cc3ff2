"""The one place that writes: JSON or text, colour on a terminal only, errors apart."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from tongs_agents.cli.reply import Line, Span

if TYPE_CHECKING:
    from tongs_agents.outcomes import Failure

_PROGRAM = "tongs-agents"


def harmless(text: str) -> str:
    """``text`` without what a terminal would obey: each control character but tab, escaped."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char == "\t" or _is_joiner(char) else _escaped(char)
        for char in text
    )


def _is_joiner(char: str) -> bool:
    """True for blanks and joiners of ordinary text; not for what turns its direction."""
    code = ord(char)
    return char.isspace() and code > 0xA0 or code in (0xA0, 0x200C, 0x200D) or code >= 0xE000


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def document(values: Mapping[str, Any]) -> None:
    """One JSON document on standard output, in ASCII, so that any locale can carry it."""
    click.echo(json.dumps(values, indent=2))


def lines(text: Iterable[Line]) -> None:
    """Lines for people on standard output."""
    colour = _colour(os.environ)
    for line in text:
        parts = (line,) if isinstance(line, str) else line
        click.echo("".join(_painted(part, colour) for part in parts).rstrip(), color=colour)


def _painted(part: str | Span, colour: bool) -> str:
    if isinstance(part, str):
        return harmless(part)
    text = harmless(part.text)
    return click.style(text, fg=part.colour) if colour and part.colour else text


def _colour(environ: Mapping[str, str]) -> bool:
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb":
        return False
    return sys.stdout is not None and sys.stdout.isatty()


def note(text: str) -> None:
    """A line on standard error."""
    click.echo(harmless(text), err=True)


def failure(found: Failure, *, as_json: bool) -> None:
    """A failure: a document on standard output, or on standard error what to do next."""
    if as_json:
        document(found.to_json())
        return
    if found.exit_code == 130:  # whoever pressed Ctrl-C knows
        return
    word = _word(found)
    note(f"{_PROGRAM}: {word}: {found.error}" if word else f"{_PROGRAM}: {found.error}")
    for check in found.checks:
        if check.passed is not True and check.seen not in found.error:
            note(f"  {check.name}: {check.seen}")
    if found.hint:
        note(f"  hint: {found.hint}")


def _word(found: Failure) -> str:
    """We said no, it broke, or it may have landed: never one word for all."""
    if found.uncertain:
        return "uncertain"
    if found.reason == "usage":
        return ""
    return {"error": "failed", "rate-limited": "refused"}.get(found.outcome, found.outcome)


def silence() -> None:
    """Whoever read our output has gone: nothing more is written, not even at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


__all__ = ["document", "failure", "harmless", "lines", "note", "silence"]
