"""State of a real Zellij -> verdict: the table of docs/reference/zellij.md, a test a row."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.belongings import end_processes
from tests.mux.zellij_rig import ZellijRig
from tests.mux.zellij_world import World, check_of
from tests.waiting import wait_for
from tests.zellij import Zellij, private_zellij
from tongs_mux.backends.zellij import ZellijBackend
from tongs_mux.backends.zellij_cli import DEADLINE
from tongs_mux.backends.zellij_server import Sessions
from tongs_mux.errors import BackendError, BackendOutputError
from tongs_mux.model import PaneRef
from tongs_mux.process import identity, system_processes
from tongs_mux.testing import FakeProcesses
from tongs_mux.testing.rig import guard_of

SLACK = 4.0
"""Seconds over a deadline that a loaded machine may need to come back."""


@pytest.fixture
def zellij(short_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Zellij]:
    with private_zellij(short_dir, monkeypatch) as found:
        yield found


@pytest.fixture
def mux(zellij: Zellij, tmp_path: Path) -> World:
    return World(zellij, ZellijRig(zellij, tmp_path), tmp_path)


# -- where it runs, whatever it looks like


def test_detached_session_is_running(mux: World):
    launch = mux.launch()
    assert mux.zellij.clients("one") == {}
    assert launch.state() == "running"
    assert launch.takes()


def test_attached_client_is_running(mux: World):
    launch = mux.launch()
    client = mux.zellij.attach("one")
    assert launch.state() == "running"
    assert launch.takes()
    assert client.shows() == launch.pane


_DRAWS = """
import os, signal, sys, time
def draw(*_):
    rows = os.get_terminal_size().lines
    body = "".join(f"\\x1b[{row};1Hrow {row}" for row in range(1, rows + 1))
    sys.stdout.write("\\x1b[H\\x1b[J" + body)
    sys.stdout.flush()
signal.signal(signal.SIGWINCH, draw)
sys.stdout.write("\\x1b[?1049h")
draw()
while True:
    time.sleep(60)
"""
"""Fills the alternate screen, row by row, whenever its size changes."""


def test_a_pane_that_became_lower_is_read_as_it_is_seen(mux: World):
    request = replace(mux.rig.request(), argv=(sys.executable, "-c", _DRAWS))
    opened = mux.rig.backend.open(request)

    def as_drawn() -> bool:
        look = mux.rig.backend.look(opened.pane.pane_id)
        assert look is not None
        assert look.pane is not None
        rows = [line.rstrip() for line in look.screen.lines]
        return rows == [f"row {row}" for row in range(1, look.pane.height + 1)]

    wait_for(as_drawn, what="its rows")
    high = mux.zellij.panes("one")[opened.pane.pane_id]["pane_content_rows"]
    for _ in range(2):
        mux.rig.backend.open(mux.rig.request())
    low = wait_for(
        lambda: mux.zellij.panes("one")[opened.pane.pane_id]["pane_content_rows"], what="its rows"
    )
    assert low < high
    wait_for(as_drawn, what="its rows, in fewer")


def test_two_clients_are_running_and_only_the_one_used_last_is_moved(mux: World):
    first, second = mux.launch(), mux.launch()
    idle, used = mux.zellij.attach("one"), mux.zellij.attach("one")
    mux.rig.adopt(idle, used)
    mux.rig.use(used.name)
    assert first.state() == second.state() == "running"
    before = idle.shows()
    other = second if used.shows() == first.pane else first
    assert mux.rig.backend.focus(other.guard) == ("done", used.name)
    assert (used.shows(), idle.shows()) == (other.pane, before)
    assert mux.rig.backend.focused() == {other.pane, before}


def test_a_client_that_has_not_typed_yet_is_moved_as_well(mux: World):
    launches = [mux.launch() for _ in range(4)]
    client = mux.zellij.attach("one")
    for launch in (launches[2], launches[0], launches[0]):
        assert mux.rig.backend.focus(launch.guard) == ("done", client.name)
        assert client.shows() == launch.pane


def test_a_pane_in_another_tab_is_shown(mux: World):
    front = mux.launch()
    client = mux.zellij.attach("one")
    mux.zellij.action("one", "new-tab")
    wait_for(lambda: client.shows() != front.pane, what="the new tab")
    assert mux.zellij.panes("one")[client.shows()]["terminal_command"] is None, "a shell"
    assert mux.rig.backend.focus(front.guard) == ("done", client.name)
    assert client.shows() == front.pane


def test_floating_pane_is_running(mux: World):
    mux.launch()
    launch = mux.beside("--floating")
    assert mux.zellij.panes("one")[launch.pane]["is_floating"]
    assert launch.state() == "running"
    assert launch.takes()


def test_stacked_pane_is_running_and_has_no_screen_to_read(mux: World):
    launch = mux.launch()
    above = mux.launch()
    mux.zellij.action("one", "stack-panes", "--", launch.pane, above.pane)

    def folded_away() -> list[str]:
        panes = mux.zellij.panes("one").items()
        return [it for it, facts in panes if facts["pane_rows"] == 1]

    (pane,) = wait_for(folded_away, what="a folded pane")
    folded = launch if pane == launch.pane else above
    assert folded.state() == "running"
    look = mux.rig.backend.look(folded.pane)
    assert look is not None
    assert len(look.screen.lines) <= 1
    assert folded.takes()


def test_suppressed_pane_is_running_and_takes_nothing(mux: World):
    """Zellij loses what is sent to it, with status 0; so it counts as a mode."""
    if not mux.rig.has("copy-mode"):
        pytest.skip("before 0.45 a pane can't be replaced from outside")
    launch = mux.launch()
    mux.rig.enter_mode(launch.opened)
    assert mux.zellij.panes("one")[launch.pane]["is_suppressed"]
    assert launch.state() == "running"
    backend = mux.rig.backend
    assert (backend.paste(launch.guard, b"in"), backend.enter(launch.guard)) == ("held", "held")
    mux.rig._leave_mode(launch.opened)
    assert launch.takes()


def test_renamed_session_is_running(mux: World):
    launch = mux.launch()
    mux.zellij.action("one", "rename-session", "two")
    wait_for((mux.zellij.sockets / "contract_version_1/two").exists, what="its new name")
    assert launch.state() == "running"
    assert mux.rig.backend.paste(launch.guard, b"in") == "done"
    assert mux.rig.backend.has_session("one") is False
    assert mux.rig.backend.has_session("two") is True


def test_renamed_session_whose_old_name_is_taken_is_replaced_never_the_stranger(mux: World):
    launch = mux.launch()
    mux.zellij.action("one", "rename-session", "two")
    wait_for((mux.zellij.sockets / "contract_version_1/two").exists, what="its new name")
    beside = mux.rig.backend.open(mux.rig.request())
    assert (beside.created_session, beside.server) == (False, launch.opened.server)
    mux.start_raw("one")
    wait_for(lambda: mux.zellij.panes("one"), what="the stranger's pane")
    assert launch.state() == "replaced"
    assert mux.rig.backend.paste(launch.guard, b"in") == "held"


# -- what is read of it


def test_a_scrolled_pane_shows_what_it_was_scrolled_to(mux: World):
    """Zellij shows the rest to nobody: what stands below is not on the screen that is read."""
    launch = mux.launch()
    mux.rig.show(launch.opened, *(f"line {number}" for number in range(300)))
    mux.zellij.action("one", "page-scroll-up", "--pane-id", launch.pane)
    wait_for(lambda: "line 299" not in mux.zellij.screen("one", launch.pane), what="its scrolling")
    look = mux.rig.backend.look(launch.pane)
    assert look is not None
    assert "line 299" not in look.screen.lines
    assert mux.rig.backend.paste(replace(launch.guard, steady=("^line 299$",)), b"in") == "held"
    assert launch.takes()


@pytest.mark.parametrize("beside", [0, 1], ids=["alone", "framed"])
def test_wrapped_lines_are_rows_and_the_cursor_is_in_the_last(mux: World, beside: int):
    """Zellij's dump joins them; what reads a composer by its cursor needs them apart."""
    launch, *_ = [mux.launch() for _ in range(1 + beside)]
    mux.rig.show(
        launch.opened, *(f"line {number}" for number in range(300)), "x" * 700 + "項目", "end"
    )
    look = mux.rig.backend.look(launch.pane)
    assert look is not None
    assert look.pane is not None
    lines, width = look.screen.lines, look.pane.width
    assert len(lines) == look.pane.height
    assert [len(line) for line in lines[-4:]] == [width, width, 702 - 2 * width, 3]
    assert look.pane.cursor == (3, look.pane.height - 1)


# -- where it does not


def test_exited_and_held_pane_is_exited_and_never_started_again(mux: World):
    """Enter in a held pane would run its command a second time (A84)."""
    mux.launch()
    launch = mux.beside()
    psutil.Process(launch.pid).kill()
    wait_for(lambda: mux.zellij.panes("one")[launch.pane]["is_held"], what="a held pane")
    assert launch.state() == "exited"
    backend = mux.rig.backend
    assert (backend.paste(launch.guard, b"in"), backend.enter(launch.guard)) == ("held", "held")
    assert mux.zellij.panes("one")[launch.pane]["is_held"]
    assert backend.close(launch.guard) == "done"
    assert launch.pane not in mux.zellij.panes("one")


def test_closed_pane_is_exited_and_the_server_stays(mux: World):
    launch, other = mux.launch(), mux.launch()
    assert mux.rig.backend.close(launch.guard) == "done"
    wait_for(lambda: launch.state() == "exited", what="the end of its program")
    assert other.state() == "running"
    assert mux.rig.backend.paste(launch.guard, b"in") == "held"


def test_killed_session_is_exited(mux: World):
    launch = mux.launch()
    mux.zellij.kill("one")
    assert mux.rig.backend.listing() is None
    assert launch.state() == "exited"
    assert check_of(launch.verdict(), "server") is False


def test_killed_server_is_exited(mux: World):
    """SIGKILL leaves the socket file and, behind the door, its link."""
    launch = mux.launch()
    server = mux.zellij.server("one")
    programs = server.children(recursive=True)
    end_processes([server, *programs])
    assert (mux.zellij.sockets / "contract_version_1/one").exists()
    assert mux.rig.backend.listing() is None
    assert launch.state() == "exited"


def test_session_after_another_of_its_name_is_replaced(mux: World):
    launch = mux.launch()
    mux.rig.end_server()
    again = mux.launch()
    assert again.pane == launch.pane
    assert (launch.state(), again.state()) == ("replaced", "running")


def test_serialized_session_is_exited_and_stays_so(mux: World):
    """Serialized, it waits to be attached to; nothing of ours ever does."""
    mux.start_raw("one")
    launch = mux.beside()
    mux.zellij.action("one", "save-session")
    saved = "**/session_info/one/session-layout.kdl"
    wait_for(lambda: list(Path.home().glob(saved)), what="a saved session")
    mux.zellij.kill("one")
    assert "EXITED" in mux.zellij.run("list-sessions", "--no-formatting")
    backend = mux.rig.backend
    assert launch.state() == "exited"
    assert (backend.listing(), backend.look(launch.pane)) == (None, None)
    assert backend.has_session("one") is False
    assert backend.paste(launch.guard, b"in") == "held"
    with pytest.raises(BackendError, match="dead"):
        backend.open(mux.rig.request())
    assert mux.zellij.servers() == []
    assert "EXITED" in mux.zellij.run("list-sessions", "--no-formatting")


# -- where nothing is known


def test_stopped_server_is_unknown_within_the_deadline(mux: World):
    launch = mux.launch()
    mux.rig.freeze()
    begun = time.monotonic()
    state = launch.verdict(mux.rig.hasty).state
    took = time.monotonic() - begun
    mux.rig.thaw()
    assert state == "unknown"
    assert took < mux.rig.deadline + SLACK
    assert launch.state() == "running"


def test_an_answer_of_nothing_with_status_0_is_unknown(mux: World, tmp_path: Path):
    launch = mux.launch()
    backend = mux.with_program("#!/bin/sh\nexit 0\n")
    begun = time.monotonic()
    assert launch.verdict(backend).state == "unknown"
    assert time.monotonic() - begun < DEADLINE + SLACK
    with pytest.raises(BackendOutputError, match="nothing"):
        backend.listing()


def test_another_session_that_hangs_is_no_hindrance(mux: World):
    """Zellij's own commands ask every session first, and would hang with it."""
    launch = mux.launch()
    mux.start_raw("hanging")
    server = mux.zellij.server("hanging")
    server.suspend()
    try:
        assert launch.state() == "running"
    finally:
        server.resume()


def test_a_session_that_is_starting_is_not_spoken_to(mux: World, monkeypatch):
    """Its server would die of a client that connects and leaves."""
    path = mux.zellij.sockets / "contract_version_1" / "one"
    path.parent.mkdir(parents=True)
    processes = FakeProcesses()
    processes.start("zellij", "--server", str(path), pid=os.getpid())
    with socket.socket(socket.AF_UNIX) as starting:
        starting.bind(str(path))
        starting.listen()
        found = Sessions(dict(os.environ), processes, starting=0.0).named("one")
        assert found is not None
        assert found.server == processes.identity(os.getpid())
        starting.setblocking(False)
        with pytest.raises(BlockingIOError):
            starting.accept()


# -- whose it is not


def test_a_process_that_names_another_pane_is_replaced(mux: World):
    one, other = mux.launch(), mux.launch()
    claim = replace(other.claim, pane_id=one.pane)
    mixed = replace(one, record=replace(one.record, claim=claim))
    assert check_of(mixed.verdict(), "pane-process") is False
    assert mixed.state() == "replaced"


def test_a_process_that_is_not_the_servers_child_is_replaced(mux: World):
    launch = mux.launch()
    environ = {**os.environ, "ZELLIJ_PANE_ID": launch.pane.removeprefix("terminal_")}
    with subprocess.Popen(["sleep", "300"], env=environ) as impostor:
        who = identity(system_processes(), impostor.pid)
        assert who is not None
        claim = replace(launch.claim, process=who)
        found = replace(launch, record=replace(launch.record, claim=claim)).verdict()
        impostor.kill()
    assert check_of(found, "pane-process") is True
    assert check_of(found, "tree") is False
    assert found.state == "replaced"


def test_a_process_that_names_no_pane_is_unknown(mux: World):
    launch = mux.launch()
    ours = identity(system_processes(), os.getpid())
    assert ours is not None
    claim = replace(launch.claim, process=ours)
    found = replace(launch, record=replace(launch.record, claim=claim)).verdict()
    assert check_of(found, "pane-process") is None
    assert found.state != "running"


# -- what the kit asks of two sessions of one server


def test_sessions_are_servers_of_their_own(mux: World):
    """Both begin their ids anew, one name begins the other's, and each is only itself (C4)."""
    one = mux.launch()
    longer = ZellijBackend("one-more", processes=system_processes(), environ=dict(os.environ))
    opened = longer.open(replace(mux.rig.request(), session="one-more"))
    assert opened.created_session is True
    assert opened.pane == PaneRef("zellij", "one-more", one.pane, str(mux.zellij.sockets))
    assert opened.server != one.opened.server
    listing = longer.listing()
    assert listing is not None
    assert listing.panes.keys() == {one.pane}
    assert mux.rig.backend.paste(guard_of(opened), b"in") == "held"
    assert longer.paste(one.guard, b"in") == "held"
    assert longer.close(guard_of(opened)) == "done"
    assert longer.listing() is None
    assert one.state() == "running"


def test_the_last_pane_takes_its_session_along(mux: World):
    """Else Zellij keeps an empty one, in which new panes come to nothing (E12)."""
    launch = mux.launch()
    assert mux.rig.backend.close(launch.guard) == "done"
    assert mux.rig.backend.listing() is None
    assert mux.zellij.servers() == []


def test_a_session_whose_last_program_ended_is_replaced_by_a_new_one(mux: World):
    launch = mux.launch()
    server = launch.opened.server
    psutil.Process(launch.pid).kill()
    wait_for(lambda: launch.state() == "exited", what="its end")
    wait_for(lambda: not mux.rig.backend.has_session("one"), what="an empty session")
    again = mux.launch()
    assert again.opened.created_session is True
    assert again.opened.server != server
    assert again.takes()


def test_a_session_that_we_start_has_room_for_many(mux: World):
    launches = [mux.launch() for _ in range(8)]
    listing = mux.rig.backend.listing()
    assert listing is not None
    sizes = [(facts.width, facts.height) for facts in listing.panes.values()]
    assert len(sizes) == len(launches)
    assert min(width for width, _ in sizes) >= 74
    assert min(height for _, height in sizes) >= 20


@pytest.mark.case("E6")
def test_a_session_that_starts_without_our_pane_is_ended_again(mux: World):
    """A layout that Zellij can't read it passes over in silence, and opens a shell."""
    backend = mux.with_program(
        "#!/bin/sh\nskip=\nfor word do shift\n"
        'case $word in --new-session-with-layout) skip=1 ;; *) [ "$skip" ] || set -- "$@" "$word"\n'
        f'skip= ;; esac\ndone\nexec {mux.zellij.program} "$@"\n'
    )
    with pytest.raises(BackendOutputError, match="without the pane"):
        backend.open(mux.rig.request())
    wait_for(lambda: not mux.zellij.servers(), what="its end")


@pytest.mark.parametrize("said", ["terminal_0", "terminal_99", "", "[]"])
def test_a_pane_that_was_opened_is_known_by_its_command_whatever_was_said(mux: World, said: str):
    """The answer can be another caller's, and another's pane may be new too."""
    mux.launch()
    beside = mux.directory / "beside"
    backend = mux.with_program(
        f'#!/bin/sh\n[ "$4" = new-pane ] || exec {mux.zellij.program} "$@"\n'
        f'{mux.zellij.program} --session "$2" action new-pane -- sleep 300 >"{beside}"\n'
        f'{mux.zellij.program} "$@" >/dev/null && printf %s "{said}"\n'
    )
    opened = backend.open(mux.rig.request())
    mux.rig.ready(opened)
    assert opened.pane.pane_id != beside.read_text(encoding="ascii").strip()
    assert mux.claimed(opened).state() == "running"


def test_a_step_to_a_pane_that_is_carried_out_late_is_not_followed_by_another(mux: World):
    first, second = mux.launch(), mux.launch()
    client = mux.zellij.attach("one")
    mux.rig.adopt(client)
    mux.rig.use(client.name)
    other = second if client.shows() == first.pane else first
    calls = mux.directory / "calls"
    backend = mux.with_program(
        f'#!/bin/sh\necho "$4" >>"{calls}"\n'
        f'[ "$4" = focus-pane-id ] || exec {mux.zellij.program} "$@"\n'
        f'{{ sleep 0.1; exec {mux.zellij.program} "$@"; }} >"{mux.directory}/late" 2>&1 &\n'
    )
    assert backend.focus(other.guard) == ("done", client.name)
    assert client.shows() == other.pane
    done = set(calls.read_text(encoding="utf-8").split())
    assert done - {"list-panes", "list-tabs", "list-clients"} == {"focus-pane-id"}


@pytest.mark.case("C11")
def test_parallel_opens_are_panes_of_their_own(mux: World):
    first = mux.launch()
    with ThreadPoolExecutor(3) as pool:
        opened = list(pool.map(lambda _: mux.rig.backend.open(mux.rig.request()), range(3)))
    for it in opened:
        mux.rig.ready(it)
    assert len({first.pane, *(it.pane.pane_id for it in opened)}) == 4


def test_every_row_of_the_page_is_a_test_here():
    page = Path(__file__).parents[2] / "docs" / "reference" / "zellij.md"
    rows = re.findall(r"`(test_\w+)` \|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) == 20
    assert [row for row in rows if row not in globals()] == []
