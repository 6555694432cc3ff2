"""The guards before any key: pure decisions over what was seen (mechanism 5).

In order: verified; in no mode, not synchronized; the foreground program is the
launch's and no shell; no dialog; the composer seen, and empty.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tongs_mux.model import Check, PaneFacts, PaneRef, ProcessFacts
from tongs_mux.reader import Reading

_NAMES = (
    *("ash", "bash", "busybox", "csh", "dash", "elvish", "fish", "ksh", "ksh93", "mksh"),
    *("nu", "pwsh", "rbash", "rc", "sh", "tcsh", "xonsh", "yash", "zsh"),
)
SHELLS = frozenset(_NAMES)
"""Programs that would run what is typed (D6)."""

START_GRACE = 15.0
"""Seconds after the claim in which an unseen composer reads as still starting."""


@dataclass(frozen=True, slots=True)
class Foreground:
    """Who reads the terminal's keys. ``leader`` is None where the system does not say."""

    claimed: ProcessFacts | None
    leader: ProcessFacts | None
    wrapped: bool
    """True where a declared wrapper has a living descendant, no shell, in the foreground."""


def pane_checks(pane: PaneFacts) -> tuple[Check, ...]:
    """Mode and synchronization (B10, B12)."""
    return (
        Check("copy-mode", not pane.mode, pane.mode or "in no mode"),
        Check(
            "synchronized",
            not pane.synchronized,
            "keys go to every pane of the window" if pane.synchronized else "keys go to one pane",
        ),
    )


def foreground_check(pane: PaneFacts, seen: Foreground, *, wrapper: bool) -> Check:
    """The foreground program is the claimed one, or below a declared wrapper, and no shell.

    Where the system does not name the foreground group, the multiplexer's own
    word for the pane's command is asked; it can only ever refuse.
    """
    leader = seen.leader
    if leader is None or seen.claimed is None:
        shell = is_shell(pane.command)
        return Check("shell", None if shell else True, f"the pane's command is {pane.command}")
    if wrapper and seen.wrapped:
        return Check("shell", True, f"{leader.name} (pid {leader.pid}) under its wrapper")
    if is_shell(leader.name):
        return Check("shell", False, f"{leader.name} (pid {leader.pid}) reads the keys")
    if leader.group != seen.claimed.group:
        return Check("foreground", False, f"{leader.name} (pid {leader.pid}) reads the keys")
    return Check("shell", True, f"{leader.name} (pid {leader.pid}) reads the keys")


def is_shell(name: str) -> bool:
    """True where a program of this name would execute a line typed into it."""
    return name.lstrip("-") in SHELLS


def reading_checks(reading: Reading) -> tuple[Check, ...]:
    """Dialog and composer. A composer that is not seen is not known to be empty (A92)."""
    dialog = Check("dialog", reading.dialog is None, reading.dialog or "no dialog is seen")
    seen = Check(
        "composer",
        None if reading.composer == "unseen" else True,
        "the composer is not seen" if reading.composer == "unseen" else "the composer is seen",
    )
    draft = Check(
        "draft",
        reading.composer == "empty",
        "the composer is empty" if reading.composer == "empty" else "the composer holds text",
    )
    return (dialog, seen, draft) if reading.composer != "unseen" else (dialog, seen)


def first_refusal(checks: Sequence[Check], *, young: bool) -> str:
    """Slug of the first check that did not pass; empty where all did."""
    for check in checks:
        if check.passed is not True:
            return _slug(check, young=young)
    return ""


def _slug(check: Check, *, young: bool) -> str:
    if check.name == "composer":
        return "busy-start" if young else "unknown"
    if check.name == "foreground":
        return "unknown"
    return check.name


def describe(reason: str, *, ours: bool = False, pane: PaneRef | None = None) -> tuple[str, str]:
    """(sentence, what to do next) of a guard's refusal; a command names ``pane``'s own server."""
    if reason == "draft" and ours:
        return (
            "an earlier text of ours is still in the composer",
            "send the same text again to submit it, or `tongs-agents focus` it and clear it there",
        )
    sentence, hint = _SENTENCES.get(reason, (f"refused: {reason}", ""))
    if reason == "synchronized" and pane is not None and pane.socket is not None:
        where = f"tmux -S {shlex.quote(pane.socket)} set-option -w -t {shlex.quote(pane.pane_id)}"
        hint = f"turn it off there with `{where} synchronize-panes off`"
    return sentence, hint


_SENTENCES = {
    "copy-mode": ("a person is reading in the pane (copy mode)", "try again when they have left"),
    "synchronized": (
        "the window's panes are synchronized: keys would reach all of them",
        "`tongs-agents focus` it and turn synchronizing off in that window",
    ),
    "shell": ("a shell reads the pane's keys, not the agent", "respawn the launch"),
    "dialog": ("a dialog is open in the pane", "`tongs-agents focus` it and answer the dialog"),
    "draft": (
        "the composer holds a draft",
        "`tongs-agents focus` it, then send the draft there (Enter) or clear it (Ctrl-U)",
    ),
    "busy-start": ("the agent is still starting", "try again in a few seconds"),
    "unknown": (
        "the composer was not seen on the screen, so it is not known to be empty",
        "look for yourself: `tongs-agents send --unseen` asks before it types",
    ),
}


def wrapped(
    claimed: ProcessFacts,
    processes: Sequence[ProcessFacts],
    parents: Callable[[int], Sequence[int]],
) -> bool:
    """True where a process below ``claimed``, no shell, is in its terminal's foreground (D3)."""
    return any(
        facts.group == claimed.foreground_group
        and not is_shell(facts.name)
        and facts.pid != claimed.pid
        and claimed.pid in parents(facts.pid)
        for facts in processes
    )


__all__ = [
    "SHELLS",
    "START_GRACE",
    "Foreground",
    "describe",
    "first_refusal",
    "foreground_check",
    "is_shell",
    "pane_checks",
    "reading_checks",
    "wrapped",
]
