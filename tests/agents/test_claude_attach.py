"""Attaching hooks to one launch of Claude Code, whatever its command already says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from tongs_agents.harness.attach import CLAUDE_EVENTS
from tongs_agents.harness.claude_attach import attach, known_events, merge

ALLOWED = ["mcp__tongs-agents__fleet_status", "mcp__tongs-agents__agents_wait"]
OURS = json.dumps(
    {
        "hooks": {"Stop": [{"matcher": "*", "hooks": ["ours"]}]},
        "permissions": {"allow": ALLOWED},
    }
)
SERVERS = '{"mcpServers": {}}'
FILE = Path("/run/launch.json")
FLAG = ("--mcp-config", SERVERS, "--settings", str(FILE))


def unread(name: str) -> str:
    raise AssertionError(f"{name} was read")


class Command(NamedTuple):
    """A profile's command, and what it is to become."""

    test_id: str
    argv: tuple[str, ...]
    attached: tuple[str, ...]


COMMANDS = [
    Command("bare", ("claude",), ("claude", *FLAG)),
    Command("a path", ("/opt/claude", "-c"), ("/opt/claude", *FLAG, "-c")),
    Command("a prompt", ("claude", "--", "-x"), ("claude", *FLAG, "--", "-x")),
    Command(
        "variadic options",
        ("claude", "--allowedTools", "Bash", "Edit"),
        ("claude", *FLAG, "--allowedTools", "Bash", "Edit"),
    ),
    Command(
        "a program in front",
        ("env", "A=1", "claude", "--", "hi"),
        ("env", "A=1", "claude", *FLAG, "--", "hi"),
    ),
    Command(
        "the flag in a prompt",
        ("claude", "--", "--settings", "x"),
        ("claude", *FLAG, "--", "--settings", "x"),
    ),
]


@pytest.mark.parametrize("command", [pytest.param(each, id=each.test_id) for each in COMMANDS])
@pytest.mark.requirement("A73")
def test_the_flag_stands_where_nothing_can_swallow_it(command: Command):
    made = attach(command.argv, FILE, OURS, SERVERS, unread)
    assert (made.argv, made.settings, made.notices) == (command.attached, OURS, ())


THEIRS = {
    "model": "opus",
    "permissions": {"deny": ["Bash"], "allow": ["Edit", "mcp__tongs-agents__fleet_status"]},
    "hooks": {"Stop": [{"hooks": ["theirs"]}], "PreCompact": [{"hooks": ["theirs"]}]},
}


@pytest.mark.parametrize(
    "words",
    [
        ("--settings", json.dumps(THEIRS), "-c"),
        (f"--settings={json.dumps(THEIRS)}", "-c"),
        ("--settings", "{}", "-c", "--settings", json.dumps(THEIRS)),
        ("--settings", "their.json", "-c"),
    ],
    ids=["json", "one word", "the last counts", "a file"],
)
@pytest.mark.requirement("A73")
def test_settings_of_the_commands_own_become_one_file_with_ours(words: tuple[str, ...]):
    files = {"their.json": json.dumps(THEIRS)}
    made = attach(("claude", *words), FILE, OURS, SERVERS, files.__getitem__)
    assert made.argv == ("claude", *FLAG, "-c")
    assert made.notices == ()
    assert json.loads(made.settings or "") == {
        "model": "opus",
        "permissions": {
            "deny": ["Bash"],
            "allow": ["Edit", "mcp__tongs-agents__fleet_status", "mcp__tongs-agents__agents_wait"],
        },
        "hooks": {
            "Stop": [{"hooks": ["theirs"]}, {"matcher": "*", "hooks": ["ours"]}],
            "PreCompact": [{"hooks": ["theirs"]}],
        },
    }


def missing(name: str) -> str:
    raise FileNotFoundError(name)


@pytest.mark.parametrize(
    "argv",
    [
        ("claude", "--settings", "gone.json"),
        ("claude", "--settings", "{not json"),
        ("claude", "--settings", '{"hooks": []}'),
        ("claude", "--settings"),
        ("claude", "--bare"),
        ("claude", "--safe-mode", "-c"),
        ("claude", "agents"),
        ("claude", "plugins", "list"),
    ],
    ids=" ".join,
)
@pytest.mark.requirement("A73")
def test_what_cannot_be_attached_is_started_as_it_is_and_said(argv: tuple[str, ...]):
    made = attach(argv, FILE, OURS, SERVERS, missing)
    assert (made.argv, made.settings) == (argv, None)
    assert len(made.notices) == 1


def test_a_prompt_that_is_named_like_a_subcommand_is_attached():
    assert attach(("claude", "-c", "agents"), FILE, OURS, SERVERS, missing).settings == OURS
    assert attach(("claude", "updates"), FILE, OURS, SERVERS, missing).settings == OURS


@pytest.mark.parametrize(
    "theirs",
    [[], {"hooks": {"Stop": {}}}, {"permissions": []}, {"permissions": {"allow": "Edit"}}],
)
def test_settings_of_another_form_are_not_merged(theirs: object):
    with pytest.raises(ValueError):
        merge(theirs, json.loads(OURS))  # type: ignore[arg-type]  # what a user's file may hold


@pytest.mark.requirement("A75")
def test_only_events_that_the_version_knows_are_named():
    assert set(known_events("2.1.332 (Claude Code)")) == set(CLAUDE_EVENTS)
    assert set(CLAUDE_EVENTS) - set(known_events("2.1.77")) == {"StopFailure"}
    assert set(CLAUDE_EVENTS) - set(known_events("2.0.44")) == {"StopFailure", "PermissionRequest"}
    assert known_events("1.0.37") == known_events("unheard of") == known_events("") == ()
