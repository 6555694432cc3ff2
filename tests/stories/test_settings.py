"""A person's own tmux.conf and sockets: nothing of it makes us say what is not so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.agents.cli_rig import Cli
from tests.stories.rig import Rig, failed, pasted
from tests.waiting import wait_for
from tongs_agents.demo.hands import TmuxHands


@pytest.fixture
def cli(world: Path, tmux_socket: str) -> Cli:
    return Cli(world, tmux_socket)


def settings(*lines: str) -> None:
    """The person's tmux.conf."""
    (Path(os.environ["HOME"]) / ".tmux.conf").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_a_message_about_the_settings_is_nobody_who_reads(rig: Rig):
    settings("set -g no-such-option on")
    agent = rig.start()
    agent.send("at once")
    agent.journal.wait_typed(pasted("at once"))


@pytest.mark.parametrize("setting", ["exit-unattached", "destroy-unattached"])
def test_a_pane_that_is_closed_at_once_is_no_start(rig: Rig, setting: str):
    settings(f"set -g {setting} on")
    found = failed(rig.start)
    assert (found.exit_code, found.reason) == (1, "start-failed")
    assert f"`{setting}` is on" in found.error
    assert not list((rig.places.runtime_dir / "parcels").iterdir())
    assert not list(rig.places.launches.glob("*.json"))


def test_a_pane_whose_input_is_off_is_refused_and_the_sentence_says_so(rig: Rig):
    agent = rig.start()
    rig.tmux("select-pane", "-d", "-t", agent.pane)
    found = agent.refused("unknown")
    assert "input is turned off" in found.error
    assert ("input", False) in [(check.name, check.passed) for check in found.checks]
    rig.tmux("select-pane", "-e", "-t", agent.pane)
    late = rig.at("paste", lambda: rig.tmux("select-pane", "-d", "-t", agent.pane))
    agent.refused("unknown", control=late)
    rig.tmux("select-pane", "-e", "-t", agent.pane)
    assert agent.journal.typed() == b""
    agent.send("heard")
    agent.journal.wait_typed(pasted("heard"))


def test_the_demo_s_server_reads_no_settings_and_ends_with_its_last_session(short_dir: Path):
    settings("set -g @mine yes", "set -g destroy-unattached on")
    hands = TmuxHands(short_dir, dict(os.environ))
    hands.begin()
    hands._tmux("new-session", "-d", "-s", "demo", "cat")
    assert "@mine" not in hands._tmux("show-options", "-g")
    pid = hands.server_pid()
    hands._tmux("kill-session", "-t", "demo")
    wait_for(lambda: not Path(f"/proc/{pid}").exists(), what="the server's end")


@pytest.mark.parametrize("mode", [0o755, 0o777, None], ids=["0755", "0777", "a link"])
def test_a_socket_name_in_a_directory_that_is_not_ours_alone_is_refused(
    cli: Cli, short_dir: Path, mode: int | None
):
    """By default anybody can make `/tmp/tmux-UID` before us."""
    cli.socket = "tongs-agents"
    cli.configure()
    directory = short_dir / f"tmux-{os.getuid()}"
    if mode is None:
        (short_dir / "other").mkdir(mode=0o700)
        directory.symlink_to(short_dir / "other")
    else:
        directory.mkdir()
        directory.chmod(mode)
    assert cli.refused("spawn", "cat") == "unknown-place"
    assert not list(directory.iterdir())
    assert cli.ok("list")["launches"] == []
    if mode is not None:
        directory.chmod(0o700)
        cli.spawn("cat")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can hand a directory to another")
def test_another_s_socket_directory_gets_nothing(cli: Cli, short_dir: Path):
    cli.socket = "tongs-agents"
    cli.configure()
    directory = short_dir / "tmux-0"
    directory.mkdir(mode=0o700)
    os.chown(directory, 65534, -1)
    assert cli.refused("spawn", "cat") == "unknown-place"
    assert not list(directory.iterdir())
