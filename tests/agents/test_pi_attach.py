"""Attaching to one launch of Pi, whatever its command already says."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.agents.hook_rig import LAUNCH, SILENT, World, told, world_at
from tongs_agents.attaching import Wanted, settings_path
from tongs_agents.attaching import attach as attach_any
from tongs_agents.first_prompt import with_prompt as prompted
from tongs_agents.harness.pi_attach import EXTENSION, attach, extension_file, with_prompt
from tongs_agents.harness.registry import harness_named
from tongs_agents.mcp_server.command import mcp_command
from tongs_mux.text import prepare, sha256

PYTHON = Path("/opt/a venv/bin/python")
FILE = Path("/run/launch.ts")
FLAG = ("-e", str(FILE))
NEW = "1.6.0"


def registration_in(text: str) -> dict[str, Any]:
    """What the file hands to the extension."""
    found = re.search(r"^const registration = (\{.*^\});$", text, re.MULTILINE | re.DOTALL)
    assert found is not None
    read: dict[str, Any] = json.loads(found[1])
    return read


class Command(NamedTuple):
    """A profile's command, and what it is to become."""

    test_id: str
    argv: tuple[str, ...]
    attached: tuple[str, ...]


COMMANDS = [
    Command("bare", ("pi",), ("pi", *FLAG)),
    Command("a path", ("/opt/bin/pi", "-c"), ("/opt/bin/pi", *FLAG, "-c")),
    Command("a prompt", ("pi", "--", "-x"), ("pi", *FLAG, "--", "-x")),
    Command("an extension", ("pi", "-e", "own.ts"), ("pi", *FLAG, "-e", "own.ts")),
    Command("a program in front", ("env", "A=1", "pi"), ("env", "A=1", "pi", *FLAG)),
    Command(
        "one in front, and a prompt",
        ("env", "pi", "--", "install"),
        ("env", "pi", *FLAG, "--", "install"),
    ),
]


@pytest.mark.parametrize("command", [pytest.param(each, id=each.test_id) for each in COMMANDS])
@pytest.mark.requirement("A73")
def test_the_flag_comes_where_nothing_swallows_it(command: Command):
    found = attach(command.argv, FILE, NEW, python=PYTHON)
    assert (found.argv, found.notices) == (command.attached, ())
    assert found.settings == extension_file("attached", python=PYTHON)


@pytest.mark.requirement("A72", "A81")
def test_the_file_is_of_no_launch_and_names_this_installation():
    read = registration_in(extension_file("attached", python=PYTHON))
    command, *words = mcp_command("attached", python=PYTHON)
    assert read["source"] == "attached"
    assert read["hook"][0] == str(PYTHON)
    assert Path(read["hook"][1]).is_file()
    assert read["server"] == {"name": "tongs-agents", "command": command, "args": words}
    assert registration_in(extension_file("installed", python=PYTHON))["source"] == "installed"


def test_what_pi_loads_is_there_and_comes_with_the_package():
    assert json.dumps(str(EXTENSION)) in extension_file("attached", python=PYTHON)
    assert "export function register(" in EXTENSION.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "server"),
    [
        ((), True),
        (("--no-mcp",), False),
        (("--no-extensions",), False),
        (("-ne",), False),
        (("-ne", "-e", "builtin:mcp"), True),
        (("--", "--no-mcp"), True),
    ],
)
def test_no_server_is_registered_where_the_command_turns_them_off(
    words: tuple[str, ...], server: bool
):
    found = attach(("pi", *words), FILE, NEW, python=PYTHON)
    assert found.settings is not None
    assert (registration_in(found.settings)["server"] is not None) == server


@pytest.mark.parametrize(
    ("argv", "version", "why"),
    [
        (("pi",), "", "gave no version"),
        (("pi",), "what?", "gave no version"),
        (("pi",), "0.84.3", "too old: from 0.84.4 on"),
        (("pi", "update"), NEW, "`pi update` is no session"),
        (("pi", "mcp", "list"), NEW, "`pi mcp` is no session"),
    ],
)
@pytest.mark.requirement("A75")
def test_what_can_t_be_attached_is_left_as_it_is_and_said(
    argv: tuple[str, ...], version: str, why: str
):
    found = attach(argv, FILE, version, python=PYTHON)
    assert (found.argv, found.settings) == (argv, None)
    [notice] = found.notices
    assert notice.startswith("hooks are not attached, so its status stays unknown: ")
    assert why in notice


def test_an_old_pi_is_given_hooks_and_its_missing_tools_are_said():
    found = attach(("pi",), FILE, "0.98.9", python=PYTHON)
    assert found.argv == ("pi", *FLAG)
    assert found.notices == ("our MCP server is not attached: Pi 0.98.9 is older than 0.99.0",)
    assert attach(("pi",), FILE, "0.99.0", python=PYTHON).notices == ()


def test_a_launch_of_pi_has_its_file_under_a_name_that_pi_loads(tmp_path: Path):
    path = settings_path(tmp_path, LAUNCH, "pi")
    assert path.name == f"{LAUNCH}.ts"
    wanted = Wanted("pi", ("pi",), path, {}, said=lambda word: NEW, read=lambda name: "")
    found = attach_any(wanted)
    assert found.argv == ("pi", "-e", str(path))
    assert found.settings is not None
    assert registration_in(found.settings)["hook"][0] == sys.executable


@pytest.mark.parametrize("prompt", ["-v", "--help", "two\nlines", " spaced", "$HOME", ""])
@pytest.mark.requirement("A91")
def test_a_first_prompt_goes_with_the_start(prompt: str):
    assert with_prompt(("pi", "-c"), prompt) == ("pi", "-c", "--", prompt)
    assert prompted(harness_named("pi"), ("pi",), prompt) == (("pi", "--", prompt), None)
    assert with_prompt(("pi", "--", "first"), prompt) == ("pi", "--", "first", prompt)


@pytest.mark.parametrize("prompt", ["@file is what", "/review", "!ls", " /x", "\n@y"])
@pytest.mark.requirement("A91")
def test_one_that_pi_would_take_otherwise_there_is_sent_once_the_composer_is_ready(prompt: str):
    assert with_prompt(("pi",), prompt) is None
    assert prompted(harness_named("pi"), ("pi",), prompt) == (("pi",), prompt)


# ---------------------------------------------------------------- the hook as the extension runs it


def tell(world: World, event: str, origin: str = "attached", **fields: Any) -> None:
    """One event, by a child of the claimed process itself: no shell is between."""
    read = registration_in(extension_file("attached", python=Path(sys.executable)))
    words = [*read["hook"][:1], "-I", "-S", read["hook"][1], "pi", "--from", origin, event]
    payload = json.dumps(told(fields)).encode("ascii")
    assert world.ask([*words, str(world.pid)], payload) == [SILENT]


@pytest.mark.requirement("A68", "A70")
def test_a_turn_of_pi_s_is_written_into_the_launch_s_record(tmp_path: Path):
    with world_at(tmp_path) as world:
        world.start(TONGS_AGENTS_ATTACHED="yes")
        world.record(harness="pi")
        tell(world, "session_start", source="startup")
        tell(world, "before_agent_start", prompt="go", typed="go")
        [session] = world.sessions()
        assert (session.status, session.harness, session.launch_id) == ("working", "pi", LAUNCH)
        assert session.prompt_sha256 == sha256(prepare("go"))
        tell(world, "ui_prompt_start", kind="confirm")
        [session] = world.sessions()
        assert (session.status, session.needs) == ("waiting", "question")
        tell(world, "ui_prompt_end")
        [session] = world.sessions()
        assert (session.status, session.needs) == ("working", "")
        tell(world, "agent_settled", aborted=True, error="")
        [session] = world.sessions()
        assert (session.status, session.needs) == ("waiting", "prompt")
        tell(world, "agent_settled", origin="installed", aborted=False, error="")
        [session] = world.sessions()
        assert session.status == "waiting"  # what is installed says nothing of an attached launch


@pytest.mark.requirement("A70")
def test_a_pi_inside_the_agents_shell_is_not_the_launch(tmp_path: Path):
    with world_at(tmp_path) as world:
        world.start(TONGS_AGENTS_ATTACHED="yes")
        world.record(harness="claude")
        tell(world, "session_start", source="startup")
        assert world.sessions() == ()
