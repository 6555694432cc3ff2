"""Hooks as Claude Code runs them: which commands an event has, and what their output means."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

DEFAULT_TIMEOUT = 60.0
"""Seconds that a hook may take where its entry says nothing."""

_PLAIN_IS_CONTEXT = {"SessionStart", "UserPromptSubmit"}


@dataclass(frozen=True, slots=True)
class HookCommand:
    """One command of the settings, and what it is for."""

    event: str
    matcher: str
    command: str
    timeout: float


@dataclass(frozen=True, slots=True)
class HookCall:
    """An event that happened: ``subject`` is what matchers look at."""

    event: str
    subject: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Finished:
    """How one command ended; ``code`` is None where its time was over and it was killed."""

    command: str
    code: int | None
    output: str
    errors: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the hooks of one event amount to.

    ``block`` is a reason not to go on; of Stop hooks, one not to stop.
    """

    context: tuple[str, ...] = ()
    block: str | None = None
    failures: tuple[str, ...] = ()


def load(settings: str) -> tuple[HookCommand, ...]:
    """The hook commands of ``settings``. Raises as ``read``."""
    return read(settings)[0]


def read(settings: str) -> tuple[tuple[HookCommand, ...], frozenset[str]]:
    """What ``settings`` say, JSON or the path of a file of it: hooks, and tools that run unasked.

    Raises:
        ValueError: it is no JSON of the known form.
        OSError: the file can't be read.
    """
    if not settings.lstrip().startswith("{"):
        with open(settings, encoding="utf-8") as file:
            settings = file.read()
    try:
        document = json.loads(settings)
        allowed = document.get("permissions", {}).get("allow", [])
        return tuple(_commands(document)), frozenset(map(str, allowed))
    except (AttributeError, KeyError, TypeError) as trouble:
        raise ValueError(f"settings of another form: {trouble!r}") from trouble


def _commands(document: Any) -> Iterator[HookCommand]:
    for event, groups in document.get("hooks", {}).items():
        for group in groups:
            for hook in group["hooks"]:
                timeout = float(hook.get("timeout", DEFAULT_TIMEOUT))
                yield HookCommand(event, group.get("matcher", ""), hook["command"], timeout)


def chosen(commands: tuple[HookCommand, ...], call: HookCall) -> tuple[HookCommand, ...]:
    """The commands that ``call`` runs, in the order of the settings."""
    return tuple(
        command
        for command in commands
        if command.event == call.event and _matches(command.matcher, call.subject)
    )


def _matches(matcher: str, subject: str) -> bool:
    if matcher in {"", "*"} or not subject:
        return True
    try:
        return re.fullmatch(matcher, subject) is not None
    except re.error:
        return False


def judge(event: str, ended: tuple[Finished, ...]) -> Outcome:
    """What ``ended`` means for the event: blocks first come first served, contexts in order."""
    outcomes = [_judged(event, one) for one in ended]
    return Outcome(
        context=tuple(text for one in outcomes for text in one.context),
        block=next((one.block for one in outcomes if one.block is not None), None),
        failures=tuple(text for one in outcomes for text in one.failures),
    )


def _judged(event: str, ended: Finished) -> Outcome:
    if ended.code is None:
        return Outcome(failures=("its time was over",))
    if ended.code == 2:
        return Outcome(block=ended.errors.strip() or "blocked by a hook")
    if ended.code != 0:
        return Outcome(failures=(f"exit {ended.code} {ended.errors.strip()}".strip(),))
    try:
        document = json.loads(ended.output)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        plain = ended.output.strip()
        return Outcome(context=(plain,) if plain and event in _PLAIN_IS_CONTEXT else ())
    return _told(event, document)


def _told(event: str, document: Mapping[str, Any]) -> Outcome:
    specific = document.get("hookSpecificOutput")
    context = specific.get("additionalContext") if isinstance(specific, dict) else None
    block = None
    if document.get("decision") == "block":
        block = str(document.get("reason", ""))
    if not isinstance(context, str) or not context:
        return Outcome(block=block)
    if event == "Stop":
        return Outcome(block=context if block is None else block)
    return Outcome(context=(context,), block=block)


__all__ = [
    "DEFAULT_TIMEOUT",
    "Finished",
    "HookCall",
    "HookCommand",
    "Outcome",
    "chosen",
    "judge",
    "load",
    "read",
]
