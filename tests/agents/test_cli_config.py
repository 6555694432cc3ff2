"""``init`` and ``config``: written once, shown masked, checked with every fault's line."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path

import pytest

from tests.agents.cli_rig import Cli

CHECK = {"name", "level", "text", "remedy"}


def _programs(directory: Path, *names: str) -> dict[str, str]:
    """A PATH with programs of these names, and nothing else."""
    directory.mkdir()
    for name in names:
        (directory / name).write_text("#!/bin/sh\n", encoding="utf-8")
        (directory / name).chmod(0o755)
    return {"PATH": str(directory)}


def test_init_writes_a_profile_for_each_harness_found(cli: Cli, tmp_path: Path):
    environ = _programs(tmp_path / "bin", "claude", "pi", "tongs-agents-scripted")
    assert cli.ok("init", environ=environ) == {"ok": True, "path": str(cli.config), "created": True}
    written = tomllib.loads(cli.config.read_text(encoding="utf-8"))
    assert sorted(written["profiles"]) == ["claude", "pi"]
    assert '#[profiles.worker]\n#command = ["tongs-agents-scripted"]' in cli.config.read_text(
        "utf-8"
    )
    assert cli.ok("config check")["ok"] is True


def test_init_writes_the_scripted_agent_where_no_other_is_found(cli: Cli, tmp_path: Path):
    environ = _programs(tmp_path / "bin", "tongs-agents-scripted")
    assert cli.ok("init", environ=environ)["created"] is True
    written = tomllib.loads(cli.config.read_text(encoding="utf-8"))
    assert written["profiles"] == {"worker": {"command": ["tongs-agents-scripted"]}}
    assert [check["level"] for check in cli.ok("config check", environ=environ)["checks"]] == ["ok"]


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o777], ids=oct)
def test_what_init_makes_is_nobody_elses_to_write(cli: Cli, tmp_path: Path, umask: int):
    cli.ok("init", umask=umask, environ={"PATH": str(tmp_path)})
    assert stat.S_IMODE(cli.config.stat().st_mode) == 0o600
    for directory in (cli.config.parent, cli.config.parent.parent):
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert list(cli.ok("config show")["config"]["profiles"]) == ["worker"]


@pytest.mark.parametrize("kind", ["file", "broken", "link"])
def test_init_never_overwrites(cli: Cli, kind: str):
    cli.config.parent.mkdir(parents=True)
    if kind == "link":
        cli.config.symlink_to(cli.home / "nowhere.toml")
    else:
        cli.config.write_text("[workspace]\n" if kind == "file" else "[", encoding="utf-8")
    before = os.lstat(cli.config)
    assert cli.ok("init")["created"] is False
    assert "there already" in cli.text("init").out
    assert os.lstat(cli.config).st_mtime_ns == before.st_mtime_ns
    assert not (cli.home / "nowhere.toml").exists()


def test_init_in_words_for_people(cli: Cli, tmp_path: Path):
    environ = _programs(tmp_path / "bin", "codex")
    assert cli.text("init", environ=environ).out == f"wrote {cli.config}\nprofiles: codex\n"
    cli.config.unlink()
    nothing = cli.text("init", environ={"PATH": str(tmp_path)}).out.splitlines()
    assert nothing[:2] == [f"wrote {cli.config}", "profiles: worker"]
    assert nothing[2].startswith("no agent program was found on PATH: worker is the scripted agent")
    assert nothing[3].startswith("tongs-agents-scripted is not on PATH yet")
    cli.config.unlink()
    found = cli.text("init", environ=_programs(tmp_path / "our", "tongs-agents-scripted"))
    assert found.out.splitlines() == nothing[:3]


def test_path(cli: Cli):
    assert cli.ok("config path") == {"ok": True, "path": str(cli.config)}
    assert cli.text("config", "path").out == f"{cli.config}\n"
    other = {"TONGS_AGENTS_CONFIG": "/etc/other.toml"}
    assert cli.ok("config path", environ=other)["path"] == "/etc/other.toml"
    relative = cli.run("config path", environ={"TONGS_AGENTS_CONFIG": "other.toml"})
    assert (relative.code, relative.json["reason"]) == (5, "unknown-place")


def test_show_masks_the_environment(cli: Cli):
    cli.configure('[profiles.lead]\ncommand = ["x"]\nenv = { KEY = "s3cret-é" }\n')
    found = cli.ok("config show")["config"]
    assert found["profiles"]["lead"]["env"] == {"KEY": "***"}
    assert found["workspace"]["socket"] == cli.socket
    answer = cli.text("config", "show")
    shown = tomllib.loads(answer.out)
    assert "s3cret" not in answer.out
    assert shown["profiles"]["lead"]["command"] == ["x"]
    assert shown["workspace"] == found["workspace"]
    assert shown["control"] == found["control"]


def test_check_of_a_good_config(cli: Cli):
    cli.configure()
    found = cli.ok("config check")
    assert set(found) == {"ok", "checks"}
    assert all(set(check) == CHECK for check in found["checks"])
    levels = {check["name"]: check["level"] for check in found["checks"]}
    assert levels == {"config": "ok", "profiles.missing": "warning"}


def test_check_without_a_config_warns(cli: Cli):
    (check,) = cli.ok("config check")["checks"]
    assert (check["level"], "init" in check["remedy"]) == ("warning", True)


def test_check_warns_of_a_directory_that_is_not_there(cli: Cli):
    cli.configure('[profiles.lead]\ncommand = ["cat"]\ncwd = "/no/such/place"\n')
    texts = [check["text"] for check in cli.ok("config check")["checks"]]
    assert "/no/such/place is no directory" in texts


def test_check_names_every_fault_with_its_line_and_what_is_allowed(cli: Cli):
    cli.configure('[profiles.UPPER]\ncommand = "cat"\n[control]\nmcp_rate_per_minute = 61\n')
    answer = cli.run("config check")
    assert answer.code == 1
    found = answer.json
    assert (found["outcome"], found["reason"]) == ("error", "usage")
    assert {check["level"] for check in found["checks"]} == {"fault"}
    lines = cli.config.read_text(encoding="utf-8").splitlines()
    rate = next(check for check in found["checks"] if "mcp_rate_per_minute" in check["text"])
    assert rate["text"].startswith(f"{cli.config}:{lines.index('mcp_rate_per_minute = 61') + 1}: ")
    assert rate["remedy"] == "allowed: a whole number from 1 to 60"
    people = cli.text("config", "check")
    assert (people.code, people.err) == (1, "")
    assert len(people.out.splitlines()) == len(found["checks"])


def test_a_key_that_is_mistyped_is_said_before_the_one_that_it_leaves_out(cli: Cli):
    cli.configure('[profiles.lead]\ncwd = "~"\ncommnd = ["cat"]\n')
    answer = cli.text("spawn", "lead")
    assert "profiles.lead.commnd is no key that is known; allowed: command, " in answer.err
    assert "has no command" not in answer.err
    texts = [check["text"] for check in cli.run("config check").json["checks"]]
    assert len(texts) == 2
    assert "profiles.lead.commnd is no key" in texts[0]
    assert "profiles.lead has no command" in texts[1]


def test_a_config_that_others_may_write_is_a_fault(cli: Cli):
    cli.configure()
    cli.config.chmod(0o666)
    check = cli.run("config check").json["checks"][0]
    assert (check["level"], "chmod" in check["remedy"]) == ("fault", True)
    assert cli.refused("spawn", "cat") == "unknown-place"


def test_a_broken_config_stops_what_needs_it_and_nothing_else(cli: Cli):
    cli.configure()
    launch = cli.spawn("cat")
    cli.configure("nonsense = 1\n")
    answer = cli.run("spawn", "cat")
    assert (answer.code, answer.json["reason"]) == (1, "usage")
    assert answer.json["faults"][0]["line"]
    assert cli.ok("agent-status", launch)["state"] == "running"
    assert cli.ok("close", launch)["ok"] is True
