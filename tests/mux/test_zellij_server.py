"""Finding a session's server by its socket; the servers here are sockets of the test's own."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tongs_mux.backends.unix_listeners import Listener, listeners
from tongs_mux.backends.zellij_server import (
    LONGEST_PATH,
    Served,
    Sessions,
    is_session_name,
    socket_base,
)
from tongs_mux.errors import BackendError, BackendOutputError
from tongs_mux.testing import FakeProcesses


class Place:
    """A socket directory, and this very process as the server of what listens there."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.processes = FakeProcesses()
        self.processes.start("zellij", "--server", "path", pid=os.getpid())
        self.sessions = self.fresh()

    def fresh(self) -> Sessions:
        """Another process's view: nothing is remembered but what lies in the directory."""
        return Sessions({"ZELLIJ_SOCKET_DIR": str(self.base)}, self.processes, starting=0.0)

    def path(self, name: str, contract: int = 1) -> Path:
        return self.base / f"contract_version_{contract}" / name

    @contextmanager
    def serving(self, name: str, contract: int = 1) -> Iterator[socket.socket]:
        path = self.path(name, contract)
        path.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
            server.listen()
            yield server

    def ours(self, found: Served | None) -> bool:
        return found is not None and found.server == self.processes.identity(os.getpid())


@pytest.fixture
def place(short_dir: Path) -> Place:
    return Place(short_dir / "zellij")


def inode_behind(door: str) -> int:
    (link,) = Path(door).glob("contract_version_*/s")
    return os.lstat(link).st_ino


def test_where_nothing_is_no_session_is(place: Place):
    assert place.sessions.find("one") is None
    assert not place.base.exists()


def test_a_session_is_found_and_its_door_leads_to_its_socket_alone(place: Place):
    with place.serving("one"), place.serving("two"):
        found = place.sessions.named("one")
        assert place.ours(found)
        assert found is not None
        assert inode_behind(found.door) == os.lstat(place.path("one")).st_ino
        assert os.listdir(f"{found.door}/contract_version_1") == ["s"]
        assert os.stat(found.door).st_mode & 0o077 == 0


def test_each_server_has_a_door_of_its_own(place: Place):
    """Whoever has one open is led to its server, whatever is opened beside it meanwhile."""
    with place.serving("one"):
        first = place.sessions.named("one")
        place.path("one").rename(place.path("two"))
        with place.serving("one"):
            second = place.sessions.named("one")
            assert first is not None
            assert second is not None
            assert first.door != second.door
            assert inode_behind(first.door) == os.lstat(place.path("two")).st_ino
            assert inode_behind(second.door) == os.lstat(place.path("one")).st_ino


def test_the_door_of_a_server_that_ended_is_gone_with_the_next(place: Place):
    with place.serving("one"):
        first = place.sessions.named("one")
    with place.serving("one"):
        second = place.sessions.named("one")
    assert first is not None
    assert second is not None
    assert not Path(first.door).exists()
    assert Path(second.door).exists()


@pytest.mark.parametrize("below", ["", "*", "*/*_1"], ids=["all", "door", "protocol"])
def test_a_place_that_others_can_enter_is_refused_each_time(place: Place, below: str):
    with place.serving("one"):
        assert place.ours(place.sessions.named("one"))
        (opened,) = place.base.glob(f".tongs/{below}") if below else [place.base / ".tongs"]
        opened.chmod(0o755)
        with pytest.raises(BackendError, match="open to others"):
            place.sessions.named("one")
        opened.chmod(0o700)
        opened.rename(place.base / "aside")
        opened.symlink_to(place.base / "aside")
        with pytest.raises(BackendError, match="symbolic link"):
            place.sessions.named("one")


def test_a_session_in_which_nothing_runs_yet_is_waited_for(place: Place):
    """Its server dies of whoever connects and leaves before its first program runs."""
    asked: list[int] = []

    class Late(FakeProcesses):
        def pids(self) -> tuple[int, ...]:
            asked.append(0)
            if len(asked) == 5:
                self.start("sh", ppid=os.getpid())
            return super().pids()

    place.processes = Late()
    place.processes.start("zellij", "--server", "path", pid=os.getpid())
    patient = Sessions({"ZELLIJ_SOCKET_DIR": str(place.base)}, place.processes, starting=600.0)
    with place.serving("one"):
        assert place.ours(patient.named("one"))
        assert len(asked) >= 5
        assert place.ours(patient.named("one")), "known by now"


@pytest.mark.parametrize(
    "name", ["", " ", ".", "..", "a/b", "../one", "/", "a\0b", "on", "one:", "o*"]
)
def test_only_the_whole_name_is_a_session(place: Place, name: str):
    with place.serving("one"):
        assert place.sessions.named(name) is None
        assert place.sessions.find(name) is None


def test_the_newest_protocol_is_asked_first(place: Place):
    with place.serving("one", 2), place.serving("one", 10):
        found = place.sessions.named("one")
        assert found is not None
        assert inode_behind(found.door) == os.lstat(place.path("one", 10)).st_ino


def test_a_socket_that_nobody_listens_on_is_no_session(place: Place):
    with place.serving("one"):
        assert place.ours(place.sessions.find("one"))
    assert place.path("one").exists()
    assert place.sessions.find("one") is None
    assert not list(place.base.glob(".tongs/*/*/s")), "its link is gone as well"


def test_a_renamed_session_is_found_by_the_name_it_had(place: Place):
    with place.serving("one"):
        place.sessions.find("one")
        place.path("one").rename(place.path("two"))
        again = place.fresh()
        assert again.named("one") is None
        assert place.ours(again.find("one"))
        assert place.ours(again.named("two"))


def test_a_session_whose_socket_file_was_removed_is_found(place: Place):
    with place.serving("one"):
        place.sessions.find("one")
        place.path("one").unlink()
        assert place.ours(place.fresh().find("one"))


def test_another_session_under_the_old_name_is_what_the_name_means(place: Place):
    with place.serving("one"):
        place.sessions.find("one")
        place.path("one").rename(place.path("two"))
        with place.serving("one"):
            found = place.fresh().find("one")
            assert found is not None
            assert inode_behind(found.door) == os.lstat(place.path("one")).st_ino


def test_a_socket_of_the_same_number_elsewhere_is_another(place: Place, short_dir: Path):
    """An inode's number is only one file system's: the directory is compared as well."""
    with place.serving("one"):
        inode = os.lstat(place.path("one")).st_ino

    def elsewhere() -> tuple[Listener, ...]:
        return (Listener(5, str(short_dir / "elsewhere" / "one"), inode & 0xFFFFFFFF),)

    environ = {"ZELLIJ_SOCKET_DIR": str(place.base)}
    assert Sessions(environ, place.processes, listening=elsewhere).named("one") is None


def test_a_listener_that_is_no_server_of_ours_is_not_taken_for_one(place: Place):
    place.processes = FakeProcesses()
    place.processes.start("python", "nothing", pid=os.getpid())
    with place.serving("one"), pytest.raises(BackendOutputError):
        place.fresh().named("one")


def test_a_child_that_holds_its_parents_socket_is_not_the_server(place: Place):
    """Between fork and exec it looks the same."""
    with place.serving("one") as server:
        server.set_inheritable(True)
        child = os.posix_spawn("/bin/sleep", ["sleep", "60"], {})
        try:
            place.processes.start("zellij", "--server", "path", pid=child, ppid=os.getpid())
            assert place.ours(place.fresh().named("one"))
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def test_a_door_that_others_can_open_is_refused(place: Place):
    with place.serving("one"):
        place.sessions.named("one")
        (place.base / ".tongs").chmod(0o755)
        place.path("one").rename(place.path("two"))
        with pytest.raises(BackendError, match="no door"):
            place.sessions.named("two")


# -- names and places


@pytest.mark.case("E10")
def test_a_name_that_makes_the_path_too_long_is_refused_with_both_numbers(place: Place):
    room = LONGEST_PATH - len(str(place.base / "contract_version_1")) - 1
    assert place.sessions.socket_of("x" * room)
    with pytest.raises(BackendError) as raised:
        place.sessions.socket_of("x" * (room + 1))
    assert f"{LONGEST_PATH + 1} bytes, {LONGEST_PATH} are possible" in raised.value.message
    with pytest.raises(BackendError):
        place.sessions.socket_of("項" * (room // 3 + 1))


@pytest.mark.case("E10")
def test_a_directory_that_leaves_no_room_for_a_door_is_refused(short_dir: Path):
    base = short_dir / ("d" * (LONGEST_PATH - len(str(short_dir)) - 25))
    with pytest.raises(BackendError, match=r"\.tongs"):
        Place(base).sessions.socket_of("x")


@pytest.mark.parametrize("name", ["", "  ", ".", "..", "a/b", "a\0"])
def test_what_can_be_no_name_is_refused(place: Place, name: str):
    assert not is_session_name(name)
    with pytest.raises(BackendError):
        place.sessions.socket_of(name)


def test_where_zellij_has_its_sockets():
    everything = {"ZELLIJ_SOCKET_DIR": "/s", "XDG_RUNTIME_DIR": "/run/u", "TMPDIR": "/t"}
    assert socket_base(everything, 7) == Path("/s")
    del everything["ZELLIJ_SOCKET_DIR"]
    assert socket_base(everything, 7) == Path("/run/u/zellij")
    del everything["XDG_RUNTIME_DIR"]
    assert socket_base(everything, 7) == Path("/t/zellij-7")
    assert socket_base({"XDG_RUNTIME_DIR": "relative"}, 7) == Path("/tmp/zellij-7")
    with pytest.raises(BackendError):
        socket_base({"ZELLIJ_SOCKET_DIR": "relative"}, 7)


def test_a_listing_costs_no_connection(place: Place):
    with place.serving("one") as server:
        for _ in range(3):
            place.fresh().find("one")
        assert any(it.bound == str(place.path("one")) for it in listeners())
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
