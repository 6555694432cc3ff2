"""The registered commands and the settings that hand them to a launch."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.agents.hook_rig import PYTHON, SILENT, hook, launched, shells
from tongs_agents.harness.attach import (
    CLAUDE_EVENTS,
    PEER_MATCHER,
    SCRIPTED_EVENTS,
    TIMEOUT,
    attach_scripted,
    hook_settings,
    mcp_servers,
)
from tongs_agents.hooks.command import HookHarness, Source, hook_command
from tongs_agents.hooks.entry import SECONDS
from tongs_agents.mcp_server.command import mcp_command
from tongs_agents.paths import Places, environment
from tongs_agents.scripted_agent.hooks import HookCall, chosen, load, read
from tongs_agents.scripted_agent.mcp_config import load as load_servers
from tongs_agents.scripted_agent.options import parse

PLACES = [
    "/usr/lib/x",
    '/it\'s a "place"',
    "/plåce/项目",
    "/$HOME/`id`/\\n",
    "/a;b/&c|d",
    "/-n",
    "/{a,b}/*/[x]/~",
]
FLAGS = ("--mcp-config", "{}", "--settings", "/s")


@pytest.mark.parametrize("shell", shells())
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.requirement("10.13")
def test_a_command_survives_whatever_a_path_holds(tmp_path: Path, shell: Any, place: str):
    directory = tmp_path / place.strip("/")
    directory.mkdir(parents=True)
    front = directory / "front.sh"
    front.write_text('printf "<%s>" "$@"\n', encoding="utf-8")
    command = hook_command(
        "claude", "installed", "Stop", python=directory / "python", directory=directory
    )
    ended = subprocess.run([*shell, command], capture_output=True, encoding="utf-8")
    words = ["claude", "--from", "installed", "Stop", f"{directory}/python", str(directory)]
    assert ended.stdout == "".join(f"<{word}>" for word in words)
    assert (ended.returncode, ended.stderr) == (0, "")


def users_shells() -> list[Any]:
    """What a user may have as their own shell, where it is installed."""
    names = ("sh", "bash", "zsh", "fish", "tcsh", "ksh", "mksh", "yash")
    words = {name: (name, "-c") for name in names if shutil.which(name)}
    return [pytest.param(each, id=name) for name, each in words.items()]


@pytest.mark.parametrize("shell", users_shells())
@pytest.mark.parametrize("place", [place for place in PLACES if "\\" not in place])
@pytest.mark.requirement("10.13")
def test_a_command_for_the_users_own_shell_is_read_alike_by_every_one(
    tmp_path: Path, shell: Any, place: str
):
    directory = tmp_path / place.strip("/")
    directory.mkdir(parents=True)
    front = directory / "front.sh"
    command = hook_command(
        "codex", "installed", "Stop", python=directory / "python", directory=directory
    )
    for text, said in (
        (
            'printf "<%s>" "$@"\n',
            f"<codex><--from><installed><Stop><{directory}/python><{directory}>",
        ),
        ("exit 2\n", ""),
        ("(\n", ""),
        (None, ""),
    ):
        front.unlink(missing_ok=True)
        if text is not None:
            front.write_text(text, encoding="utf-8")
        ended = subprocess.run([*shell, command], capture_output=True, encoding="utf-8")
        assert (ended.returncode, ended.stdout) == (0, said)


@pytest.mark.parametrize("shell", shells())
@pytest.mark.parametrize("front", ["exit 2", ": >/no/such/place", "(", ". /x"])
@pytest.mark.requirement("A75")
def test_whatever_the_front_does_the_command_ends_with_0(tmp_path: Path, shell: Any, front: str):
    (tmp_path / "front.sh").write_text(front + "\n", encoding="utf-8")
    command = hook_command("claude", "installed", "Stop", python=PYTHON, directory=tmp_path)
    assert subprocess.run([*shell, command], capture_output=True).returncode == 0


@pytest.mark.requirement("A72", "4.5")
def test_a_command_is_of_no_launch_and_says_where_it_comes_from():
    attached, installed = hook("Stop"), hook("Stop", source="installed")
    assert attached == hook("Stop")
    assert "--from attached" in attached
    assert "--from installed" in installed
    names = environment(Places(*[Path("/p")] * 3), "0123456789ab", 4711)
    assert not [word for word in (*names, *names.values()) if word in shlex.split(attached)]


@pytest.mark.parametrize("event", ["", "Stop; rm -rf x", "Pré", "a-b"])
def test_an_event_is_a_plain_word(event: str):
    with pytest.raises(ValueError):
        hook(event)


@pytest.mark.requirement("hook table", "A90")
def test_settings_register_every_event_of_the_table():
    text = hook_settings("claude", "attached", CLAUDE_EVENTS, python=PYTHON)
    hooks = json.loads(text)["hooks"]
    assert list(hooks) == list(CLAUDE_EVENTS)
    for event, groups in hooks.items():
        assert groups[0] == {
            "matcher": "*",
            "hooks": [{"type": "command", "command": hook(event), "timeout": TIMEOUT}],
        }
    assert [len(groups) for groups in hooks.values()] == [
        2 if event == "PreToolUse" else 1 for event in CLAUDE_EVENTS
    ]
    own = hooks["PreToolUse"][1]
    assert own["matcher"] == PEER_MATCHER
    assert own["hooks"][0]["command"] == hook("PeerTool")
    assert SECONDS < TIMEOUT


@pytest.mark.parametrize("harness", ["claude", "scripted"])
def test_tools_that_act_on_nothing_are_allowed_by_name(harness: HookHarness):
    text = hook_settings(harness, "attached", ("Stop",), python=PYTHON)
    allowed = json.loads(text)["permissions"]["allow"]
    assert "mcp__tongs-agents__agents_wait" in allowed
    assert not [
        tool for tool in allowed if tool.endswith(("_spawn", "_send", "_focus", "_cleanup"))
    ]
    assert read(text)[1] == set(allowed)


@pytest.mark.requirement("A72")
def test_the_server_is_named_alike_whoever_registers_it():
    sources: tuple[Source, ...] = ("installed", "attached")
    made = [json.loads(mcp_servers(source, python=PYTHON)) for source in sources]
    assert [list(each["mcpServers"]) for each in made] == [["tongs-agents"]] * 2
    [server] = load_servers([mcp_servers("attached", python=PYTHON)])
    assert server.argv == mcp_command("attached", python=PYTHON)


def test_the_scripted_agent_takes_the_settings():
    text = hook_settings("scripted", "attached", SCRIPTED_EVENTS, python=PYTHON)
    commands = load(text)
    for event in SCRIPTED_EVENTS:
        [one] = chosen(commands, HookCall(event, "Bash", {}))
        assert one.command == hook(event, harness="scripted")
        assert one.timeout == TIMEOUT


@pytest.mark.requirement("A73")
@pytest.mark.parametrize(
    ("argv", "attached"),
    [
        (("x",), ("x", *FLAGS)),
        (("x", "--name", "w"), ("x", "--name", "w", *FLAGS)),
        (("x", "--", "go"), ("x", *FLAGS, "--", "go")),
        (("x", "--", "--settings"), ("x", *FLAGS, "--", "--settings")),
        (("x", "--settings", "{}"), ("x", "--settings", "{}")),
        (("x", "--settings={}", "--", "go"), ("x", "--settings={}", "--", "go")),
    ],
)
def test_a_scripted_agent_is_attached_by_its_flag(argv: tuple[str, ...], attached: tuple[str, ...]):
    made = attach_scripted(argv, Path("/s"), "{}")
    assert made == attached
    assert parse(made[1:], {}).mcp_config == (("{}",) if made != argv else ())


@pytest.mark.parametrize("shell", shells())
def test_the_scripted_agents_hooks_count(tmp_path: Path, shell: Any):
    with launched(tmp_path) as world:
        world.record(harness="scripted")
        for event in SCRIPTED_EVENTS:
            command = hook(event, harness="scripted")
            assert world.hook(event, {"prompt": "go"}, shell=shell, command=command) == SILENT
        [session] = world.sessions()
        assert session.harness == "scripted"
        assert set(session.facts) == {
            "session-start", "session-end", "prompt", "needs", "stop", "failure",
        }  # fmt: skip
        assert world.pulse.exists()


@pytest.mark.requirement("A70", "A72")
def test_a_launch_is_told_what_its_hooks_must_know_only_where_it_is_so():
    places = Places(*[Path("/p")] * 3)
    plain = environment(places, "0123456789ab", 4711)
    marked = environment(places, "0123456789ab", 4711, wrapper=True, attached=True)
    more = {"TONGS_AGENTS_LAUNCH_WRAPPER": "yes", "TONGS_AGENTS_ATTACHED": "yes"}
    assert marked == {**plain, **more}
