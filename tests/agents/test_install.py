"""`install` and `uninstall`: what is registered, and that a user's files come back as they were."""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.agents.cli_rig import Cli
from tests.agents.test_json_edit import written
from tongs_agents.errors import FileChanged, Refused
from tongs_agents.harness.attach import CLAUDE_EVENTS
from tongs_agents.install.claude import OUR_HOOK, files
from tongs_agents.install.ledger import Ledger, entry
from tongs_agents.install.registration import installing, remembered, uninstalling
from tongs_agents.install.replacing import Change, apply, current
from tongs_agents.install.standing import is_registered
from tongs_agents.mcp_server.names import PREAPPROVED

PYTHON = Path("/opt/env with 'quotes' & ünicode/bin/python")
SETTINGS, SERVERS = files({}, Path("/somewhere"), "2.1.332 (Claude Code)", python=PYTHON)

RICH = """\
{
    "$schema": "https://example.org/schema.json",
    "model":   "opus",
    "env": { "FOO": "b\\u00e4r" , "N":"1" },
    "hooks": {
        "Stop": [ {"hooks": [{"type": "command", "command": "say 'done'"}]} ],
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [{"type": "command", "command": "~/bin/check.sh", "timeout": 3}]
            }
        ]
    },
    "permissions": {
        "allow": ["Bash(ls:*)", "mcp__other__tool"],
        "deny": []
    },
    "statusLine": {"type": "command", "command": "~/.claude/line"}
}"""


@pytest.fixture
def cli(world: Path, tmp_path: Path) -> Cli:
    """The program with a `claude` on its PATH that says its version."""
    made = Cli(world, str(tmp_path / "no-server"))
    program = world / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho '2.1.332 (Claude Code)'\n", encoding="utf-8")
    program.chmod(0o755)
    return made


def install(cli: Cli, *words: str) -> dict[str, Any]:
    return cli.ok("install", "--agent", "claude", *words, environ=_env(cli))


def uninstall(cli: Cli, *words: str) -> dict[str, Any]:
    return cli.ok("uninstall", "--agent", "claude", *words, environ=_env(cli))


def _env(cli: Cli) -> dict[str, str]:
    return {"PATH": f"{cli.home / 'bin'}:{os.environ['PATH']}"}


def _settings(cli: Cli) -> Path:
    path = cli.home / ".claude" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    return path


@given(written())
@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
def test_a_file_comes_back_byte_for_byte(text: str):
    data = text.encode("utf-8")
    for file in (SETTINGS, SERVERS):
        try:
            change = installing(file, data, None)
        except Refused:
            continue  # of a form that is no settings file: left as it is
        known = remembered(file, change, None)
        assert file.holds((change.after or b"").decode("utf-8"))
        assert uninstalling(file, change.after, known).after == data


@given(written())
def test_a_second_install_changes_nothing(text: str):
    try:
        change = installing(SETTINGS, text.encode("utf-8"), None)
    except Refused:
        return
    again = installing(SETTINGS, change.after, remembered(SETTINGS, change, None))
    assert again.before == again.after == change.after


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_the_ledger_undoes_any_change(before: bytes, after: bytes):
    assert entry(before, after).undone(after) == (True, before)
    assert entry(before, after).undone(after + b"x") == (False, None)


def test_every_event_is_registered_and_nothing_is_of_one_launch(cli: Cli):
    _settings(cli).write_text(RICH, encoding="utf-8")
    install(cli)
    found = json.loads(_settings(cli).read_text(encoding="utf-8"))
    for event in CLAUDE_EVENTS:
        commands = [hook["command"] for each in found["hooks"][event] for hook in each["hooks"]]
        ours = [command for command in commands if OUR_HOOK.search(command)]
        assert ours, event
        assert all("--from installed" in command for command in ours)
    assert [e["matcher"] for e in found["hooks"]["PreToolUse"]][:1] == ["Bash"]
    assert found["permissions"]["allow"][:2] == ["Bash(ls:*)", "mcp__other__tool"]
    assert {f"mcp__tongs-agents__{tool}" for tool in PREAPPROVED} <= set(
        found["permissions"]["allow"]
    )
    servers = json.loads((cli.home / ".claude.json").read_text(encoding="utf-8"))["mcpServers"]
    assert servers["tongs-agents"]["args"][-2:] == ["--from", "installed"]


@pytest.mark.case("F3")
def test_the_clients_own_limit_is_above_the_longest_wait(cli: Cli):
    install(cli)
    servers = json.loads((cli.home / ".claude.json").read_text(encoding="utf-8"))["mcpServers"]
    assert servers["tongs-agents"]["timeout"] > 600_000


def test_a_rich_file_and_a_missing_one_come_back_as_they_were(cli: Cli):
    path = _settings(cli)
    path.write_text(RICH, encoding="utf-8")
    path.chmod(0o640)
    assert len(install(cli)["changes"]) == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    uninstall(cli)
    assert path.read_text(encoding="utf-8") == RICH
    assert not (cli.home / ".claude.json").exists()


def test_a_dry_run_shows_the_diff_and_writes_nothing(cli: Cli):
    path = _settings(cli)
    path.write_text(RICH, encoding="utf-8")
    changes = install(cli, "--dry-run")["changes"]
    assert [each["path"] for each in changes] == [str(path), str(cli.home / ".claude.json")]
    assert all("+" in each["diff"] for each in changes)
    assert path.read_text(encoding="utf-8") == RICH
    assert not (cli.home / ".claude.json").exists()
    assert not cli.state.exists()


def test_what_others_wrote_since_is_kept(cli: Cli):
    path = _settings(cli)
    path.write_text(RICH, encoding="utf-8")
    install(cli)
    text = path.read_text(encoding="utf-8").replace('"opus"', '"sonnet"')
    path.write_text(text, encoding="utf-8")
    uninstall(cli)
    assert path.read_text(encoding="utf-8") == RICH.replace('"opus"', '"sonnet"')


def test_without_the_ledger_ours_is_cut_out(cli: Cli):
    path = _settings(cli)
    path.write_text(RICH, encoding="utf-8")
    install(cli)
    shutil.rmtree(cli.state)
    uninstall(cli)
    assert path.read_text(encoding="utf-8") == RICH
    left = json.loads((cli.home / ".claude.json").read_text(encoding="utf-8"))
    assert left == {}


def test_an_environment_that_moved_replaces_its_old_registration(cli: Cli):
    old, _ = files({}, cli.home, "2.1.332", python=Path("/gone/bin/python"))
    path = _settings(cli)
    change = installing(old, RICH.encode("utf-8"), None)
    assert change.after is not None
    path.write_bytes(change.after)
    install(cli)
    text = path.read_text(encoding="utf-8")
    assert "/gone/bin/python" not in text
    assert text.count("--from installed Stop ") == 1


def test_a_link_stays_a_link(cli: Cli):
    kept = cli.home / "dotfiles" / "settings.json"
    kept.parent.mkdir()
    kept.write_text(RICH, encoding="utf-8")
    path = _settings(cli)
    path.symlink_to(kept)
    install(cli)
    assert path.is_symlink()
    assert OUR_HOOK.search(kept.read_text(encoding="utf-8"))
    uninstall(cli)
    assert path.is_symlink()
    assert kept.read_text(encoding="utf-8") == RICH


@pytest.mark.parametrize(
    "text",
    ["not json", "[]", '{"hooks": []}', '{"hooks": {"Stop": {}}}', "// c\n{}", '{"a":1,"a":2}'],
)
def test_a_file_that_is_not_of_its_form_is_refused_and_nothing_is_written(cli: Cli, text: str):
    path = _settings(cli)
    path.write_text(text, encoding="utf-8")
    answer = cli.run("install", "--agent", "claude", environ=_env(cli))
    assert (answer.code, answer.json["reason"]) == (5, "not-ours")
    assert str(path) in answer.json["error"]
    assert path.read_text(encoding="utf-8") == text
    assert not (cli.home / ".claude.json").exists()


def test_a_server_of_the_same_name_that_is_not_ours_is_refused(cli: Cli):
    theirs = cli.home / ".claude.json"
    theirs.write_text('{"mcpServers": {"tongs-agents": {"command": "x"}}}', encoding="utf-8")
    answer = cli.run("install", "--agent", "claude", environ=_env(cli))
    assert (answer.code, answer.json["reason"]) == (5, "not-ours")
    assert "command" in theirs.read_text(encoding="utf-8")
    assert not (cli.home / ".claude" / "settings.json").exists()


def test_a_harness_that_is_not_there_is_unsupported(cli: Cli):
    (cli.home / "bin" / "claude").unlink()
    env = {"PATH": f"{cli.home / 'bin'}:/usr/bin:/bin"}
    answer = cli.run("install", "--agent", "claude", environ=env)
    assert (answer.code, answer.json["reason"]) == (6, "unsupported")


def test_a_file_that_changes_meanwhile_is_not_replaced_and_the_others_are_taken_back(
    tmp_path: Path,
):
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"1")
    second.write_bytes(b"changed meanwhile")
    with pytest.raises(FileChanged):
        apply((Change(first, b"1", b"ours"), Change(second, b"2", b"ours")))
    assert (first.read_bytes(), second.read_bytes()) == (b"1", b"changed meanwhile")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["first", "second"]


def test_a_ledger_that_is_no_ledger_counts_as_none(tmp_path: Path):
    path = tmp_path / "installed.json"
    path.write_text("{", encoding="utf-8")
    path.chmod(0o600)
    assert Ledger(path).entries() == {}


def test_a_fifo_in_place_of_a_file_is_refused_at_once(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Exception, match="no regular file"):
        current(tmp_path / "pipe")


def test_a_harness_counts_as_registered_only_as_this_environment_would_register_it(cli: Cli):
    environ = {**os.environ, **_env(cli)}

    def registered(version: str = "2.1.332 (Claude Code)", harness: str = "claude") -> bool:
        return is_registered(harness, environ, cli.home, lambda: version)

    assert not registered()
    install(cli)
    assert registered()
    assert not registered("1.0.40")
    assert not registered(harness="other")
    _settings(cli).write_text("{", encoding="utf-8")
    assert not registered()
