"""Checks of what reaches a pane: the bytes of a paste, an Enter, and what stays behind."""

from __future__ import annotations

from tongs_mux.testing.rig import Rig, expect, guard_of, need, pane

BODIES = (
    *("hello", "go;", ";", "a\\;", "for(;;);", "ends in \\", "-X", "--", "-", "{}", "#{pane_id}"),
    *("#(touch x)", "$(touch x) `touch x`", "C-c", "Enter", "Up", "A != B", "/clear", "%0", "~"),
    *(
        " spaces around ",
        "\ttab\tbed",
        "'quoted' \"twice\"",
        "emoji 🧑‍🔧 wide 項目 combining e\u0301",
    ),
    *(
        "two\nlines",
        "\n leading newline",
        "\n".join(f"line {number}; {{}}" for number in range(40)),
    ),
)
"""Texts that some way of typing has been seen to change (A5, A7, A12, A17, F7)."""

LARGE = ("项" * 10_922) + "ab"
"""32 KiB of characters of three bytes each."""


def _pasted(*bodies: str) -> bytes:
    return b"".join(b"\x1b[200~" + body.encode("utf-8") + b"\x1b[201~" for body in bodies)


def paste_arrives_exact_and_bracketed(rig: Rig) -> None:
    """Each text byte for byte, in one pair of markers, and no key after it (A2, A10)."""
    opened = pane(rig)
    for body in BODIES:
        expect(f"paste {body!r}", rig.backend.paste(guard_of(opened), body.encode("utf-8")), "done")
    expect("received", rig.received(opened), _pasted(*BODIES))


def paste_of_32_kib_arrives_whole(rig: Rig) -> None:
    """The longest text in one pair of markers (A14)."""
    opened = pane(rig)
    expect("size", len(LARGE.encode("utf-8")), 32 * 1024)
    expect("paste", rig.backend.paste(guard_of(opened), LARGE.encode("utf-8")), "done")
    expect("all of it arrived", rig.received(opened) == _pasted(LARGE), True)


def enter_is_one_return(rig: Rig) -> None:
    """One carriage return after the closing marker, in a call of its own (A1, A6)."""
    opened = pane(rig)
    rig.backend.paste(guard_of(opened), b"do it")
    expect("enter", rig.backend.enter(guard_of(opened)), "done")
    expect("received", rig.received(opened), _pasted("do it") + b"\r")


def others_receive_nothing(rig: Rig) -> None:
    """Paste and Enter go to the one pane, whichever is in front."""
    front, meant, other = pane(rig), pane(rig), pane(rig, session="two")
    rig.backend.paste(guard_of(meant), b"private")
    rig.backend.enter(guard_of(meant))
    expect("meant", rig.received(meant), _pasted("private") + b"\r")
    expect("front", rig.received(front), b"")
    expect("other session", rig.received(other), b"")


def nothing_stays_behind(rig: Rig) -> None:
    """Neither a paste nor a held one leaves the text where anybody could paste it."""
    need(rig, "buffers")
    opened = pane(rig)
    before = rig.buffers()
    rig.backend.paste(guard_of(opened), b"private")
    expect("after a paste", rig.buffers(), before)
    rig.backend.paste(guard_of(opened, steady=("^not there$",)), b"private")
    expect("after a held paste", rig.buffers(), before)


def a_moved_pane_is_still_reached(rig: Rig) -> None:
    """Place, index and window of a pane are not its identity (C6)."""
    need(rig, "rearrange")
    opened, other = pane(rig), pane(rig)
    rig.rearrange(opened)
    expect("paste", rig.backend.paste(guard_of(opened), b"here"), "done")
    expect("enter", rig.backend.enter(guard_of(opened)), "done")
    expect("meant", rig.received(opened), _pasted("here") + b"\r")
    expect("other", rig.received(other), b"")


__all__ = [
    "BODIES",
    "LARGE",
    "a_moved_pane_is_still_reached",
    "enter_is_one_return",
    "nothing_stays_behind",
    "others_receive_nothing",
    "paste_arrives_exact_and_bracketed",
    "paste_of_32_kib_arrives_whole",
]
