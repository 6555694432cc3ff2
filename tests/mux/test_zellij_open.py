"""Opening panes in a real Zellij beside people who start sessions of their own."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from tests.mux.zellij_rig import ZellijRig
from tests.mux.zellij_world import World
from tests.waiting import wait_for
from tests.zellij import Zellij, private_zellij
from tongs_mux.errors import BackendError
from tongs_mux.process import identity, system_processes

EMPTY = (
    '[{"tab_id": 0, "is_sync_panes_active": false, '
    '"selectable_tiled_panes_count": 0, "selectable_floating_panes_count": 0}]'
)
"""What a session lists that is only starting: a tab without a pane."""

QUIET = "show_startup_tips false\nshow_release_notes false\n"
"""Settings of a person who has had Zellij for a while: no wizard, no window of news."""


@pytest.fixture
def zellij(short_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Zellij]:
    with private_zellij(short_dir, monkeypatch) as found:
        yield found


@pytest.fixture
def mux(zellij: Zellij, tmp_path: Path) -> World:
    return World(zellij, ZellijRig(zellij, tmp_path), tmp_path)


def on_a_terminal(mux: World, *words: str) -> None:
    """A person starts session `one`, and it is starting as this returns."""
    config = mux.directory / "person.kdl"
    config.write_text(QUIET, encoding="utf-8")
    zellij = (mux.zellij.program, "--config", str(config), "--session", "one", *words)
    mux.zellij.tmux(
        "new-session",
        "-d",
        "-x",
        "120",
        "-y",
        "40",
        "env",
        "-u",
        "TMUX",
        "-u",
        "TMUX_PANE",
        *zellij,
    )
    wait_for((mux.zellij.sockets / "contract_version_1/one").is_socket, what="its socket")


@pytest.mark.requirement("A88")
@pytest.mark.parametrize("_time", range(3))
def test_a_session_that_a_person_is_just_starting_is_opened_in_never_ended(mux: World, _time: int):
    on_a_terminal(mux)
    launch = mux.launch()
    (server,) = mux.zellij.servers()
    assert launch.opened.created_session is False
    assert launch.opened.server == identity(system_processes(), server.pid)
    assert len(mux.zellij.panes("one")) == 2, "their shell and our pane"
    assert launch.takes()


def test_a_session_without_a_pane_yet_is_waited_for(mux: World):
    """For a moment it lists nothing and nobody, as one of which nothing is left."""
    mux.start_raw("one")
    (server,) = mux.zellij.servers()
    calls = mux.directory / "calls"
    backend = mux.with_program(
        f'#!/bin/sh\n[ "$4" = list-tabs ] && echo x >>"{calls}" && '
        f'[ "$(wc -l <"{calls}")" -le 4 ] && {{ echo \'{EMPTY}\'; exit; }}\n'
        f'exec {mux.zellij.program} "$@"\n'
    )
    opened = backend.open(mux.rig.request())
    assert opened.created_session is False
    assert mux.zellij.servers() == [server]
    mux.rig.ready(opened)
    assert mux.claimed(opened).state() == "running"


def left_alone(mux: World) -> tuple[psutil.Process, psutil.Process]:
    """A person started session `one` and has left it; its server and its shell."""
    on_a_terminal(mux)
    server = mux.zellij.server("one")
    (shell,) = wait_for(server.children, what="their shell")
    wait_for(lambda: mux.zellij.clients("one"), what="their terminal")
    mux.zellij.tmux("kill-server")
    wait_for(lambda: not mux.zellij.clients("one"), what="their leaving")
    return server, shell


def test_an_empty_session_of_a_person_is_not_ended_and_that_is_said(mux: World):
    server, shell = left_alone(mux)
    shell.kill()
    wait_for(lambda: not mux.rig.backend.has_session("one"), what="an empty session")
    with pytest.raises(BackendError, match="nothing is left") as found:
        mux.rig.backend.open(mux.rig.request())
    assert "zellij kill-session one" in (found.value.hint or "")
    assert mux.zellij.servers() == [server]


def test_the_last_pane_does_not_take_a_persons_session_along(mux: World):
    server, shell = left_alone(mux)
    launch = mux.beside()
    shell.kill()
    wait_for(lambda: list(mux.zellij.panes("one")) == [launch.pane], what="the end of their shell")
    assert mux.rig.backend.close(launch.guard) == "done"
    assert launch.state() == "exited"
    assert mux.zellij.servers() == [server]


@pytest.mark.case("E6")
@pytest.mark.parametrize("kind", ["a shell", "a command"])
def test_a_session_that_a_person_starts_while_ours_starts_is_theirs(mux: World, kind: str):
    """Whoever has the name when ours comes late is neither taken for ours nor ended."""
    slow = mux.directory / "slow"
    backend = mux.with_program(
        "#!/bin/sh\nfor word do case $word in --new-session-with-layout)\n"
        f'touch "{slow}"; exec sleep 300 ;; esac; done\nexec {mux.zellij.program} "$@"\n'
    )
    plan = mux.directory / "person-layout.kdl"
    plan.write_text('layout { pane command="sleep" { args "300"; }; }', encoding="utf-8")
    with ThreadPoolExecutor(1) as pool:
        opening = pool.submit(backend.open, mux.rig.request())
        wait_for(slow.exists, what="our slow start")
        on_a_terminal(
            mux, *(("--new-session-with-layout", str(plan)) if kind == "a command" else ())
        )
        with pytest.raises(BackendError, match="at the same time") as found:
            opening.result()
    assert "call again" in (found.value.hint or "")
    server = mux.zellij.server("one")
    (theirs,) = wait_for(server.children, what="what they started")
    again = mux.launch()
    assert again.opened.created_session is False
    assert mux.zellij.servers() == [server]
    assert theirs.is_running()
    assert again.takes()


def test_a_start_that_is_given_up_ends_what_it_had_started(
    mux: World, monkeypatch: pytest.MonkeyPatch
):
    def given_up(*_: object) -> None:
        assert len(mux.zellij.servers()) == 1
        raise KeyboardInterrupt

    monkeypatch.setattr("tongs_mux.backends.zellij_open.Opening._first_pane", given_up)
    with pytest.raises(KeyboardInterrupt):
        mux.rig.backend.open(mux.rig.request())
    assert mux.zellij.servers() == []


def test_what_a_server_that_we_started_inherits_is_no_proof_for_another(mux: World):
    """A session that is started in a pane of ours has its environment, and is a person's."""
    launch = mux.launch()
    environ = psutil.Process(launch.opened.server.pid).environ()
    assert [name for name in environ if name.startswith("TONGS_AGENTS_")] == []
    doors = mux.rig.backend._sessions.doors
    served = mux.rig.backend._sessions.named("one")
    assert served is not None
    assert doors.was_started(served.door, served.server) is True
    mux.start_raw("two")
    other = mux.rig.backend._sessions.named("two")
    assert other is not None
    assert doors.was_started(other.door, other.server) is False
    assert doors.was_started(served.door, other.server) is False
