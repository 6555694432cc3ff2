"""``chat`` on the command line: a person's grants, posts and channels; exit codes 0, 1 and 5."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pexpect
import pytest

from tests.agents.cli_rig import PROGRAM, Cli
from tests.waiting import wait_for

VERBS = [
    ["chat"],
    ["chat", "grant", "x"],
    ["chat", "revoke", "x"],
    ["chat", "grants"],
    ["chat", "post", "general", "x"],
    ["chat", "read"],
    ["chat", "channels"],
    ["chat", "channel-create", "x"],
    ["chat", "channel-archive", "x"],
    ["chat", "prune"],
    ["chat", "purge", "--yes"],
]


def grant(cli: Cli, launch: str, typed: str, *options: str) -> tuple[int, str]:
    """Grant on a real terminal, typing ``typed``; the exit code and what was shown."""
    child = pexpect.spawn(
        PROGRAM,
        ["chat", "grant", launch, *options],
        encoding="utf-8",
        timeout=30,
        cwd=str(cli.home),
        env=dict(os.environ),
    )
    child.expect("Type the handle to grant it: ")
    shown = str(child.before)
    child.sendline(typed)
    child.expect(pexpect.EOF)
    shown += str(child.before)
    child.close()
    return int(child.exitstatus or 0), shown


@pytest.fixture
def granted(cli: Cli) -> str:
    """A launch of profile worker that was granted chat; its id."""
    cli.configure()
    launch = cli.spawn("worker")
    assert grant(cli, launch, "worker")[0] == 0
    return launch


@pytest.mark.requirement("2.3", "2.4", "2.6", "1.32", "A28", "A39")
def test_a_grant_is_typed_on_a_terminal_that_shows_what_it_is_for(cli: Cli):
    cli.configure()
    launch = cli.spawn("worker")
    code, shown = grant(cli, launch[:6], "worker", "--wake")
    assert code == 0
    for word in (launch, "worker", "@worker", "chat+wake", "colleague", "every channel"):
        assert word in shown
    (found,) = cli.ok("chat grants")["grants"]
    assert found["granted_at"] > 0
    pane = cli.ok("agent-status", launch)["pane"]
    assert {key: found[key] for key in ("launch_id", "handle", "profile", "level", "pane")} == {
        "launch_id": launch,
        "handle": "worker",
        "profile": "worker",
        "level": "chat+wake",
        "pane": pane,
    }
    chat = cli.ok("agent-status", "@worker")["chat"]
    assert (chat["handle"], chat["level"]) == ("worker", "chat+wake")
    assert cli.ok("list")["launches"][0]["chat"]["handle"] == "worker"


@pytest.mark.requirement("2.4")
def test_a_wrong_handle_grants_nothing_and_is_audited(cli: Cli):
    cli.configure()
    launch = cli.spawn("worker")
    code, shown = grant(cli, launch, "yes")
    assert (code, "nothing was granted" in shown) == (5, True)
    assert cli.ok("chat grants")["grants"] == []
    assert not (cli.state / "chat").exists()
    assert '"reason":"not-confirmed"' in (cli.state / "audit" / "chat.jsonl").read_text("utf-8")


@pytest.mark.requirement("2.5")
def test_without_a_terminal_nothing_is_granted(cli: Cli):
    cli.configure()
    launch = cli.spawn("worker")
    assert cli.refused("chat grant", launch) == "no-terminal"
    assert not (cli.state / "chat").exists()


@pytest.mark.requirement("2.9")
def test_a_launch_that_does_not_verify_is_not_granted(cli: Cli):
    cli.configure()
    launch = cli.spawn("worker")
    cli.ok("close", launch)
    assert cli.refused("chat grant", launch) in ("exited", "replaced", "not-listed")
    assert cli.run("chat grant", "no-such").json["reason"] == "no-such-launch"


@pytest.mark.requirement("2.6", "2.16", "A25", "A36")
def test_handles_are_numbered_chosen_and_taken(cli: Cli, granted: str):
    second = cli.spawn("worker")
    assert grant(cli, second, "worker-2")[0] == 0
    third = cli.spawn("worker")
    code, shown = grant(cli, third, "worker", "--as", "worker")
    assert (code, "taken" in shown) == (5, True)
    assert grant(cli, third, "reviewer", "--as", "reviewer")[0] == 0
    assert grant(cli, granted, "worker", "--wake")[0] == 0
    levels = {it["handle"]: it["level"] for it in cli.ok("chat grants")["grants"]}
    assert levels == {"worker": "chat+wake", "worker-2": "chat", "reviewer": "chat"}
    refused = cli.run("chat grant", third, "--as", "Maintainer!")
    assert refused.code == 1


@pytest.mark.requirement("2.12")
def test_a_grant_whose_process_ended_is_stale(cli: Cli, granted: str):
    cli.ok("close", granted)
    wait_for(
        lambda: [it["state"] for it in cli.ok("chat grants")["grants"]] == ["stale"],
        what="a stale grant",
    )
    assert cli.ok("chat revoke", "@worker")["grant"]["handle"] == "worker"
    assert cli.ok("chat grants")["grants"] == []


@pytest.mark.requirement("1.15", "1.25", "A38")
def test_a_person_posts_and_reads(cli: Cli, granted: str):
    first = cli.ok("chat post", "general", "hello @worker\n  and\tall")
    assert (first["mentioned"], first["wakes"]) == (["worker"], [])
    second = cli.ok("chat post", "general", "-", "--thread", str(first["id"]), stdin=b"a reply\n")
    messages = cli.ok("chat read")["messages"]
    assert [(it["author"], it["thread"], it["channel"]) for it in messages] == [
        ("maintainer", first["id"], "general"),
        ("maintainer", first["id"], "general"),
    ]
    assert [it["id"] for it in cli.ok("chat read", "general", "--limit", "1")["messages"]] == [
        second["id"]
    ]
    assert "hello @worker" in cli.text("chat", "read").out
    assert cli.refused("chat post", "general", "x", "--thread", str(second["id"])) == "bad-thread"
    assert cli.refused("chat post", "general", "bell\x07") == "bad-text"
    assert cli.refused("chat post", "general", "x" * 8193) == "too-large"
    assert cli.run("chat read", "--limit", "51").code == 1


@pytest.mark.requirement("1.30", "A29")
def test_channels_are_made_and_archived_by_a_person(cli: Cli, granted: str):
    cli.ok("chat channel-create", "reviews")
    assert cli.run("chat channel-create", "Reviews").code == 1
    assert cli.run("chat channel-create", "reviews").code == 1
    assert cli.ok("chat channel-archive", "reviews")["archived"] is True
    assert cli.refused("chat post", "reviews", "x") == "archived"
    assert cli.ok("chat read", "reviews")["messages"] == []
    cli.ok("chat channel-archive", "reviews", "--undo")
    cli.ok("chat post", "reviews", "x")
    names = [(it["name"], it["archived"]) for it in cli.ok("chat channels")["channels"]]
    assert names == [("general", False), ("reviews", False)]
    assert cli.refused("chat post", "nowhere", "x") == "no-such-channel"


@pytest.mark.requirement("A27", "A80")
def test_before_the_first_grant_there_is_nothing_and_nothing_is_made(cli: Cli):
    cli.configure()
    assert cli.ok("chat channels")["channels"] == []
    assert cli.ok("chat read")["messages"] == []
    assert cli.ok("chat grants")["grants"] == []
    assert cli.ok("chat prune")["messages"] == 0
    assert cli.ok("chat purge")["purged"] is False
    for words in (
        ["chat post", "general", "x"],
        ["chat channel-create", "x"],
        ["chat channel-archive", "x"],
        ["chat revoke", "x"],
    ):
        answer = cli.run(*words)
        assert (answer.code, "grant" in str(answer.json)) == (1, True), words
    assert not (cli.state / "chat").exists()


@pytest.mark.requirement("1.26", "A78")
def test_a_purge_asks_for_the_word(cli: Cli, granted: str):
    assert cli.refused("chat purge") == "no-terminal"
    child = pexpect.spawn(PROGRAM, ["chat", "purge"], encoding="utf-8", timeout=30)
    child.expect("ends 1 grant.*to go on: ")
    child.sendline("yes")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 5
    assert len(cli.ok("chat grants")["grants"]) == 1
    assert cli.ok("chat purge", "--yes")["purged"] is True
    assert cli.ok("chat grants")["grants"] == []
    lines = (cli.state / "audit" / "chat.jsonl").read_text("utf-8")
    assert '"action":"purge"' in lines
    assert '"action":"revoke"' in lines


@pytest.mark.requirement("1.27", "A65")
@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_every_chat_verb_is_refused_inside_an_agent(cli: Cli, words: list[str]):
    environ = {"TONGS_AGENTS_LAUNCH_ID": "0123456789ab"}
    answer = cli.text(*words, environ=environ)
    assert (answer.code, "not open to agents" in answer.err) == (5, True)
    assert not (cli.state / "chat").exists()


@pytest.mark.requirement("1.3", "1.23")
@pytest.mark.case("G8")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077], ids=oct)
def test_every_file_of_chat_is_private_whatever_the_umask(cli: Cli, umask: int):
    before = os.umask(umask)
    try:
        cli.configure()
        launch = cli.spawn("worker")
        assert grant(cli, launch, "worker")[0] == 0
        cli.ok("chat post", "general", "x")
    finally:
        os.umask(before)
    directory = cli.state / "chat"
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    found: list[Path] = [*directory.iterdir(), cli.state / "audit" / "chat.jsonl"]
    assert {stat.S_IMODE(each.stat().st_mode) for each in found} == {0o600}


def test_the_pane_takes_a_terminal(cli: Cli):
    answer = cli.text("chat")
    assert (answer.code, "takes a terminal" in answer.err) == (5, True)


@pytest.mark.requirement("1.25", "8.2")
def test_the_pane_posts_what_is_typed_and_leaves_by_its_key(cli: Cli, granted: str):
    child = pexpect.spawn(
        PROGRAM,
        ["chat"],
        encoding="utf-8",
        timeout=30,
        dimensions=(24, 100),
        env={**os.environ, "TERM": "xterm-256color"},
    )
    child.expect("general")
    child.send("typed by a person\r")
    wait_for(
        lambda: [it["body"] for it in cli.ok("chat read")["messages"]] == ["typed by a person"],
        deadline=20,
        what="the message in the store",
    )
    child.send("\x11")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
