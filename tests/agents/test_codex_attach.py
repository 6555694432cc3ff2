"""Attaching to one launch of Codex, whatever its command already says."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tongs_agents.harness.codex_attach import (
    ENV_VARS,
    EVENTS,
    Attached,
    attach,
    hooks_in,
    without_daemon,
)
from tongs_agents.harness.codex_trust import BYPASS, Hook, are_trusted
from tongs_agents.hooks.command import hook_command
from tongs_agents.mcp_server.names import PREAPPROVED
from tongs_agents.waiting import MAX_SECONDS

HELP = f"Options:\n --no-daemon\n {BYPASS}\n"
PYTHON = Path("/opt/tongs/bin/python")


def attached(*argv: str, known: str = HELP) -> Attached:
    return attach(argv, known, "attached", python=PYTHON)


def values(argv: tuple[str, ...]) -> dict[str, Any]:
    """What a command line overrides, the last last, as Codex reads it."""
    found: dict[str, Any] = {}
    for flag, word in itertools.pairwise(argv):
        if flag == "-c":
            key, _, text = word.partition("=")
            found[key] = tomllib.loads(f"value = {text}")["value"]
    return found


class Command(NamedTuple):
    """A profile's command, where our flags go in it, and whether its daemon is kept away."""

    test_id: str
    argv: tuple[str, ...]
    rest: tuple[str, ...] = ()
    daemon: bool = False


COMMANDS = [
    Command("bare", ("codex",)),
    Command("a path", ("/opt/codex", "-m", "x")),
    Command("a prompt", ("codex",), ("--", "-x")),
    Command("flags in a prompt", ("codex",), ("--", "--no-daemon", "--remote", "exec")),
    Command("resume", ("codex", "resume", "--last")),
    Command("fork", ("codex", "-m", "exec", "fork")),
    Command("a value like a subcommand", ("codex", "-C", "exec", "--model", "mcp")),
    Command("a program in front", ("env", "A=1", "codex", "resume")),
    Command("a wrapper's own name", ("my-codex", "resume")),
    Command("exec", ("codex", "exec"), ("--", "hi"), daemon=True),
    Command("e", ("codex", "-m", "x", "e"), daemon=True),
    Command("review", ("codex", "review"), daemon=True),
    Command("it says so itself", ("codex", "--no-daemon"), daemon=True),
]


@pytest.mark.parametrize("command", [pytest.param(each, id=each.test_id) for each in COMMANDS])
@pytest.mark.requirement("A73", "A71", "A75")
def test_our_flags_stand_behind_the_commands_own_and_before_a_prompt(command: Command):
    flag = () if command.daemon else ("--no-daemon",)
    argv = without_daemon((*command.argv, *command.rest), HELP)
    assert argv == (*command.argv, *flag, *command.rest)
    made = attached(*argv)
    end = len(made.argv) - len(command.rest)
    assert made.argv[: len(command.argv) + len(flag)] == (*command.argv, *flag)
    assert made.argv[end:] == command.rest
    ours = values(made.argv[:end])
    assert [key.removeprefix("hooks.") for key in ours] == [*EVENTS, "mcp_servers.tongs-agents"]
    assert made.notices == ()


class Unattached(NamedTuple):
    """A command that nothing is attached to, and a word of why."""

    test_id: str
    argv: tuple[str, ...]
    why: str
    daemon: bool = True
    """False where it is told to do without all the same."""


UNATTACHED = [
    Unattached("agents", ("codex", "agents"), "no session of its own", daemon=False),
    Unattached("login", ("codex", "login"), "no session of its own"),
    Unattached("an MCP server", ("codex", "-m", "x", "mcp", "list"), "no session of its own"),
    Unattached("elsewhere", ("codex", "--remote", "unix://"), "--remote"),
    Unattached("elsewhere too", ("codex", "resume", "--remote=unix://"), "--remote"),
    Unattached("a shell", ("sh", "-c", "codex; exec sh"), "a shell"),
    Unattached("no TOML", ("codex", "-c", "hooks.Stop=["), "merged", daemon=False),
    Unattached("no list", ("codex", "--config=hooks.Stop=1"), "merged", daemon=False),
    Unattached("no list within", ("codex", "-c", "hooks={Stop=1}"), "merged", daemon=False),
]


@pytest.mark.parametrize("command", [pytest.param(each, id=each.test_id) for each in UNATTACHED])
@pytest.mark.requirement("A73", "A71")
def test_where_nothing_can_be_attached_the_command_stays_and_a_notice_says_why(
    command: Unattached,
):
    made = attached(*command.argv)
    assert (made.argv, made.hooks) == (command.argv, ())
    (notice,) = made.notices
    assert command.why in notice
    if command.argv[0] == "codex":
        assert (without_daemon(command.argv, HELP) == command.argv) == command.daemon


def test_a_version_without_such_flags_is_given_none():
    assert without_daemon(("codex",), "") == ("codex",)
    assert attached("codex", known="--no-daemon").hooks == ()


THEIRS = [{"matcher": "x", "hooks": [{"type": "command", "command": 'say "ü"', "async": True}]}]
THEIR_TOML = '[{matcher="x",hooks=[{type="command",command="say \\"ü\\"",async=true}]}]'


@pytest.mark.parametrize(
    "words",
    [
        ("-c", f"hooks.Stop={THEIR_TOML}"),
        ("-c", 'hooks.Stop="lost"', f"--config=hooks.Stop={THEIR_TOML}"),
        ("--config", f"hooks={{Stop={THEIR_TOML}}}", "resume"),
        (f"-c=hooks.Stop={THEIR_TOML}", "-c", "hooks.state={}", "exec"),
    ],
    ids=["one event", "the last one", "a table", "glued"],
)
@pytest.mark.requirement("A73")
def test_hooks_that_the_command_brings_stand_before_ours(words: tuple[str, ...]):
    made = attached("codex", *words)
    stop = values(made.argv)["hooks.Stop"]
    ours = next(hook for hook in made.hooks if hook.event == "Stop")
    assert stop[:-1] == THEIRS
    assert stop[-1]["hooks"][0]["command"] == ours.command
    assert ours.key == "/<session-flags>/config.toml:stop:1:0"
    assert hooks_in(made.argv) == made.hooks


@pytest.mark.requirement("F3", "A81", "A72")
def test_the_server_is_given_what_finds_its_launch_and_time_for_a_wait():
    made = values(attached("codex").argv)["mcp_servers.tongs-agents"]
    assert made["command"] == str(PYTHON)
    assert made["args"][-2:] == ["--from", "attached"]
    assert made["env_vars"] == list(ENV_VARS)
    assert made["tool_timeout_sec"] > MAX_SECONDS
    assert made["tools"] == {tool: {"approval_mode": "approve"} for tool in PREAPPROVED}
    assert not {"agents_spawn", "agents_send", "fleet_focus", "fleet_cleanup"} & set(made["tools"])
    assert "env" not in made
    assert made["default_tools_approval_mode"] == "prompt"


@pytest.mark.requirement("A81", "A72", "A70")
def test_the_server_gets_every_variable_that_a_launch_is_given():
    assert {
        *("TONGS_AGENTS_CONFIG", "TONGS_AGENTS_STATE_DIR", "TONGS_AGENTS_RUNTIME_DIR"),
        *("TONGS_AGENTS_LAUNCH_ID", "TONGS_AGENTS_LAUNCH_PID", "TONGS_AGENTS_LAUNCH_WRAPPER"),
        *("TONGS_AGENTS_ATTACHED", "TMUX", "TMUX_PANE"),
        *("ZELLIJ", "ZELLIJ_PANE_ID", "ZELLIJ_SESSION_NAME"),
    } <= set(ENV_VARS)


def test_a_server_of_that_name_in_the_command_is_left_alone():
    made = attached("codex", "-c", 'mcp_servers.tongs-agents={command="x"}')
    assert values(made.argv)["mcp_servers.tongs-agents"] == {"command": "x"}
    assert made.hooks
    assert "of its own" in made.notices[0]


@pytest.mark.requirement("A101", "4.5")
def test_nothing_in_a_hook_is_of_one_launch():
    assert attached("codex").argv == attached("codex").argv
    for hook in attached("codex").hooks:
        source = hook_command("codex", "attached", hook.event, python=PYTHON)
        assert hook.command == source


HOOK = Hook("Stop", 0, "/var/tmp/hook.sh", 10)
SHORT = Hook("SessionEnd", 0, "/var/tmp/hook.sh", 3)
TRUSTED = """
[hooks.state."/<session-flags>/config.toml:stop:0:0"]
trusted_hash = "sha256:6db4977437a86237400384f72eb107f41a798f7d4851b9add05f27d97aedd3ea"
[hooks.state."/<session-flags>/config.toml:session_end:0:0"]
trusted_hash = "sha256:10db9fceb94228472973ec19f9cc8342037e61dc6cd9cf2ac9f11c87ecf2d120"
"""
"""As Codex 0.171.0 wrote it when its user chose `Trust all and continue`."""


@pytest.mark.requirement("A101")
def test_what_codex_wrote_down_as_trusted_is_known():
    assert are_trusted((), (HOOK, SHORT), TRUSTED)


@pytest.mark.parametrize(
    "hook",
    [
        Hook("Stop", 1, HOOK.command, 10),
        Hook("Stop", 0, HOOK.command, 11),
        Hook("Stop", 0, "/var/tmp/other.sh", 10),
        Hook("UserPromptSubmit", 0, HOOK.command, 10),
    ],
    ids=["at another place", "with other seconds", "another command", "at another event"],
)
@pytest.mark.requirement("A101")
def test_a_hook_that_is_new_or_changed_is_not_trusted(hook: Hook):
    assert not are_trusted((), (HOOK, hook), TRUSTED)
    assert are_trusted((BYPASS,), (hook,), TRUSTED)


@pytest.mark.parametrize("config", ["", "[", "hooks = 1", "[hooks]\nstate = 1"])
def test_a_config_that_says_nothing_trusts_nothing(config: str):
    assert not are_trusted((), (HOOK,), config)


@pytest.mark.parametrize(
    "argv", [(), ("codex",), ("codex", "-c", "hooks.Stop=["), ("codex", "-c", "hooks.Stop=[1]")]
)
def test_a_command_line_without_our_hooks_has_none(argv: tuple[str, ...]):
    assert hooks_in(argv) == ()


def test_a_commands_words_are_toml_whatever_a_path_holds():
    python = Path('/plåce/项目/it\'s "x"\\n/\U0001f600/python')
    made = attach(("codex",), HELP, "attached", python=python)
    assert values(made.argv)["hooks.Stop"][0]["hooks"][0]["command"] == made.hooks[6].command
    assert hooks_in(made.argv) == made.hooks
