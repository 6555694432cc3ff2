"""What a test finds around it, and that the fixtures end what they gave out."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import psutil

from tests.belongings import end_servers_in, is_alive


def _server(*where: str) -> psutil.Process:
    argv = ["tmux", "-f", os.devnull, *where]
    subprocess.run([*argv, "new-session", "-d", "sleep 300"], check=True)
    pid = subprocess.check_output([*argv, "display-message", "-p", "#{pid}"])
    return psutil.Process(int(pid))


def test_nothing_of_the_caller_is_seen(world: Path, short_dir: Path):
    assert Path.home() == world
    assert list(world.iterdir()) == [world / "run"]
    assert os.environ["TMUX_TMPDIR"] == str(short_dir)
    assert not [name for name in os.environ if name.startswith(("TMUX_PANE", "TONGS_AGENTS"))]


def test_a_stopped_server_is_ended(short_dir: Path, tmux_socket: str):
    server = _server("-S", tmux_socket)
    server.suspend()
    end_servers_in(short_dir)
    assert not is_alive(server)


def test_a_server_without_its_socket_file_is_ended(short_dir: Path, tmux_socket: str):
    server = _server("-S", tmux_socket)
    Path(tmux_socket).unlink()
    end_servers_in(short_dir)
    assert not is_alive(server)


def test_a_server_under_a_name_is_private_too_and_ended(short_dir: Path):
    server = _server("-L", "tongs-agents")
    assert (short_dir / f"tmux-{os.getuid()}" / "tongs-agents").is_socket()
    end_servers_in(short_dir)
    assert not is_alive(server)


def test_another_directorys_server_is_left_alone(short_dir: Path, tmux_socket: str, tmp_path: Path):
    server = _server("-S", tmux_socket)
    end_servers_in(tmp_path)
    assert is_alive(server)
