"""Usage: what is wrong is said with exit code 1, and help shows an example each."""

from __future__ import annotations

import json
import subprocess
import sys

import click
import pytest

from tests.agents.cli_rig import Cli, commands
from tongs_agents.cli.group import VerbGroup
from tongs_agents.cli.main import ELSEWHERE, main
from tongs_agents.cli.verb import Verb

COMMANDS = [
    pytest.param(words, command, id=" ".join(words) or "bare") for words, command in commands()
]


def _said(capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    found = capsys.readouterr()
    return found.out, found.err


@pytest.mark.parametrize(("words", "command"), COMMANDS)
def test_help_shows_an_example_that_is_a_call_of_it(
    words: tuple[str, ...], command: click.Command, capsys: pytest.CaptureFixture[str]
):
    assert main([*words, "--help"]) == 0
    out, err = _said(capsys)
    assert err == ""
    example = out.partition("\nExample:\n")[2]
    assert " ".join(("tongs-agents", *words)) in example
    assert all(line.startswith("  $ ") for line in example.splitlines())


@pytest.mark.parametrize(("words", "command"), COMMANDS)
def test_an_unknown_option_is_1_and_not_2(
    words: tuple[str, ...], command: click.Command, capsys: pytest.CaptureFixture[str]
):
    assert main([*words, "--nonesuch"]) == 1
    out, err = _said(capsys)
    assert out == ""
    assert err.startswith("tongs-agents: No such option")
    assert f"hint: see `{' '.join(('tongs-agents', *words))} --help`" in err


@pytest.mark.parametrize(("words", "command"), COMMANDS)
def test_a_usage_error_is_json_where_json_was_asked_for(
    words: tuple[str, ...], command: click.Command, capsys: pytest.CaptureFixture[str]
):
    assert main([*words, "--nonesuch", "--json"]) == 1
    out, err = _said(capsys)
    assert err == ""
    found = json.loads(out)
    hint = found.pop("hint")
    assert "--nonesuch" in found.pop("error")
    assert found == {"ok": False, "outcome": "error", "exit_code": 1, "reason": "usage"}
    assert "--help" in hint


@pytest.mark.parametrize(("words", "command"), COMMANDS)
def test_every_command_goes_through_the_one_gate(words: tuple[str, ...], command: click.Command):
    assert isinstance(command, Verb | VerbGroup)


@pytest.mark.parametrize(("words", "command"), COMMANDS)
def test_json_is_taken_by_every_verb_but_those_that_print_json_anyway(
    words: tuple[str, ...], command: click.Command
):
    takes = any("--json" in each.opts for each in command.params)
    assert takes is (isinstance(command, Verb) and words not in {("audit",), ("mcp",)})


def test_json_behind_the_dashes_is_a_text(capsys: pytest.CaptureFixture[str]):
    assert main(["send", "no-such", "--nonesuch", "--", "--json"]) == 1
    out, err = _said(capsys)
    assert out == ""
    assert "--nonesuch" in err


def test_the_value_of_an_option_is_not_taken_for_json(capsys: pytest.CaptureFixture[str]):
    assert main(["spawn", "nope", "--prompt", "--json"]) == 5
    out, err = _said(capsys)
    assert out == ""
    assert "there is no profile 'nope'" in err


@pytest.mark.parametrize(
    ("words", "near"),
    [(["lst"], "list"), (["agent-stats"], "agent-status"), (["config", "chek"], "check")],
)
def test_an_unknown_command_names_the_near_one(
    words: list[str], near: str, capsys: pytest.CaptureFixture[str]
):
    assert main(words) == 1
    assert f"Did you mean '{near}'?" in _said(capsys)[1]


@pytest.mark.parametrize(("words", "command"), COMMANDS)
def test_h_is_help(
    words: tuple[str, ...], command: click.Command, capsys: pytest.CaptureFixture[str]
):
    assert main([*words, "--help"]) == 0
    long = _said(capsys)
    assert main([*words, "-h"]) == 0
    assert _said(capsys) == long
    assert "-h, --help" in long[0]


@pytest.mark.parametrize(("verb", "meant"), ELSEWHERE.items())
def test_another_programs_verb_is_an_error_that_names_ours(
    verb: str, meant: tuple[str, ...], capsys: pytest.CaptureFixture[str]
):
    assert main([verb, "--json"]) == 1
    found = json.loads(_said(capsys)[0])
    assert (found["reason"], "Did you mean" in found["error"]) == ("usage", False)
    assert all(f"`tongs-agents {words}`" in found["error"] for words in meant)


@pytest.mark.parametrize("words", [["-v"], ["-v", "is"], ["two", "words"]], ids=" ".join)
def test_a_text_that_was_taken_for_something_else_is_told_how(
    words: list[str], capsys: pytest.CaptureFixture[str]
):
    assert main(["send", "3f2a", *words]) == 1
    hint = _said(capsys)[1].splitlines()[-1]
    assert hint == (
        "  hint: see `tongs-agents send --help`;"
        " TEXT is one argument, in quotes; one that begins with - goes after --"
    )


@pytest.mark.parametrize(
    "words",
    [
        ["peers"], ["sidebar"], ["monitor"], ["workspace"], ["wait"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_does_not_exist_yet_is_not_there(words: list[str]):
    assert main(words) == 1


@pytest.mark.parametrize("words", [[], ["config"]], ids=["bare", "config"])
def test_a_bare_group_shows_its_help(words: list[str], capsys: pytest.CaptureFixture[str]):
    assert main(words) == 0
    out, err = _said(capsys)
    assert "Commands:" in out
    assert err == ""


def test_version(capsys: pytest.CaptureFixture[str]):
    assert main(["--version"]) == 0
    name, version = _said(capsys)[0].split()
    assert name == "tongs-agents"
    assert version[0].isdigit()


@pytest.mark.parametrize(
    "words",
    [
        ["send", "x"],
        ["send", "x", "two", "words"],
        ["send", "x", "text", "--timeout", "5"],
        ["send", "x", "text", "--wait", "--timeout", "0"],
        ["send", "x", "text", "--wait", "--timeout", "601"],
        ["send", "x", "text", "--wait", "--timeout", "nan"],
        ["send", "x", "-dash"],
        ["capture", "x", "--lines", "0"],
        ["capture", "x", "--lines", "many"],
        ["demo", "--multiplexer", "screen"],
    ],
    ids=" ".join,
)
def test_wrong_arguments_are_usage(words: list[str], capsys: pytest.CaptureFixture[str]):
    assert main([words[0], "--json", *words[1:]]) == 1
    assert json.loads(_said(capsys)[0])["reason"] == "usage"


def test_audit_knows_two_logs(capsys: pytest.CaptureFixture[str]):
    assert main(["audit", "nonsense"]) == 1
    assert "'control', 'chat'" in _said(capsys)[1]


@pytest.mark.parametrize(
    "words", [["--help"], ["send", "--help"], ["config", "path"], ["list"]], ids=" ".join
)
def test_nothing_heavy_is_imported_for_a_light_verb(words: list[str], cli: Cli):
    heavy = ("libtmux", "psutil", "tomllib", "tongs_agents.launcher", "importlib.metadata")
    code = (
        "import sys; from tongs_agents.cli.main import main; "
        f"code = main({words!r}); print(code, [x for x in {heavy!r} if x in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 []"


def test_a_send_imports_neither_config_nor_launcher(cli: Cli):
    unneeded = ("tongs_agents.config", "tongs_agents.launcher", "tongs_agents.status", "tomllib")
    code = (
        "import sys; from tongs_agents.cli.main import main; "
        "import tongs_agents.cli.send, tongs_agents.launches, tongs_agents.shapes; "
        f"print([x for x in {unneeded!r} if x in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_completion_knows_the_verbs(cli: Cli):
    environ = {
        "_TONGS_AGENTS_COMPLETE": "bash_complete",
        "COMP_WORDS": "tongs-agents ag",
        "COMP_CWORD": "1",
    }
    answer = cli.text(environ=environ)
    assert (answer.code, answer.out) == (0, "plain,agent-status\n")
