"""The kernel's word on who listens where: against sockets that this process opens."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tongs_mux.backends import unix_listeners
from tongs_mux.backends.unix_listeners import Listener, listeners
from tongs_mux.errors import BackendError, BackendUnavailable


def found(path: Path) -> list[Listener]:
    return [it for it in listeners() if it.bound == str(path)]


def test_a_listening_socket_is_found_and_one_that_is_only_bound_is_not(short_dir: Path):
    path = short_dir / "a"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        assert found(path) == []
        server.listen()
        (one,) = found(path)
        assert one.inode == os.fstat(server.fileno()).st_ino
        assert one.file_inode == os.lstat(path).st_ino & 0xFFFFFFFF
    assert found(path) == []


def test_a_renamed_socket_keeps_the_name_that_it_was_bound_to(short_dir: Path):
    path, moved = short_dir / "a", short_dir / "b"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen()
        path.rename(moved)
        (one,) = found(path)
        assert one.file_inode == os.lstat(moved).st_ino & 0xFFFFFFFF


def test_sockets_without_a_file_are_left_out():
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0tongs-test-abstract")
        server.listen()
        assert not any("tongs-test-abstract" in it.bound for it in listeners())


def test_many_listeners_are_all_found(short_dir: Path):
    """More than one answer of the kernel holds."""
    servers = []
    try:
        for number in range(300):
            server = socket.socket(socket.AF_UNIX)
            servers.append(server)
            server.bind(str(short_dir / f"{number}"))
            server.listen()
        names = {it.bound for it in listeners()}
        assert {str(short_dir / f"{number}") for number in range(300)} <= names
    finally:
        for server in servers:
            server.close()


def test_a_system_that_can_not_be_asked_is_unsupported(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delattr(socket, "AF_NETLINK")
    with pytest.raises(BackendUnavailable) as raised:
        listeners()
    assert raised.value.reason == "unsupported"


def test_a_no_of_the_kernel_is_an_error(monkeypatch: pytest.MonkeyPatch):
    refusal = (20).to_bytes(4, "little") + (2).to_bytes(2, "little") + bytes(10)
    code = (-1).to_bytes(4, "little", signed=True)
    monkeypatch.setattr(unix_listeners, "_dump", lambda: iter([refusal + code]))
    with pytest.raises(BackendError, match="not permitted"):
        listeners()
