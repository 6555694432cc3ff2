"""The harnesses by name: how each is read, and how it takes a first prompt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tongs_agents.harness.claude import ClaudeReader
from tongs_agents.harness.codex import CodexReader
from tongs_agents.harness.pi import PiReader
from tongs_agents.harness.pi_attach import with_prompt as with_pi_prompt
from tongs_agents.harness.scripted import ScriptedReader
from tongs_mux.reader import Reader, Unreadable


@dataclass(frozen=True, slots=True)
class Harness:
    """One kind of agent program.

    ``reader`` is given the profile's ``multiline``; ``with_prompt`` adds a first
    prompt to a command line, None where the program takes none, or not this one, there (A91).
    """

    name: str
    reader: Callable[[bool], Reader]
    with_prompt: Callable[[tuple[str, ...], str], tuple[str, ...] | None] | None


def after_dashes(argv: tuple[str, ...], prompt: str) -> tuple[str, ...]:
    """``argv`` with the prompt behind ``--``, where no option can swallow it (A73)."""
    return (*argv, "--", prompt)


HARNESSES = {
    harness.name: harness
    for harness in (
        Harness("claude", lambda _: ClaudeReader(), after_dashes),
        Harness("codex", lambda _: CodexReader(), after_dashes),
        Harness("pi", lambda _: PiReader(), with_pi_prompt),
        Harness("scripted", lambda _: ScriptedReader(), after_dashes),
        Harness("other", lambda multiline: Unreadable(multiline=multiline), None),
    )
}
"""Every harness by the name that a profile gives it."""


def harness_named(name: str) -> Harness:
    """The harness of this name; a record of a newer version's harness reads as ``other``."""
    return HARNESSES.get(name, HARNESSES["other"])


__all__ = ["HARNESSES", "Harness", "after_dashes", "harness_named"]
