"""Checks of what a backend sees: listing, look, history, sessions, focus."""

from __future__ import annotations

from functools import partial

from tongs_mux.errors import BackendError
from tongs_mux.ids import is_pane_id
from tongs_mux.model import PaneFacts
from tongs_mux.testing.rig import Rig, expect, facts, need, pane, refused, screen

NOT_IDS = (
    *("", "-X", "%", "%9999", "garbage", "0", "one", "one:", "one:0.0", "$0", "@0", "!"),
    *("{last}", "%0;", ";", "%0,x", " %0", "%0 ", "#{pane_id}", "terminal_9999", "terminal_"),
)
"""Targets that are no pane's id, or no living pane's: each is a fallback of some multiplexer."""

NOT_SESSIONS = ("", "a-1", "a-10:", "a-10:0", "a-10;", "a-1*", "$0", "@0", "%0", "=a-10", "!", "-t")
"""Names that are not the session ``a-10``."""

STYLED = ("plain", "\x1b[1mbold\x1b[0m and \x1b[2mdim\x1b[0m", "wide 項目 ok", "  indented ␞ #{x}")
"""A screen to draw."""

PLAIN = ("plain", "bold and dim", "wide 項目 ok", "  indented ␞ #{x}")
"""The same as plain text."""


def listing_names_every_pane(rig: Rig) -> None:
    """Each pane of each session, with its own process, and the server's identity."""
    opened = [pane(rig), pane(rig), pane(rig, session="two")]
    listing = rig.backend.listing()
    if listing is None:
        raise AssertionError("the listing says that no server runs")
    expect("ids", set(listing.panes), {it.pane.pane_id for it in opened})
    for it in opened:
        seen = listing.panes[it.pane.pane_id]
        expect("server", listing.server, it.server)
        expect("id", seen.pane_id, it.pane.pane_id)
        expect("session", seen.session, it.pane.session)
        expect("pid", seen.pid, it.pid)
        expect(
            "dead, mode, synchronized",
            (seen.dead, seen.mode, seen.synchronized),
            (False, "", False),
        )


def pane_refs_are_whole(rig: Rig) -> None:
    """An opened pane says where it is: multiplexer, address, session and an id of its own."""
    one, two = pane(rig), pane(rig, session="two")
    for opened, session in ((one, "one"), (two, "two")):
        ref = opened.pane
        expect("multiplexer", ref.multiplexer, rig.backend.multiplexer)
        expect("socket", ref.socket, rig.backend.address())
        expect("session", ref.session, session)
        expect(f"{ref.pane_id!r} is an id", is_pane_id(ref.multiplexer, ref.pane_id), True)


def look_and_listing_agree(rig: Rig) -> None:
    """The same pane in the same moment has the same facts, whoever is asked."""
    opened = pane(rig)
    look = rig.backend.look(opened.pane.pane_id)
    if look is None:
        raise AssertionError("the look says that no server runs")
    expect("server", look.server, opened.server)
    expect("facts", look.pane, facts(rig, opened))


def look_reads_the_screen(rig: Rig) -> None:
    """Text as it stands there, wide characters too; the styles beside it."""
    opened = pane(rig)
    rig.show(opened, *STYLED)
    seen = screen(rig, opened)
    expect("lines", tuple(line.rstrip() for line in seen.lines)[: len(PLAIN)], PLAIN)
    expect("as many styled lines", len(seen.styled), len(seen.lines))
    expect("a style is kept", "\x1b[" in seen.styled[1] and "\x1b[" not in seen.lines[1], True)


def look_at_no_pane_finds_none(rig: Rig) -> None:
    """A target that is no pane's id shows no other pane's facts, and no other screen (C2)."""
    opened = pane(rig)
    rig.show(opened, "a secret")
    for target in NOT_IDS:
        if target == opened.pane.pane_id:
            continue
        try:
            look = rig.backend.look(target)
        except BackendError:
            continue
        if look is None:
            raise AssertionError(f"look {target!r}: no server, where one runs")
        found: PaneFacts | None = look.pane
        expect(f"pane at {target!r}", found, None)
        expect(f"screen at {target!r}", [line for line in look.screen.lines if line.strip()], [])


def history_is_the_end_of_it(rig: Rig) -> None:
    """The last lines, those above the screen too, as plain text."""
    opened = pane(rig)
    lines = [f"line {number}" for number in range(150)]
    rig.show(opened, *lines)
    for count in (1, 3, 120):
        expect(
            f"history {count}",
            rig.backend.history(opened.pane.pane_id, count),
            tuple(lines[-count:]),
        )


def history_of_no_pane_is_an_error(rig: Rig) -> None:
    """It is never another pane's (C2)."""
    opened = pane(rig)
    rig.show(opened, "a secret")
    for target in NOT_IDS:
        read = partial(rig.backend.history, target, 5)
        expect(f"history of {target!r} is refused", refused(read), True)


def sessions_are_exact(rig: Rig) -> None:
    """A prefix, an id or a pattern is not the session's name (C4)."""
    pane(rig, session="a-10")
    expect("a-10", rig.backend.has_session("a-10"), True)
    for name in NOT_SESSIONS:
        expect(f"has_session({name!r})", rig.backend.has_session(name), False)


def titles_and_names_are_only_text(rig: Rig) -> None:
    """What a program calls itself shifts no fact, adds no pane and breaks no listing (A22)."""
    opened, other = pane(rig), pane(rig)
    rig.show(opened, "\x1b]2;⠋ work ␞%1␞7␞\t#{pid} 項目\x07here")
    listing = rig.backend.listing()
    if listing is None:
        raise AssertionError("the listing says that no server runs")
    expect("ids", set(listing.panes), {opened.pane.pane_id, other.pane.pane_id})
    expect("pid", listing.panes[opened.pane.pane_id].pid, opened.pid)
    expect("pid of the other", listing.panes[other.pane.pane_id].pid, other.pid)


def focused_counts_attached_terminals(rig: Rig) -> None:
    """What nobody looks at is not in focus, though its multiplexer calls it active (A43)."""
    need(rig, "clients")
    first = pane(rig)
    pane(rig, session="two")
    expect("before", rig.backend.focused(), frozenset())
    client = rig.attach("one")
    expect("attached", rig.backend.focused(), frozenset({first.pane.pane_id}))
    rig.detach(client)
    expect("detached", rig.backend.focused(), frozenset())


def control_clients_show_nothing(rig: Rig) -> None:
    """A program that is attached is nobody's eyes (A43)."""
    need(rig, "control-clients")
    pane(rig)
    rig.attach_control("one")
    expect("focused", rig.backend.focused(), frozenset())


__all__ = [
    "NOT_IDS",
    "NOT_SESSIONS",
    "PLAIN",
    "STYLED",
    "control_clients_show_nothing",
    "focused_counts_attached_terminals",
    "history_is_the_end_of_it",
    "history_of_no_pane_is_an_error",
    "listing_names_every_pane",
    "look_and_listing_agree",
    "look_at_no_pane_finds_none",
    "look_reads_the_screen",
    "pane_refs_are_whole",
    "sessions_are_exact",
    "titles_and_names_are_only_text",
]
