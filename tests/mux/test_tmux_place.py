"""A tmux socket that is, or could become, somebody else's is never spoken to."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tongs_mux.backend import OpenRequest
from tongs_mux.backends.tmux import TmuxBackend
from tongs_mux.backends.tmux_place import check_socket
from tongs_mux.errors import SocketRefused
from tongs_mux.process import system_processes

NOBODY = 65534
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can hand a file to another")


@pytest.fixture
def listener(short_dir: Path) -> Iterator[socket.socket]:
    """Somebody who listens on ``short_dir/d/s`` and takes whatever comes."""
    (short_dir / "d").mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(short_dir / "d" / "s"))
        server.listen()
        server.setblocking(False)
        yield server


def _link(directory: Path) -> None:
    (directory / "s").rename(directory / "other")
    (directory / "s").symlink_to(directory / "other")


SPOILED: dict[str, Callable[[Path], object]] = {
    "a link": _link,
    "a directory open to all": lambda it: it.chmod(0o777),
    "a directory open to its group": lambda it: it.chmod(0o770),
    "a place above open to all": lambda it: it.parent.chmod(0o777),
}
FOREIGN: dict[str, Callable[[Path], object]] = {
    "another's socket": lambda it: os.chown(it / "s", NOBODY, -1),
    "another's directory": lambda it: os.chown(it, NOBODY, -1),
    "another's place above": lambda it: os.chown(it.parent, NOBODY, -1),
}
REFUSED = [
    *(pytest.param(spoil, id=name) for name, spoil in SPOILED.items()),
    *(pytest.param(spoil, id=name, marks=root_only) for name, spoil in FOREIGN.items()),
]


@pytest.mark.parametrize("spoil", REFUSED)
def test_nothing_is_said_to_it(
    spoil: Callable[[Path], object], listener: socket.socket, short_dir: Path
):
    path = str(short_dir / "d" / "s")
    spoil(short_dir / "d")
    backend = TmuxBackend(path, processes=system_processes(), environ=dict(os.environ))
    request = OpenRequest("one", ("cat",), "/", "n", True, {"SECRET": "x"})
    calls = (backend.listing, lambda: backend.look("%0"), lambda: backend.open(request))
    for call in calls:
        with pytest.raises(SocketRefused) as caught:
            call()
        assert (caught.value.reason, path in caught.value.message) == ("unknown-place", True)
    with pytest.raises(BlockingIOError):
        listener.accept()


def test_one_s_own_is_used_also_in_a_shared_temporary_folder(
    listener: socket.socket, short_dir: Path
):
    check_socket(str(short_dir / "d" / "s"))
    (short_dir / "d").chmod(0o1777)
    check_socket(str(short_dir / "d" / "s"))
    (short_dir / "d").chmod(0o755)
    check_socket(str(short_dir / "d" / "s"))


def test_where_none_is_yet_there_is_nothing_to_refuse(short_dir: Path):
    check_socket(str(short_dir / "s"))
    check_socket(str(short_dir / "none" / "s"))


def test_a_file_is_never_replaced_by_a_socket(short_dir: Path):
    """tmux would remove it to listen there."""
    file = short_dir / "notes.txt"
    file.write_text("mine", encoding="utf-8")
    backend = TmuxBackend(str(file), processes=system_processes(), environ=dict(os.environ))
    with pytest.raises(SocketRefused, match="no socket"):
        backend.open(OpenRequest("one", ("cat",), "/", "n", True))
    assert file.read_text(encoding="utf-8") == "mine"
