"""How the MCP server ends: with its client, however that goes, and with every reply settled."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.agents.test_mcp_server import LISTEN, odd
from tests.belongings import is_alive
from tests.mcp_client import SERVER, RawClient
from tests.waiting import wait_for

SECONDS = 2.0
"""The promise; the machine's own share comes on top in a test."""

ROOT = Path(__file__).parents[2]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path


def _waiting(place: Path, *, modern: bool = False) -> tuple[RawClient, int]:
    """A client in the middle of a wait, and that call's id."""
    client = odd(place, modern=modern)
    client.open()
    waiting = client.begin("wait", name="a")
    wait_for((place / "a.began").exists)
    return client, waiting


def test_the_end_of_input_ends_it_in_the_middle_of_a_wait(place: Path):
    client, _ = _waiting(place)
    with client:
        assert client.close() == 0
        assert (place / "a.cancelled").exists()


def test_a_listening_client_gets_the_last_word_of_its_subscription():
    with RawClient(modern=True) as client:
        client.open()
        listening = client.ask("subscriptions/listen", LISTEN)
        wait_for(lambda: client.notified("notifications/subscriptions/acknowledged"))
        assert client.close() == 0
        assert "result" in client.answer(listening)


def test_nobody_reading_ends_it_though_the_input_stays_open(place: Path):
    argv = (sys.executable, "-m", "tests.agents.odd_server", str(place))
    reading, writing = os.pipe()
    with subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.PIPE, stdout=writing) as process:
        os.close(writing)
        os.close(reading)
        assert process.wait(10) == 0


def test_the_death_of_its_parent_ends_it_though_somebody_holds_its_pipes(place: Path):
    """The pipes stay open here: only the parent's end tells."""
    script = (
        "import subprocess, sys;"
        "child = subprocess.Popen(sys.argv[1:]); print(child.pid, file=sys.stderr, flush=True);"
        "child.wait()"
    )
    argv = [sys.executable, "-c", script, *SERVER]
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe) as parent:
        assert parent.stderr is not None
        server = psutil.Process(int(parent.stderr.readline()))
        # it watches once it serves
        assert parent.stdin is not None
        assert parent.stdout is not None
        parent.stdin.write(b"x\n")
        parent.stdin.flush()
        assert b"-32700" in parent.stdout.readline()
        parent.kill()
        wait_for(lambda: not is_alive(server), what="the server's end")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_it_in_order(place: Path, number: signal.Signals):
    client, _ = _waiting(place)
    with client:
        client.process.send_signal(number)
        assert client.process.wait(10) == 128 + number
        assert (place / "a.cancelled").exists()


def test_work_that_does_not_end_is_left_behind(place: Path):
    with odd(place) as client:
        client.open()
        client.begin("stubborn")
        wait_for((place / "stubborn.began").exists)
        assert client.close() == 0


def test_a_client_that_reads_nothing_can_not_hold_it_up(place: Path):
    argv = (sys.executable, "-m", "tests.agents.odd_server", str(place))
    call = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"large","arguments":'
    with subprocess.Popen(argv, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(
            b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":'
            b'"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n'
            b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
        )
        process.stdin.write(call % 1 + b'{"size":1000000}}}\n')
        process.stdin.close()
        assert process.wait(10) == 0
    assert not (place / "written-True").exists()


@pytest.mark.requirement("A64")
def test_a_reply_counts_as_handed_over_once_it_was_written_whole(place: Path):
    with odd(place) as client:
        client.open()
        client.call("large", size=1_000_000)
        wait_for((place / "written-True").exists)
        assert not (place / "written-False").exists()


def test_two_open_requests_of_one_id_are_never_taken_for_handed_over(place: Path):
    with odd(place) as client:
        client.open()
        wait = {"name": "wait", "arguments": {"name": "a"}}
        large = {"name": "large", "arguments": {"size": 1}}
        client.say({"jsonrpc": "2.0", "id": 900, "method": "tools/call", "params": wait})
        wait_for((place / "a.began").exists)
        client.say({"jsonrpc": "2.0", "id": 900, "method": "tools/call", "params": large})
        wait_for((place / "written-False").exists)
        assert not (place / "written-True").exists()
