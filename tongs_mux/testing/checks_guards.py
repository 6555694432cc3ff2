"""Checks that a guard which does not hold lets nothing through."""

from __future__ import annotations

from collections.abc import Callable

from tongs_mux.backend import Guard, Opened
from tongs_mux.testing.checks_reading import NOT_IDS
from tongs_mux.testing.rig import (
    Rig,
    another,
    expect,
    facts,
    guard_of,
    need,
    pane,
    refused,
    screen,
)


def _acts(rig: Rig, guard: Guard) -> dict[str, Callable[[], object]]:
    return {
        "paste": lambda: rig.backend.paste(guard, b"stray"),
        "enter": lambda: rig.backend.enter(guard),
        "focus": lambda: rig.backend.focus(guard)[0],
        "close": lambda: rig.backend.close(guard),
    }


def _expect_held(rig: Rig, guard: Guard, *names: str) -> None:
    for name, act in _acts(rig, guard).items():
        if name in names:
            expect(f"{name} under {guard}", act(), "held")


def _expect_untouched(rig: Rig, *panes: Opened) -> None:
    for opened in panes:
        expect(f"{opened.pane.pane_id} is listed", facts(rig, opened) is not None, True)
        expect(f"received by {opened.pane.pane_id}", rig.received(opened), b"")


def another_server_holds(rig: Rig) -> None:
    """The same pane id under another server's identity is another pane (C1)."""
    opened = pane(rig)
    _expect_held(
        rig, guard_of(opened, server=another(opened.server)), "paste", "enter", "focus", "close"
    )
    _expect_untouched(rig, opened)


def another_process_holds(rig: Rig) -> None:
    """The same pane with another process is a stranger's (A14)."""
    need(rig, "pane-pids")
    opened, other = pane(rig), pane(rig)
    _expect_held(rig, guard_of(opened, pane_pid=other.pid), "paste", "enter", "focus", "close")
    _expect_untouched(rig, opened, other)


def another_pane_holds(rig: Rig) -> None:
    """A living pane that isn't the process's own, and one that is no more."""
    need(rig, "pane-pids")
    opened, other = pane(rig), pane(rig)
    _expect_held(
        rig, guard_of(opened, pane_id=other.pane.pane_id), "paste", "enter", "focus", "close"
    )
    rig.backend.close(guard_of(other))
    _expect_held(rig, guard_of(other), "paste", "enter", "focus", "close")
    _expect_untouched(rig, opened)


def targets_that_are_no_ids_reach_no_pane(rig: Rig) -> None:
    """None falls back to the pane in front, whatever else of the guard holds (C2)."""
    opened = pane(rig)
    for target in NOT_IDS:
        if target == opened.pane.pane_id:
            continue
        for pid in {opened.pid, None}:
            guard = Guard(opened.server, target, pid)
            for name, act in _acts(rig, guard).items():
                expect(f"{name} at {target!r} is refused", refused(act), True)
    _expect_untouched(rig, opened)


def a_respawned_pane_holds(rig: Rig) -> None:
    """It keeps its id, and is another's (C1)."""
    need(rig, "respawn")
    opened = pane(rig)
    rig.respawn(opened)
    _expect_held(rig, guard_of(opened), "paste", "enter", "focus", "close")
    _expect_untouched(rig, opened)


def a_restarted_servers_pane_holds(rig: Rig) -> None:
    """Pane ids start anew with a server: the same one is a stranger's (C1)."""
    old = pane(rig)
    rig.end_server()
    new = pane(rig)
    expect("the id came again", new.pane.pane_id, old.pane.pane_id)
    _expect_held(rig, guard_of(old), "paste", "enter", "focus", "close")
    _expect_held(rig, guard_of(new, server=old.server), "paste", "enter", "focus", "close")
    _expect_untouched(rig, new)


def a_dead_pane_holds_and_the_server_lives(rig: Rig) -> None:
    """A paste into a dead pane has ended a whole server, and every agent in it (C12)."""
    need(rig, "dead-panes")
    opened, other = pane(rig), pane(rig)
    rig.kill(opened)
    seen = facts(rig, opened)
    expect("dead", seen is not None and seen.dead, True)
    _expect_held(rig, guard_of(opened), "paste", "enter")
    listing = rig.backend.listing()
    expect("server", listing.server if listing is not None else None, other.server)
    expect("paste into the other", rig.backend.paste(guard_of(other), b"alive"), "done")


def a_mode_holds(rig: Rig) -> None:
    """A person reads in the pane: a paste would go to the program, the Enter nowhere (B10)."""
    need(rig, "copy-mode")
    opened = pane(rig)
    mode = rig.enter_mode(opened)
    seen = facts(rig, opened)
    expect("mode", seen.mode if seen is not None else None, mode)
    _expect_held(rig, guard_of(opened), "paste", "enter")
    _expect_untouched(rig, opened)


def synchronized_panes_hold(rig: Rig) -> None:
    """An Enter would press every dialog of the window (B12)."""
    need(rig, "synchronize")
    first, second = pane(rig), pane(rig)
    rig.synchronize(first, second)
    for opened in (first, second):
        seen = facts(rig, opened)
        expect("synchronized", seen is not None and seen.synchronized, True)
        _expect_held(rig, guard_of(opened), "paste", "enter")
    _expect_untouched(rig, first, second)


def a_pattern_on_the_screen_holds(rig: Rig) -> None:
    """``absent``: no line may match, wherever it stands (B3)."""
    opened = pane(rig)
    rig.show(opened, "above", "  Do you want to proceed?  ", "below")
    for pattern in ("Do you want", "proceed.$", "(no|want) to", "^below$"):
        _expect_held(rig, guard_of(opened, absent=("^nothing$", pattern)), "paste", "enter")
    _expect_untouched(rig, opened)


def a_pattern_not_on_the_screen_holds(rig: Rig) -> None:
    """``steady``: each must match a line, or the composer is not what it was (B1, B11)."""
    opened = pane(rig)
    rig.show(opened, "> ", "rule")
    for pattern in ("^> .+$", "^>$ ?x", "^RULE$", "^rul$"):
        _expect_held(rig, guard_of(opened, steady=("^rule$", pattern)), "paste", "enter")
    _expect_untouched(rig, opened)


def a_cursor_elsewhere_holds(rig: Rig) -> None:
    """``cursor``: no pattern tells one blank line from another (B1, B11)."""
    opened = pane(rig)
    rig.show(opened, "", "rule")
    seen = facts(rig, opened)
    cell = seen.cursor if seen is not None else None
    if cell is None:
        raise AssertionError("where the cursor of a program that shows it stands is not told")
    for other in ((cell[0] + 1, cell[1]), (cell[0], cell[1] + 1)):
        _expect_held(rig, guard_of(opened, cursor=other), "paste", "enter")
    _expect_untouched(rig, opened)
    expect("paste", rig.backend.paste(guard_of(opened, cursor=cell), b"in"), "done")


def patterns_that_hold_let_through(rig: Rig) -> None:
    """Blanks at a line's end don't count; wide characters match any one character."""
    opened = pane(rig)
    rig.show(opened, "❯ 項目  ", "────────", "  esc to stop")
    steady = ("^. ..$", "^........$", "^  esc")
    guard = guard_of(opened, absent=("^rule$", "proceed"), steady=steady)
    expect("the screen", screen(rig, opened).lines[0].rstrip(), "❯ 項目")
    expect("paste", rig.backend.paste(guard, b"in"), "done")
    expect("enter", rig.backend.enter(guard), "done")
    expect("received", rig.received(opened), b"\x1b[200~in\x1b[201~\r")


__all__ = [
    "a_cursor_elsewhere_holds",
    "a_dead_pane_holds_and_the_server_lives",
    "a_mode_holds",
    "a_pattern_not_on_the_screen_holds",
    "a_pattern_on_the_screen_holds",
    "a_respawned_pane_holds",
    "a_restarted_servers_pane_holds",
    "another_pane_holds",
    "another_process_holds",
    "another_server_holds",
    "patterns_that_hold_let_through",
    "synchronized_panes_hold",
    "targets_that_are_no_ids_reach_no_pane",
]
