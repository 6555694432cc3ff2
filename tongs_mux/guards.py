"""The guards before any key: pure decisions over what was seen (mechanism 5).

In order: verified; in no mode, not synchronized; the foreground program is the
launch's and no shell; no dialog; the composer seen, and empty.
"""

from __future__ import annotations

import os
import shlex
import unicodedata
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

_MARGIN = 4
_AROUND = 3
_ROWS_SHOWN = 3

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
    """Mode, synchronization (B10, B12), and whether it is handed keys at all."""
    return (
        Check("copy-mode", not pane.mode, pane.mode or "in no mode"),
        Check(
            "synchronized",
            not pane.synchronized,
            "keys go to every pane of the window" if pane.synchronized else "keys go to one pane",
        ),
        Check(
            "input",
            not pane.input_off,
            "the pane's input is turned off" if pane.input_off else "the pane takes keys",
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


def room_check(pane: PaneFacts, text: str) -> Check:
    """Whether the text can be seen to arrive: programs show three rows of it at least.

    Around it they draw two rules and a footer; one row fits where an empty composer does.
    """
    width = max(pane.width - _MARGIN, 1)
    rows = sum(max(-(-_columns(line) // width), 1) for line in text.split("\n"))
    needed = min(rows, _ROWS_SHOWN)
    fits = needed == 1 or pane.height >= needed + _AROUND
    return Check("room", fits, f"{rows} rows of text in a pane of {pane.width}x{pane.height}")


def _columns(line: str) -> int:
    return len(line) + sum(unicodedata.east_asian_width(char) in {"W", "F"} for char in line)


def first_refusal(checks: Sequence[Check], *, young: bool) -> str:
    """Slug of the first check that did not pass; empty where all did."""
    for check in checks:
        if check.passed is not True:
            return _slug(check, young=young)
    return ""


def _slug(check: Check, *, young: bool) -> str:
    if check.name == "composer":
        return "busy-start" if young else "unknown"
    if check.name in ("foreground", "input", "echo", "room"):
        return "unknown"
    return check.name


def describe(
    reason: str,
    *,
    ours: bool = False,
    pane: PaneRef | None = None,
    checks: Sequence[Check] = (),
) -> tuple[str, str]:
    """(sentence, what to do next) of a guard's refusal; a command names ``pane``'s own server.

    Where the reason is one for several checks, the first that failed says which.
    """
    if reason == "draft" and ours:
        return (
            "an earlier text of ours is still in the composer",
            "send the same text again to submit it, or `tongs-agents focus` it and clear it there",
        )
    refused = next((check.name for check in checks if check.passed is not True), "")
    by_check = _SENTENCES.get(refused) if reason == "unknown" else None
    sentence, hint = by_check or _SENTENCES.get(reason, (f"refused: {reason}", ""))
    by_hand = _BY_HAND.get(reason if reason != "unknown" else refused)
    if by_hand is not None and pane is not None and pane.multiplexer == "tmux":
        change, verb, rest = by_hand
        where = (
            f"tmux -S {shlex.quote(pane.socket or '')} {verb} -t {shlex.quote(pane.pane_id)}{rest}"
        )
        hint = f"{change} there with `{where}`"
    return sentence, hint


_BY_HAND = {
    "synchronized": ("turn it off", "set-option -w", " synchronize-panes off"),
    "input": ("turn it on", "select-pane -e", ""),
}
"""What a person changes in the pane's own server: the sentence, the tmux command, its rest."""


_SENTENCES = {
    "copy-mode": ("a person is reading in the pane (copy mode)", "try again when they have left"),
    "synchronized": (
        "the window's panes are synchronized: keys would reach all of them",
        "`tongs-agents focus` it and turn synchronizing off in that window",
    ),
    "input": (
        "the pane's input is turned off: tmux would drop what is typed",
        "`tongs-agents focus` it and turn its input on there with `tmux select-pane -e`",
    ),
    "echo": (
        "the composer does not show our text, or not it alone",
        "`tongs-agents focus` it and see what became of the text",
    ),
    "room": (
        "the pane is too small to see there whether the text arrives",
        "make the pane larger, at least 6 rows",
    ),
    "foreground": (
        "another program than the agent reads the pane's keys",
        "`tongs-agents focus` it and see what runs in front",
    ),
    "shell": ("a shell reads the pane's keys, not the agent", "respawn the launch"),
    "dialog": ("a dialog is open in the pane", "`tongs-agents focus` it and answer the dialog"),
    "draft": (
        "the composer holds a draft",
        "`tongs-agents focus` it, then send the draft there (Enter) or clear it (Ctrl-U)",
    ),
    "not-confirmed": (
        "nobody said yes to the screen as it is now",
        "call again, and look at the screen that is shown then",
    ),
    "busy-start": ("the agent is still starting", "try again in a few seconds"),
    "unknown": (
        "the composer was not seen on the screen, so it is not known to be empty",
        "look for yourself: `tongs-agents send --unseen` asks before it types",
    ),
}


def is_still(argv: Sequence[str], seen: Sequence[str]) -> bool:
    """True where a process that executed ``argv`` has not executed something else since.

    Between and around its words others may stand: a script's interpreter, our
    own options, a prompt. A shell in a declared wrapper's place that has become
    another one reads commands itself, whatever still runs below it (D6).
    """
    name, words = os.path.basename(argv[0]), tuple(filter(None, argv[1:]))
    if not words:
        return name in map(os.path.basename, seen)
    starts = range(len(seen) - len(words) + 1)
    return any(tuple(seen[at : at + len(words)]) == words for at in starts)


def wrapped(
    claimed: ProcessFacts,
    processes: Sequence[ProcessFacts],
    parents: Callable[[int], Sequence[int]],
) -> bool:
    """True where a process below ``claimed``, no shell, is in its terminal's foreground (D3).

    False where a shell below it is there too and waits for none of them: it reads the keys.
    """
    below = [
        facts
        for facts in processes
        if facts.group == claimed.foreground_group
        and facts.pid != claimed.pid
        and claimed.pid in parents(facts.pid)
    ]
    waiting = {parent for facts in below for parent in parents(facts.pid)}
    if any(is_shell(facts.name) and facts.pid not in waiting for facts in below):
        return False
    return any(not is_shell(facts.name) for facts in below)


__all__ = [
    "SHELLS",
    "START_GRACE",
    "Foreground",
    "describe",
    "first_refusal",
    "foreground_check",
    "is_shell",
    "is_still",
    "pane_checks",
    "reading_checks",
    "room_check",
    "wrapped",
]
