"""What is tmux's own: its environment, locale, servers, options, and its way of hanging."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.mux.tmux_rig import TmuxRig
from tests.waiting import wait_for
from tongs_mux.backend import Backend, Guard, OpenRequest
from tongs_mux.backends.tmux import TmuxBackend
from tongs_mux.backends.tmux_server import BoundedServer
from tongs_mux.errors import (
    BackendError,
    BackendOutputError,
    BackendTimeout,
    BackendUnavailable,
    StartFailed,
)
from tongs_mux.model import ProcessIdentity
from tongs_mux.process import LinuxProcesses, alive, system_processes
from tongs_mux.testing.rig import facts, guard_of, pane


@pytest.fixture
def rig(tmux_socket: str, tmp_path: Path) -> TmuxRig:
    return TmuxRig(tmux_socket, tmp_path)


def backend(socket: str, environ: Mapping[str, str] = os.environ, **options) -> TmuxBackend:
    return TmuxBackend(socket, processes=system_processes(), environ=environ, **options)


def script(path: Path, *lines: str) -> str:
    """An executable shell script, to stand in for tmux."""
    path.write_text("\n".join(("#!/bin/sh", *lines, "")), encoding="utf-8")
    path.chmod(0o755)
    return str(path)


# -- what is typed


@pytest.mark.case("A10")
def test_the_markers_are_tmux_s_own_and_never_spelled_out(rig: TmuxRig):
    opened = pane(rig)
    rig.backend.paste(guard_of(opened), b"text")
    received = rig.received(opened)
    assert received == b"\x1b[200~text\x1b[201~"
    assert b"^[" not in received


@pytest.mark.case("A2", "A10")
def test_a_program_that_asks_for_no_brackets_gets_none(rig: TmuxRig):
    opened = pane(rig)
    rig.show(opened, "\x1b[?2004lplain")
    rig.backend.paste(guard_of(opened), b"one\ntwo")
    assert rig.received(opened) == b"one\ntwo"


@pytest.mark.case("A12", "A14", "C9")
@pytest.mark.parametrize("body", ["go;", "a\\;", "--Xx", "'; kill-server ;'", "secret " * 4_600])
def test_the_text_is_in_no_argument_and_no_option_is_global(
    rig: TmuxRig, tmp_path: Path, body: str
):
    real = shlex.quote(shutil.which("tmux") or "")
    log = tmp_path / "calls"
    tmux = script(tmp_path / "tmux", f'printf "%s\\0" "$@" "" >>{log}', f'exec {real} "$@"')
    opened = pane(rig)
    spied = backend(rig.socket, tmux_bin=tmux)
    assert spied.paste(guard_of(opened), body.encode()) == "done"
    assert spied.enter(guard_of(opened)) == "done"
    assert rig.received(opened) == b"\x1b[200~" + body.encode() + b"\x1b[201~\r"
    calls = [call.split("\0") for call in log.read_text(encoding="utf-8").split("\0\0") if call]
    assert len(calls) == 2
    for call in calls:
        assert call[:3] == ["-u", "-S", rig.socket]
        assert body not in call
        assert "-g" not in call
        assert not [word for word in call if len(word) > 1000]


@pytest.mark.case("A19")
def test_extended_keys_change_neither_newlines_nor_enter(rig: TmuxRig):
    opened = pane(rig)
    rig.tmux("set-option", "-s", "extended-keys", "always")
    rig.backend.paste(guard_of(opened), b"one\ntwo")
    rig.backend.enter(guard_of(opened))
    assert rig.received(opened) == b"\x1b[200~one\ntwo\x1b[201~\r"


def test_the_cursor_is_where_the_screen_has_it(rig: TmuxRig):
    opened = pane(rig)
    rig.show(opened, "first", "❯ 項")
    look = rig.backend.look(opened.pane.pane_id)
    assert look is not None
    assert look.pane is not None
    assert look.pane.cursor == (4, 1)


@pytest.mark.case("A14")
def test_no_row_of_the_screen_is_in_an_argument(rig: TmuxRig, tmp_path: Path):
    """The composer's rows are our text; whoever runs `ps` could read them there."""
    real = shlex.quote(shutil.which("tmux") or "")
    log = tmp_path / "calls"
    tmux = script(tmp_path / "tmux", f'printf "%s\\0" "$@" >>{log}', f'exec {real} "$@"')
    opened = pane(rig)
    rig.show(opened, "my password is hunter2", "rule")
    guard = guard_of(opened, steady=("^my password is hunter2$",), absent=("^proceed$",))
    spied = backend(rig.socket, tmux_bin=tmux)
    assert (spied.paste(guard, b"hunter2"), spied.enter(guard)) == ("done", "done")
    assert (spied.focus(guard)[0], spied.close(guard)) == ("done", "done")
    said = log.read_text(encoding="utf-8")
    assert "source-file" in said
    assert not [word for word in ("hunter2", "proceed") if word in said]


def test_a_composer_as_high_as_the_screen_is_compared_row_by_row(rig: TmuxRig):
    opened = pane(rig)
    rig.tmux("resize-window", "-t", opened.pane.pane_id, "-x", "200", "-y", "120")
    rows = [f"{number:03}{'項' * 93}." for number in range(110)]  # 30 KiB
    rig.show(opened, *rows)
    steady = tuple(f"^{row[:-1]}.$" for row in rows)
    assert rig.backend.enter(guard_of(opened, steady=steady)) == "done"
    for changed in (steady[0], steady[60], steady[-1]):
        other = tuple(row.replace("項", "目", 1) if row == changed else row for row in steady)
        guard = guard_of(opened, steady=other)
        assert (rig.backend.enter(guard), rig.backend.paste(guard, b"x")) == ("held", "held")
    assert rig.received(opened) == b"\r"


def test_a_pane_that_takes_no_input_is_never_said_to_have_got_it(rig: TmuxRig):
    opened = pane(rig)
    rig.tmux("select-pane", "-d", "-t", opened.pane.pane_id)
    seen = facts(rig, opened)
    assert seen is not None
    assert seen.input_off
    guard = guard_of(opened)
    assert (rig.backend.paste(guard, b"x"), rig.backend.enter(guard)) == ("held", "held")
    rig.tmux("select-pane", "-e", "-t", opened.pane.pane_id)
    assert rig.backend.paste(guard, b"x") == "done"


# -- a person's own tmux.conf


def _settings(text: str) -> None:
    (Path(os.environ["HOME"]) / ".tmux.conf").write_text(text, encoding="utf-8")


def test_what_tmux_says_of_its_settings_is_no_person_who_reads(rig: TmuxRig):
    _settings("set -g no-such-option on\n")
    opened = pane(rig)
    assert opened.created_session
    seen = facts(rig, opened)
    assert seen is not None
    assert seen.mode == ""
    assert rig.backend.paste(guard_of(opened), b"x") == "done"


@pytest.mark.parametrize("setting", ["exit-unattached", "destroy-unattached"])
def test_a_pane_that_tmux_closes_at_once_was_not_opened(rig: TmuxRig, setting: str):
    _settings(f"set -g {setting} on\n")
    with pytest.raises(StartFailed, match=f"`{setting}` is on"):
        rig.backend.open(rig.request())


# -- panes


@pytest.mark.case("C11")
def test_a_program_of_one_word_is_executed_and_not_read_by_a_shell(rig: TmuxRig, tmp_path: Path):
    program = script(tmp_path / "a program; touch x", "exec sleep 300")
    request = replace(rig.request(), argv=(program,))
    opened = rig.backend.open(request)
    assert opened.pid is not None
    system = LinuxProcesses()
    wait_for(lambda: system.argv(opened.pid or 0) == ("sleep", "300"), what="the program")
    assert not list(Path(request.cwd).iterdir())


@pytest.mark.case("C12")
def test_our_pane_closes_with_its_program_whatever_the_user_has_set(rig: TmuxRig):
    other = pane(rig)
    rig.tmux("set-option", "-g", "remain-on-exit", "on")
    opened = pane(rig)
    assert opened.pid is not None
    os.kill(opened.pid, signal.SIGKILL)
    wait_for(lambda: facts(rig, opened) is None, what="the pane to close")
    assert facts(rig, other) is not None


@pytest.mark.case("C12")
def test_a_user_s_dead_pane_is_never_pasted_into(rig: TmuxRig):
    other = pane(rig)
    rig.tmux("set-option", "-g", "remain-on-exit", "on")
    dead = rig.tmux("new-window", "-d", "-P", "-F", "#{pane_id} #{pane_pid}", "true").split()
    wait_for(lambda: rig.tmux("display-message", "-p", "-t", dead[0], "#{pane_dead}") == "1")
    guard = Guard(other.server, dead[0], int(dead[1]))
    assert (rig.backend.paste(guard, b"x"), rig.backend.enter(guard)) == ("held", "held")
    assert "one:" in rig.tmux("list-sessions")


@pytest.mark.case("C6")
def test_indexes_are_never_used(rig: TmuxRig):
    first = pane(rig)
    for option in ("base-index", "pane-base-index"):
        rig.tmux("set-option", "-g", option, "1")
    rig.tmux("set-option", "-g", "renumber-windows", "on")
    second, third = pane(rig), pane(rig)
    rig.backend.close(guard_of(first))  # every index shifts
    rig.tmux("swap-window", "-d", "-s", second.pane.pane_id, "-t", third.pane.pane_id)
    rig.backend.paste(guard_of(second), b"second")
    assert rig.received(second) == b"\x1b[200~second\x1b[201~"
    assert rig.received(third) == b""


@pytest.mark.case("C2")
def test_a_session_named_like_an_id_is_that_session(rig: TmuxRig):
    pane(rig)
    for session in ("$0", "@0", "two words", "項目", "#{pid}", "tail;"):
        opened = [pane(rig, session=session) for _ in range(2)]
        assert [it.created_session for it in opened] == [True, False]
        assert {it.pane.session for it in opened} == {session}
        assert rig.backend.has_session(session)


@pytest.mark.requirement("A89")
def test_a_server_that_we_start_gets_no_other_environment(rig: TmuxRig):
    ours = {**os.environ, "TONGS_AGENTS_LAUNCH_ID": "another", "TMUX": "/x,1,0", "TMUX_PANE": "%9"}
    request = rig.request()
    opened = backend(rig.socket, ours).open(request)
    rig.ready(opened)
    environment = dict(rig.given(opened).environment)
    assert "TONGS_AGENTS_LAUNCH_ID" not in environment
    assert environment["TMUX"].startswith(f"{rig.socket},{opened.server.pid},")
    assert environment["TMUX_PANE"] == opened.pane.pane_id


# -- what others call themselves


@pytest.mark.case("A22")
def test_without_a_utf8_locale_glyphs_and_separators_stay(rig: TmuxRig):
    bare = {k: v for k, v in os.environ.items() if k != "LANG" and not k.startswith("LC_")}
    first = backend(rig.socket, bare)
    opened = first.open(replace(rig.request(session="项目"), environment=bare))
    rig.ready(opened)
    rig.show(opened, "\x1b]2;⠋ work\x1b\\a ❯ 項目")
    listing = first.listing()
    assert listing is not None
    seen = listing.panes[opened.pane.pane_id]
    assert (seen.title, seen.session, seen.pid) == ("⠋ work", "项目", opened.pid)
    look = first.look(opened.pane.pane_id)
    assert look is not None
    assert look.screen.lines[0].rstrip() == "a ❯ 項目"
    assert first.has_session("项目")
    guard = guard_of(opened, steady=("^a . ..$",))
    assert first.paste(guard, "項".encode()) == "done"


def test_a_server_that_stays_without_any_pane_lists_none(rig: TmuxRig):
    opened = pane(rig)
    rig.tmux("set-option", "-s", "exit-empty", "off")
    rig.tmux("kill-pane", "-t", opened.pane.pane_id)
    listing = rig.backend.listing()
    assert listing is not None
    assert (listing.server, listing.panes) == (opened.server, {})
    look = rig.backend.look(opened.pane.pane_id)
    assert look is not None
    assert (look.server, look.pane) == (opened.server, None)
    again = pane(rig)
    listing = rig.backend.listing()
    assert listing is not None
    assert list(listing.panes) == [again.pane.pane_id]


def test_a_program_that_calls_itself_a_row_of_the_listing_adds_none(rig: TmuxRig):
    opened = pane(rig)
    forged = f"x\n{opened.server.pid}␞{opened.pane.pane_id}␞1␞1␞␞␞9␞9␞␞␞@0␞␞x␞one␞forged"
    argv = ("bash", "-c", 'exec -a "$0" sleep 300', forged)
    other = rig.backend.open(replace(rig.request(), argv=argv))
    rig.tmux("select-pane", "-t", other.pane.pane_id, "-T", "a\ntitle")
    wait_for(lambda: LinuxProcesses().argv(other.pid or 0)[:1] == (forged,), what="the exec")
    listing = rig.backend.listing()
    assert listing is not None
    assert set(listing.panes) == {opened.pane.pane_id, other.pane.pane_id}
    assert listing.panes[opened.pane.pane_id].pid == opened.pid
    assert not listing.panes[opened.pane.pane_id].dead
    look = rig.backend.look(other.pane.pane_id)
    assert look is not None
    assert look.pane == listing.panes[other.pane.pane_id]


@pytest.mark.case("A22")
def test_no_separator_in_a_name_shifts_another(rig: TmuxRig):
    name = "a␞b ␞ c"
    argv = ("bash", "-c", 'exec -a "$0" sleep 300', "x␞y␞z")
    opened = rig.backend.open(replace(rig.request(session=name), argv=argv))
    assert opened.pane.session == name
    rig.tmux("select-pane", "-t", opened.pane.pane_id, "-T", "t␞u")
    listing = rig.backend.listing()
    assert listing is not None
    found = listing.panes[opened.pane.pane_id]
    assert (found.session, found.title) == (name, "t u")
    assert rig.backend.has_session(name)


# -- which server


@pytest.mark.case("C8")
def test_an_ambient_server_is_never_meant(rig: TmuxRig, short_dir: Path, tmp_path: Path):
    opened = pane(rig)
    (tmp_path / "ambient").mkdir()
    ambient = TmuxRig(str(short_dir / "ambient"), tmp_path / "ambient")
    other = pane(ambient)
    assert (other.pane.pane_id, other.pane.session) == (opened.pane.pane_id, opened.pane.session)
    environ = {**os.environ, "TMUX": f"{ambient.socket},{other.server.pid},0", "TMUX_PANE": "%0"}
    ours = backend(rig.socket, environ)
    listing = ours.listing()
    assert listing is not None
    assert listing.server == opened.server
    assert ours.paste(guard_of(opened), b"ours") == "done"
    assert ours.close(guard_of(other)) == "held"
    assert rig.received(opened) == b"\x1b[200~ours\x1b[201~"
    assert ambient.received(other) == b""


@pytest.mark.case("C8")
@pytest.mark.parametrize("call", ["listing", "paste", "open"])
def test_tmux_is_told_of_no_ambient_server(call: str, tmp_path: Path):
    log = tmp_path / "environment"
    environ = {**os.environ, "TMUX": "/x,1,0", "TMUX_PANE": "%9", "KEPT": "yes"}
    stub = backend("/s", environ, tmux_bin=script(tmp_path / "tmux", f"env >>{log}"))
    with pytest.raises(BackendError):
        CALLS[call](stub)
    names = {line.partition("=")[0] for line in log.read_text(encoding="utf-8").splitlines()}
    assert "KEPT" in names
    assert not {"TMUX", "TMUX_PANE"} & names


@pytest.mark.case("C2")
def test_an_answer_about_another_pane_is_not_taken_for_this_one_s(rig: TmuxRig, tmp_path: Path):
    opened, other = pane(rig), pane(rig)
    rig.show(other, "a secret")
    real = shlex.quote(shutil.which("tmux") or "")
    swap = f'for word; do test "$word" != {opened.pane.pane_id} || word={other.pane.pane_id}'
    tmux = script(
        tmp_path / "tmux",
        f'{swap}; set -- "$@" "$word"; shift; done',
        f'exec {real} "$@"',
    )
    look = backend(rig.socket, tmux_bin=tmux).look(opened.pane.pane_id)
    assert look is not None
    assert (look.pane, look.screen.lines, look.server) == (None, (), opened.server)


@pytest.mark.case("C8")
def test_a_socket_without_a_server_is_none_and_an_error_names_it(rig: TmuxRig):
    opened = pane(rig)
    os.kill(opened.server.pid, signal.SIGKILL)
    wait_for(lambda: not alive(rig.processes, opened.server), what="the server's end")
    assert Path(rig.socket).is_socket()
    assert rig.backend.listing() is None
    assert rig.backend.look(opened.pane.pane_id) is None
    assert rig.backend.enter(guard_of(opened)) == "held"  # nobody was there to press it
    with pytest.raises(BackendError, match=rig.socket):
        rig.backend.history(opened.pane.pane_id, 5)
    assert pane(rig).server != opened.server


def test_a_socket_that_may_not_be_spoken_to_is_no_proof_of_an_end(tmp_path: Path):
    refusing = backend(
        "/s", tmux_bin=_saying(tmp_path, "error connecting to /s (Permission denied)")
    )
    for call in (refusing.listing, lambda: refusing.look("%0"), refusing.focused):
        with pytest.raises(BackendError, match="Permission denied"):
            call()
    with pytest.raises(BackendError, match="Permission denied"):
        refusing.has_session("one")


def _saying(folder: Path, error: str, code: int = 1) -> str:
    return script(folder / "tmux", f"echo {shlex.quote(error)} >&2", f"exit {code}")


@pytest.mark.case("C9")
def test_nothing_of_the_user_s_server_is_changed(rig: TmuxRig):
    pane(rig)
    before = _globals(rig)
    opened = pane(rig)
    client = rig.attach("one")
    for act in (
        lambda: rig.backend.paste(guard_of(opened), b"text"),
        lambda: rig.backend.paste(guard_of(opened, steady=("^not there$",)), b"text"),
        lambda: rig.backend.enter(guard_of(opened)),
        lambda: rig.backend.focus(guard_of(opened)),
        lambda: rig.backend.history(opened.pane.pane_id, 10),
        lambda: rig.backend.close(guard_of(opened)),
    ):
        act()
    rig.detach(client)
    assert _globals(rig) == before


def _globals(rig: TmuxRig) -> dict[str, str]:
    asked = (
        *("show-options -g", "show-options -gw", "show-options -s", "show-environment -g"),
        *("show-hooks -g", "list-keys", "list-buffers", "show-options -t one"),
    )
    return {words: rig.tmux(*words.split()) for words in asked}


# -- a tmux that hangs, is missing, or talks nonsense

GUARD = Guard(ProcessIdentity(1, "boot:1"), "%0", 2)
CALLS: dict[str, Callable[[Backend], object]] = {
    "listing": lambda it: it.listing(),
    "look": lambda it: it.look("%0"),
    "history": lambda it: it.history("%0", 5),
    "has_session": lambda it: it.has_session("one"),
    "open": lambda it: it.open(OpenRequest("one", ("true", "x"), "/", "n", True)),
    "paste": lambda it: it.paste(GUARD, b"text"),
    "enter": lambda it: it.enter(GUARD),
    "focus": lambda it: it.focus(GUARD),
    "close": lambda it: it.close(GUARD),
    "focused": lambda it: it.focused(),
}


@pytest.mark.case("D8", "E3", "H5")
@pytest.mark.parametrize("call", CALLS)
def test_a_tmux_that_sleeps_is_killed_at_the_deadline(call: str, tmp_path: Path):
    log = tmp_path / "pids"
    tmux = script(tmp_path / "tmux", f"echo $$ >>{log}", "exec sleep 1000")
    begun = time.monotonic()
    with pytest.raises(BackendTimeout):
        CALLS[call](backend("/nowhere/s", tmux_bin=tmux, deadline=0.4))
    took = time.monotonic() - begun
    pids = [int(line) for line in log.read_text(encoding="ascii").split()]
    assert len(pids) == 1  # a second call would wait as long again
    assert LinuxProcesses().facts(pids[0]) is None
    assert took < 3


@pytest.mark.parametrize("call", CALLS)
def test_a_missing_tmux_is_unavailable(call: str):
    with pytest.raises(BackendUnavailable):
        CALLS[call](backend("/nowhere/s", tmux_bin="/nowhere/tmux"))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("error", ["protocol version mismatch", "lost server", "", "server exited"])
def test_a_tmux_that_fails_is_an_error_and_nothing_else(call: str, error: str, tmp_path: Path):
    with pytest.raises(BackendError) as caught:
        CALLS[call](backend("/s", tmux_bin=_saying(tmp_path, error)))
    assert type(caught.value) in (BackendError, BackendOutputError)


@pytest.mark.parametrize("call", ["listing", "look", "open", "paste", "enter", "focus", "close"])
@pytest.mark.parametrize("said", ["", "junk", "done done"])
def test_an_answer_that_is_none_is_never_read_as_one(call: str, said: str, tmp_path: Path):
    tmux = script(tmp_path / "tmux", f"printf %s {shlex.quote(said)}")
    with pytest.raises(BackendError):
        CALLS[call](backend("/s", tmux_bin=tmux))


def test_a_paste_that_fails_half_way_leaves_no_buffer(rig: TmuxRig, tmp_path: Path):
    """The first call loads the buffer and then fails; the backend takes it away again."""
    opened = pane(rig)
    real = shlex.quote(shutil.which("tmux") or "")
    tmux = script(
        tmp_path / "tmux",
        f'test "$4" = load-buffer || exec {real} "$@"',
        f'{real} -S "$3" load-buffer -b "$6" -',
        "exit 1",
    )
    with pytest.raises(BackendError):
        backend(rig.socket, tmux_bin=tmux).paste(guard_of(opened), b"private")
    assert rig.buffers() == ()


def test_a_silent_server_gets_no_late_paste(rig: TmuxRig):
    """A paste that timed out is not carried out when the server answers again."""
    opened = pane(rig)
    rig.freeze()
    with pytest.raises(BackendTimeout):
        rig.hasty.paste(guard_of(opened), b"late")
    rig.thaw()
    assert rig.received(opened) == b""
    assert rig.buffers() == ()


def test_libtmux_s_own_calls_are_bounded_too(rig: TmuxRig):
    opened = pane(rig)
    server = BoundedServer(rig.socket, environ=os.environ, deadline=0.3)
    answer = server.cmd("display-message", "-p", "#{pane_id}", target=opened.pane.pane_id)
    assert (answer.stdout, answer.returncode) == ([opened.pane.pane_id], 0)
    assert server.cmd("has-session", target="=none").stderr == ["can't find session: none"]
    rig.freeze()
    with pytest.raises(BackendTimeout):
        server.cmd("list-sessions")
    rig.thaw()
