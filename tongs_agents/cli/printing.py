"""The one place that writes: JSON or text, colour on a terminal only, errors apart."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from tongs_agents.cli.reply import Line, Span
from tongs_agents.harmless import harmless

if TYPE_CHECKING:
    from tongs_agents.outcomes import Failure
    from tongs_mux.model import Check

_PROGRAM = "tongs-agents"


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
    for check in _worth_saying(found):
        note(f"  {check.name}: {check.seen}")
    if found.hint:
        first, *more = found.hint.split("\n")
        note(f"  hint: {first}")
        for line in more:
            note(f"    {line}")


def _word(found: Failure) -> str:
    """We said no, it broke, or it may have landed: never one word for all."""
    if found.uncertain:
        return "uncertain"
    if found.reason == "usage":
        return ""
    return {"error": "failed", "rate-limited": "refused"}.get(found.outcome, found.outcome)


def _worth_saying(found: Failure) -> list[Check]:
    """The checks that failed, or where none did those without an answer; none said twice."""
    if found.outcome == "exited":  # that is the answer, not a refusal
        return []
    failed = [check for check in found.checks if check.passed is False]
    open_ones = [check for check in found.checks if check.passed is None]
    return [check for check in failed or open_ones if check.seen not in found.error]


def open_missing() -> None:
    """Standard descriptors that the caller closed lead nowhere, instead of to our next file.

    Else that would be a lock or a pipe, and libraries ask ``sys.stdout`` what it is.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            # the lowest that is free: this number, since those before it are open by now
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
        if getattr(sys, name) is None:
            mode = "w" if number else "r"
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def silence() -> None:
    """Whoever read our output has gone: nothing more is written, not even at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


__all__ = ["document", "failure", "lines", "note", "open_missing", "silence"]
