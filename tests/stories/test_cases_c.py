"""Cases C of the field: the wrong pane, session, server."""

# ruff: noqa: N802 - a test is named after its case

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.stories.rig import PERSON, RAW, Agent, Client, Journal, Rig, failed, pasted
from tests.waiting import wait_for
from tongs_agents.config import Profile
from tongs_agents.launches import Starter
from tongs_mux.model import LaunchRecord
from tongs_mux.records import encode

NO_TARGETS = ["", "-X", "%", "%9999", "garbage", "=agents", "agents:0", "0", "{last}", "!", "%0;"]


def acts(rig: Rig, record: LaunchRecord) -> dict[str, Callable[[], object]]:
    """Every verb that touches or shows a pane."""
    agent = Agent(rig, record, Journal(Path("/dev/null")))
    return {
        "send": lambda: agent.send("stray"),
        "focus": lambda: rig.control.focus(record, PERSON),
        "capture": lambda: rig.control.capture(record),
        "capture lines": lambda: rig.control.capture(record, 100),
        "close": lambda: rig.control.close(record, PERSON),
    }


def all_refused(rig: Rig, record: LaunchRecord, *reasons: str) -> None:
    for name, act in acts(rig, record).items():
        found = failed(act)
        assert (name, found.exit_code) == (name, 5)
        assert found.reason in reasons, (name, found)


@pytest.mark.case("C1")
def test_C1_the_same_id_on_a_restarted_server_is_another_pane(rig: Rig):
    agent = rig.start(raw=True)
    rig.kill_server()
    wait_for(agent.gone, what="the end of the agent")
    pane, stranger = rig.stranger("new-session", "-d", "-s", rig.session)
    assert pane == agent.pane
    all_refused(rig, agent.record, "replaced")
    rig.tmux("send-keys", "-t", pane, "~")
    stranger.wait_typed(b"~")
    assert rig.panes() == [pane]


@pytest.mark.case("C1")
def test_C1_the_agent_that_survives_its_server_is_not_found_in_the_next(rig: Rig):
    agent = rig.start("--stubborn", raw=True)
    rig.kill_server()
    pane, stranger = rig.stranger("new-session", "-d", "-s", rig.session)
    assert (pane, agent.gone()) == (agent.pane, False)
    all_refused(rig, agent.record, "replaced")
    rig.tmux("send-keys", "-t", pane, "~")
    stranger.wait_typed(b"~")
    os.kill(agent.pid, signal.SIGKILL)


@pytest.mark.case("C1", "C8")
def test_C1_no_server_behind_the_socket_is_an_end_and_names_the_socket(rig: Rig):
    agent = rig.start(raw=True)
    rig.kill_server()
    wait_for(agent.gone, what="the end of the agent")
    all_refused(rig, agent.record, "exited")
    found = agent.refused("exited")
    assert any(rig.socket in check.seen for check in found.checks)


@pytest.mark.case("C2", "C6")
@pytest.mark.parametrize("target", NO_TARGETS)
def test_C2_what_is_no_pane_id_reaches_no_pane(rig: Rig, target: str):
    agent = rig.start(raw=True)
    pane = replace(agent.record.pane, pane_id=target) if agent.record.pane else None
    forged = replace(agent.record, pane=pane)
    with agent.untouched():
        all_refused(rig, forged, "not-listed", "unknown")
        [seen] = rig.control.list([forged])
        assert seen.verdict.state in ("not-listed", "unknown")
    assert agent.state() == "running"


@pytest.mark.case("C2")
@pytest.mark.parametrize("name", [*NO_TARGETS, "%0", "@0", "agents"])
def test_C2_a_launch_is_found_by_its_id_alone(rig: Rig, name: str):
    agent = rig.start(raw=True)
    if name and agent.id.startswith(name):  # "0" is the beginning of some ids, and then means it
        assert rig.control.store.resolve(name).launch_id == agent.id
        return
    found = failed(rig.control.store.resolve, name)
    assert (found.exit_code, found.reason) == (1, "no-such-launch")


@pytest.mark.case("C3")
def test_C3_a_launch_knows_its_own_pane_whatever_is_in_front(rig: Rig, short_dir: Path):
    front = rig.start(raw=True)
    client = Client(rig, str(short_dir / "o"))
    behind = rig.start(raw=True)
    record = rig.control.store.read(behind.id)
    environ = behind.journal.facts("start")[0]["environ"]
    assert record.claim is not None
    assert record.claim.pane_id == environ["TMUX_PANE"] == behind.pane != front.pane
    assert environ["TONGS_AGENTS_LAUNCH_ID"] == behind.id
    assert client.shows(rig) == front.pane
    rig.control.focus(behind.record, PERSON)
    assert client.shows(rig) == behind.pane
    front.send("for the first")
    front.journal.wait_typed(pasted("for the first"))
    assert behind.journal.typed() == b""


@pytest.mark.case("C4")
def test_C4_a_session_is_meant_by_its_whole_name(rig: Rig, tmp_path: Path):
    ten = Rig(tmp_path / "ten", rig.socket, session="a-10")
    one = Rig(tmp_path / "one", rig.socket, session="a-1")
    long, short = ten.start(raw=True), one.start(raw=True)
    assert (long.record.pane and long.record.pane.session) == "a-10"
    assert (short.record.pane and short.record.pane.session) == "a-1"
    rig.tmux("kill-session", "-t", "=a-1")
    wait_for(short.gone, what="the end of the short one")
    all_refused(one, short.record, "exited")
    with long.untouched():
        assert long.state() == "running"
    assert long.record.pane is not None
    assert not rig.control.backends(long.record.pane).has_session("a-1")


@pytest.mark.case("C4")
def test_C4_a_prefix_of_two_launches_names_both(rig: Rig):
    agent = rig.start(raw=True)
    for last in "01":
        twin = replace(agent.record, launch_id=f"abcdefab{last}")
        (rig.places.launches / f"{twin.launch_id}.json").write_bytes(encode(twin))
        (rig.places.launches / f"{twin.launch_id}.json").chmod(0o600)
    found = failed(rig.control.store.resolve, "abcdef")
    assert (found.exit_code, found.reason) == (1, "ambiguous")
    assert found.extra["matches"] == ["abcdefab0", "abcdefab1"]


@pytest.mark.case("C6")
def test_C6_a_pane_is_known_wherever_it_is_moved(rig: Rig):
    conf = "set -g base-index 1\nsetw -g pane-base-index 1\nset -g renumber-windows on\n"
    (Path(os.environ["HOME"]) / ".tmux.conf").write_text(conf, encoding="utf-8")
    agent, other = rig.start(raw=True), rig.start(raw=True)
    assert rig.tmux("display-message", "-p", "-t", agent.pane, "#I.#P") == "1.1\n"
    _, neighbour = rig.stranger("split-window", "-d", "-b", "-t", agent.pane)
    away, visitor = rig.stranger("new-session", "-d", "-s", "away")
    arrangements = [
        ["swap-pane", "-d", "-s", agent.pane, "-t", other.pane],
        ["move-pane", "-d", "-b", "-s", agent.pane, "-t", away],
        ["break-pane", "-d", "-s", agent.pane],
        ["move-window", "-d", "-s", agent.pane, "-t", "away:9"],
        ["swap-window", "-d", "-s", agent.pane, "-t", other.pane],
        ["rename-session", "-t", "=away", "renamed"],
        ["rename-window", "-t", agent.pane, "--", "-X"],
    ]
    expected = b""
    for number, words in enumerate(arrangements):
        rig.tmux(*words)
        agent.send(f"text {number}")
        expected += pasted(f"text {number}")
        agent.journal.wait_typed(expected)
    assert (other.journal.typed(), neighbour.typed(), visitor.typed()) == (b"", b"", b"")
    other.send("and the other")
    other.journal.wait_typed(pasted("and the other"))


@pytest.mark.case("C8")
def test_C8_the_launch_says_which_server_is_meant(rig: Rig, tmp_path: Path, short_dir: Path):
    second = Rig(tmp_path / "second", str(short_dir / "t"))
    third = Rig(tmp_path / "third", str(short_dir / "u"))
    stray, stranger = third.stranger("new-session", "-d", "-s", "agents")
    for each in (rig, second):
        each.environ |= {"TMUX": f"{third.socket},{third.server_pid()},0", "TMUX_PANE": stray}
        each.control = each.controller()
    first, other = rig.start(raw=True), second.start(raw=True)
    assert first.pane == other.pane == stray
    first.send("one")
    other.send("two")
    first.journal.wait_typed(pasted("one"))
    other.journal.wait_typed(pasted("two"))
    assert stranger.typed() == b""
    assert third.panes() == [stray]
    second.kill_server()
    assert Path(second.socket).exists()
    found = other.refused("exited")
    assert any(second.socket in check.seen for check in found.checks)
    with first.untouched():
        assert first.state() == "running"
    again = second.start(raw=True)
    assert again.state() == "running"


def everything(rig: Rig) -> dict[str, str]:
    """What a tmux server holds that is the user's."""
    asked = ["show-options -g", "show-options -gw", "show-options -s", "list-keys", "show-hooks -g"]
    asked += ["show-environment -g", "list-buffers", "show-options -w -t mine:", "list-clients"]
    return {words: rig.tmux(*words.split()) for words in asked}


@pytest.mark.case("C9")
def test_C9_the_users_own_server_is_left_as_it_is(rig: Rig):
    rig.tmux("new-session", "-d", "-s", "mine", "sleep", "1000")
    rig.tmux("set-option", "-g", "remain-on-exit", "on")
    rig.tmux("set-buffer", "-b", "theirs", "their text")
    before = everything(rig)
    agent = rig.start()
    agent.send("hello")
    agent.send("\n".join(["many"] * 40))
    agent.type("draft")
    agent.wait_composer("draft")
    agent.refused("draft")
    rig.control.focus(agent.record, PERSON)
    rig.control.capture(agent.record, 100)
    rig.control.close(agent.record, PERSON)
    assert everything(rig) == before
    assert rig.tmux("list-sessions", "-F", "#S").split() == ["mine"]


class Spawns:
    """Six spawns at once, each as by a process of its own."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        logs = [rig.log() for _ in range(6)]
        profiles = [rig.profile((*RAW, "--log", str(log)), multiline=True) for log in logs]
        starters = [rig.starter(rig.controller()) for _ in logs]
        self.agents: list[Agent] = []
        self._threads = [
            threading.Thread(target=self._spawn, args=each)
            for each in zip(starters, profiles, logs, strict=True)
        ]
        for thread in self._threads:
            thread.start()

    def _spawn(self, starter: Starter, profile: Profile, log: Path) -> None:
        self.agents.append(Agent(self._rig, starter.spawn(profile, PERSON).record, Journal(log)))

    def over(self) -> bool:
        return not any(thread.is_alive() for thread in self._threads)

    def all_run(self) -> None:
        """Each in a pane of its own, in the one session, and untouched."""
        for thread in self._threads:
            thread.join()
        assert len({agent.pane for agent in self.agents}) == 6
        for agent in self.agents:
            assert agent.state() == "running"
            agent.journal.wait("ready")
            assert agent.journal.typed() == b""
        sessions = self._rig.tmux("list-panes", "-a", "-F", "#{session_name}").split()
        assert set(sessions) == {self._rig.session}


@pytest.mark.case("C11")
def test_C11_six_spawns_at_once_steal_no_key_and_no_focus(rig: Rig, short_dir: Path):
    pane, journal = rig.stranger("new-session", "-d", "-s", rig.session)
    client = Client(rig, str(short_dir / "o"))
    spawns = Spawns(rig)
    typed = b""
    while len(typed) < 10 or not spawns.over():
        typed += b"%c" % (ord("a") + len(typed) % 26)
        client.type(typed[-1:].decode())
        journal.wait_typed(typed)
    spawns.all_run()
    assert journal.typed() == typed
    assert client.shows(rig) == pane


@pytest.mark.case("C11")
def test_C11_six_spawns_at_once_start_one_server_and_one_session(rig: Rig):
    Spawns(rig).all_run()
    assert len(rig.panes()) == 6


@pytest.mark.case("C12")
def test_C12_a_dead_pane_gets_nothing_and_the_server_lives(rig: Rig):
    other = rig.start(raw=True)
    agent = rig.start()
    agent.set("remain-on-exit", "on")
    agent.press("C-d")
    agent.wait_dead()
    for name in ("send", "focus", "capture", "capture lines"):
        found = failed(acts(rig, agent.record)[name])
        assert (found.exit_code, found.reason) == (5, "exited")
    with other.untouched():
        assert other.state() == "running"


@pytest.mark.case("C12")
@pytest.mark.parametrize("moment", ["paste", "enter"])
@pytest.mark.parametrize("raw", [True, False], ids=["raw", "scripted"])
def test_C12_a_pane_that_dies_at_the_last_moment_gets_nothing_and_the_server_lives(
    rig: Rig, moment: str, raw: bool
):
    other = rig.start(raw=True)
    agent = rig.start(raw=raw)
    agent.set("remain-on-exit", "on")

    def die() -> None:
        os.kill(agent.pid, signal.SIGKILL)
        agent.wait_dead()

    found = failed(agent.send, "late", rig.at(moment, die))
    assert found.reason == "exited"
    assert (found.exit_code, found.effect) == ((5, None) if moment == "paste" else (1, "partial"))
    with other.untouched():
        assert other.state() == "running"


@pytest.mark.case("C12")
def test_C12_our_panes_close_with_their_program_whatever_the_user_has_set(rig: Rig):
    conf = Path(os.environ["HOME"]) / ".tmux.conf"
    conf.write_text("set -g remain-on-exit on\n", encoding="utf-8")
    other, agent = rig.start(raw=True), rig.start()
    agent.press("C-d")
    wait_for(lambda: rig.panes() == [other.pane], what="the end of the pane")
    agent.refused("exited")
    with other.untouched():
        assert other.state() == "running"
