"""Checks of opening, closing and showing panes, and of a server that is silent or gone."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from tongs_mux.backend import Backend, Opened, OpenRequest
from tongs_mux.errors import BackendError, BackendTimeout, SessionMissing
from tongs_mux.testing.rig import (
    Rig,
    another,
    expect,
    facts,
    guard_of,
    need,
    pane,
    refused,
)

WORDS = (
    *("", " ", "two words", ";", "a;", "\\;", "#{pane_id}", "#(touch x)", "$HOME", "$(touch x)"),
    *(
        "'",
        '"',
        "\\",
        "*",
        "~",
        "項目 e\u0301 🧑‍🔧",
        "-d",
        "--",
        "line\nbreak",
        "\ttab",
        "{}",
        "%",
        "!",
    ),
)
"""Arguments that a shell or a multiplexer would read as something else."""

SLACK = 1.5
"""Seconds over a deadline that a loaded machine may need to come back."""


def open_passes_argv_exactly(rig: Rig) -> None:
    """Words are executed, never typed and never read again (C11)."""
    expect("in a new session", rig.given(pane(rig, *WORDS)).words, WORDS)
    expect("in a running one", rig.given(pane(rig, *WORDS, "x;")).words, (*WORDS, "x;"))
    expect("last of all empty", rig.given(pane(rig, "")).words, ("",))


def open_passes_the_directory(rig: Rig) -> None:
    """The request's directory, in a new session and in a running one."""
    for session in ("one", "one", "two"):
        request = rig.request(session=session)
        opened = rig.backend.open(request)
        rig.ready(opened)
        expect("cwd", rig.given(opened).cwd, request.cwd)


def open_starts_a_server_with_that_environment(rig: Rig) -> None:
    """A server that has to be started gets the request's environment (A89)."""
    need(rig, "starts-servers")
    rig.end_server()
    request = rig.request()
    given = {"TONGS_GIVEN": "yes; #{pid} 項"}
    opened = rig.backend.open(replace(request, environment={**request.environment, **given}))
    rig.ready(opened)
    got = rig.given(opened).environment
    expect("environment", {it: got.get(it) for it in given}, given)


def open_says_what_it_opened(rig: Rig) -> None:
    """Whether the session is new; each pane another id and another process."""
    first, second, third = pane(rig), pane(rig), pane(rig, session="two")
    made = [first.created_session, second.created_session, third.created_session]
    expect("created", made, [True, False, True])
    expect("ids", len({first.pane.pane_id, second.pane.pane_id, third.pane.pane_id}), 3)
    if rig.has("pane-pids"):
        expect("pids", len({first.pid, second.pid, third.pid} - {None}), 3)


def open_needs_its_session(rig: Rig) -> None:
    """A session that may not be created, and a prefix of a running one, open nothing (C4)."""
    opened = pane(rig, session="a-10")
    for session in ("missing", "a-1", "a-10:0"):
        request = rig.request(session=session, create_session=False)
        expect(f"open in {session!r} is refused", _is_missing(rig.backend, request), True)
    listing = rig.backend.listing()
    expect("panes", set(listing.panes) if listing else None, {opened.pane.pane_id})


def _is_missing(backend: Backend, request: OpenRequest) -> bool:
    try:
        backend.open(request)
    except SessionMissing:
        return True
    return False


def open_beside_a_longer_name(rig: Rig) -> None:
    """A session whose name begins another's is a session of its own (C4)."""
    pane(rig, session="a-10")
    opened = pane(rig, session="a-1")
    expect("created", opened.created_session, True)
    seen = facts(rig, opened)
    expect("session", seen.session if seen is not None else None, "a-1")


def open_steals_no_focus(rig: Rig) -> None:
    """A person goes on typing where they were (C11)."""
    need(rig, "clients")
    first = pane(rig)
    client = rig.attach("one")
    pane(rig)
    pane(rig, session="two")
    expect("shown", rig.shown(client), first.pane.pane_id)


def close_ends_only_the_meant_pane(rig: Rig) -> None:
    """The others, and a session whose name begins the same, stay (C4)."""
    meant, beside, other = (
        pane(rig, session="a-1"),
        pane(rig, session="a-1"),
        pane(rig, session="a-10"),
    )
    expect("close", rig.backend.close(guard_of(meant)), "done")
    listing = rig.backend.listing()
    left = {beside.pane.pane_id, other.pane.pane_id}
    expect("panes", set(listing.panes) if listing else None, left)


def close_ends_a_dead_pane(rig: Rig) -> None:
    """One whose program has ended can still be removed."""
    need(rig, "dead-panes")
    opened, other = pane(rig), pane(rig)
    rig.kill(opened)
    expect("close", rig.backend.close(guard_of(opened)), "done")
    expect("closed", facts(rig, opened), None)
    expect("other", facts(rig, other) is not None, True)


def focus_shows_the_pane(rig: Rig) -> None:
    """In the terminal that was used last, whatever session it showed; in no other."""
    need(rig, "clients")
    pane(rig)
    behind = pane(rig)
    pane(rig, session="two")
    reading = pane(rig, session="three")
    idle, used = rig.attach("three"), rig.attach("two")
    rig.use(used)
    expect("focus", rig.backend.focus(guard_of(behind)), ("done", used))
    expect("shown", rig.shown(used), behind.pane.pane_id)
    expect("the other terminal", rig.shown(idle), reading.pane.pane_id)
    expect("focused", rig.backend.focused(), frozenset({behind.pane.pane_id, reading.pane.pane_id}))


def focus_without_a_terminal_names_none(rig: Rig) -> None:
    """The pane is in front for whoever attaches next."""
    need(rig, "clients")
    pane(rig)
    behind = pane(rig)
    expect("focus", rig.backend.focus(guard_of(behind)), ("done", ""))
    expect("shown", rig.shown(rig.attach("one")), behind.pane.pane_id)


def no_server_is_none(rig: Rig) -> None:
    """Where it is certain that none runs, reading says so and acting does nothing."""
    opened = pane(rig)
    rig.end_server()
    expect("listing", rig.backend.listing(), None)
    expect("look", rig.backend.look(opened.pane.pane_id), None)
    expect("has_session", rig.backend.has_session("one"), False)
    expect("focused", rig.backend.focused(), frozenset())
    for name, call in _calls(rig.backend, opened, rig).items():
        if name in {"history", "paste", "enter", "focus", "close"}:
            expect(f"{name} is refused", refused(call), True)
    expect("still none", rig.backend.listing(), None)


def a_silent_server_is_a_timeout(rig: Rig) -> None:
    """Every call comes back within its deadline, and concludes nothing (D8, E3)."""
    opened = pane(rig)
    rig.freeze()
    try:
        calls = _calls(rig.hasty, opened, rig)
        with ThreadPoolExecutor(len(calls)) as pool:
            took = dict(zip(calls, pool.map(_time_out, calls.values()), strict=True))
    finally:
        rig.thaw()
    expect(
        "calls that took too long", {k: t for k, t in took.items() if t > rig.deadline + SLACK}, {}
    )
    seen = rig.backend.listing()
    expect("it is still there", seen is not None and opened.pane.pane_id in seen.panes, True)


def _calls(backend: Backend, opened: Opened, rig: Rig) -> dict[str, Callable[[], object]]:
    """Every call; the acts under a guard that can't hold, should they ever be carried out."""
    where = opened.pane.pane_id
    guard = guard_of(opened, server=another(opened.server))
    return {
        "listing": backend.listing,
        "look": lambda: backend.look(where),
        "history": lambda: backend.history(where, 5),
        "has_session": lambda: backend.has_session("one"),
        "open": lambda: backend.open(rig.request(session="missing", create_session=False)),
        "paste": lambda: backend.paste(guard, b"stray"),
        "enter": lambda: backend.enter(guard),
        "focus": lambda: backend.focus(guard),
        "close": lambda: backend.close(guard),
        "focused": backend.focused,
    }


def _time_out(call: Callable[[], object]) -> float:
    begun = time.monotonic()
    try:
        answer = call()
    except BackendTimeout:
        return time.monotonic() - begun
    except BackendError as error:
        raise AssertionError(f"a silent server gave {error!r}") from error
    raise AssertionError(f"a silent server answered {answer!r}")


__all__ = [
    "SLACK",
    "WORDS",
    "a_silent_server_is_a_timeout",
    "close_ends_a_dead_pane",
    "close_ends_only_the_meant_pane",
    "focus_shows_the_pane",
    "focus_without_a_terminal_names_none",
    "no_server_is_none",
    "open_beside_a_longer_name",
    "open_needs_its_session",
    "open_passes_argv_exactly",
    "open_passes_the_directory",
    "open_says_what_it_opened",
    "open_starts_a_server_with_that_environment",
    "open_steals_no_focus",
]
