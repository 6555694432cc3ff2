"""`doctor`: each check is well on a healthy set-up, and fails by what it is there for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.agents.cli_rig import Cli
from tests.agents.test_install import RICH
from tongs_agents.doctor.check import Check
from tongs_agents.doctor.platform import locale, multiplexers, system
from tongs_agents.doctor.private import file_system, store


def _program(cli: Cli, name: str, says: str) -> None:
    path = cli.home / "bin" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def healthy(cli: Cli) -> Cli:
    """A config, and programs of every kind that only say their version."""
    cli.configure()
    cli.config.write_text('[profiles.one]\ncommand = ["claude"]\n', encoding="utf-8")
    for name, says in (
        ("claude", "2.1.332 (Claude Code)"),
        ("tmux", "tmux 3.4"),
        ("zellij", "zellij 0.45.1"),
    ):
        _program(cli, name, says)
    return cli


def _environ(cli: Cli) -> dict[str, str]:
    return {"PATH": f"{cli.home / 'bin'}:/usr/bin:/bin", "LANG": "C.UTF-8"}


def _found(cli: Cli, **environ: str) -> dict[str, tuple[str, str, str]]:
    """Level, text and remedy by name; of several of one name the worst."""
    answer = cli.run("doctor", environ={**_environ(cli), **environ})
    order = {"ok": 0, "warning": 1, "fault": 2}
    checks = sorted(answer.json["checks"], key=lambda each: order[each["level"]])
    assert answer.code == (1 if any(c["level"] == "fault" for c in checks) else 0)
    assert all(c["remedy"] for c in checks if c["level"] != "ok")
    return {c["name"]: (c["level"], c["text"], c["remedy"]) for c in checks}


def test_all_is_well_on_a_healthy_set_up(healthy: Cli):
    assert {level for level, _, _ in _found(healthy).values()} == {"ok"}


def test_doctor_changes_nothing(cli: Cli):
    before = sorted(cli.home.rglob("*"))
    cli.run("doctor", environ=_environ(cli))
    assert sorted(cli.home.rglob("*")) == before


def test_doctor_is_open_inside_an_agent(healthy: Cli):
    answer = healthy.run("doctor", environ={"TONGS_AGENTS_LAUNCH_ID": "0123456789ab"})
    assert "checks" in answer.json


def test_a_wrong_config_is_a_fault_with_its_line(healthy: Cli):
    healthy.config.write_text("[workspace]\nsesion = 1\n", encoding="utf-8")
    level, text, remedy = _found(healthy)["config"]
    assert (level, ":2:" in text, "allowed" in remedy) == ("fault", True, True)


def test_a_file_that_others_may_read_is_a_fault_with_its_mode(healthy: Cli):
    healthy.state.mkdir(parents=True, mode=0o700)
    leak = healthy.state / "audit.jsonl"
    leak.touch()
    leak.chmod(0o644)
    level, text, remedy = _found(healthy)["places"]
    assert (level, "0644" in text, "chmod" in remedy) == ("fault", True, True)


def test_a_link_in_the_state_dir_is_a_fault(healthy: Cli, tmp_path: Path):
    healthy.state.mkdir(parents=True, mode=0o700)
    (healthy.state / "launches").symlink_to(tmp_path)
    assert _found(healthy)["places"][0] == "fault"


def test_a_damaged_record_is_named(healthy: Cli):
    launches = healthy.state / "launches"
    launches.mkdir(parents=True, mode=0o700)
    healthy.state.chmod(0o700)
    record = launches / "0123456789ab.json"
    record.write_text("{", encoding="utf-8")
    record.chmod(0o600)
    level, text, _ = _found(healthy)["launches"]
    assert (level, "0123456789ab" in text) == ("warning", True)


def test_a_missing_multiplexer_is_a_fault_only_where_it_is_needed(healthy: Cli):
    (healthy.home / "bin" / "zellij").unlink()
    assert _found(healthy)["zellij"][0] == "ok"
    healthy.config.write_text('[workspace]\nmultiplexer = "zellij"\n', encoding="utf-8")
    assert _found(healthy)["zellij"][0] == "fault"


def test_a_registration_whose_environment_moved_is_a_fault(healthy: Cli):
    settings = healthy.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(RICH, encoding="utf-8")
    assert "not registered" in _found(healthy)["claude registration"][1]
    healthy.ok("install", "--agent", "claude", environ=_environ(healthy))
    assert _found(healthy)["claude registration"][0] == "ok"
    text = settings.read_text(encoding="utf-8")
    settings.write_text(text.replace("/hooks/front.sh ]", "/moved/front.sh ]"), encoding="utf-8")
    level, _, remedy = _found(healthy)["claude registration"]
    assert (level, "install" in remedy) == ("fault", True)


def test_a_registration_without_its_program_is_a_warning(healthy: Cli):
    healthy.ok("install", "--agent", "claude", environ=_environ(healthy))
    (healthy.home / "bin" / "claude").unlink()
    assert _found(healthy)["claude registration"][0] == "warning"


def test_a_settings_file_that_is_not_valid_is_a_fault(healthy: Cli):
    settings = healthy.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{,}", encoding="utf-8")
    level, text, _ = _found(healthy)["claude registration"]
    assert (level, str(settings) in text) == ("fault", True)


@pytest.mark.case("A22")
@pytest.mark.parametrize(
    ("environ", "level"),
    [
        ({"LANG": "C.UTF-8"}, "ok"),
        ({"LANG": "de_DE.utf8"}, "ok"),
        ({"LC_ALL": "C", "LANG": "C.UTF-8"}, "warning"),
        ({"LC_ALL": "", "LANG": "C.UTF-8"}, "ok"),
        ({}, "warning"),
    ],
)
def test_the_variable_that_rules_decides_on_the_locale(environ: dict[str, str], level: str):
    assert locale(environ).level == level


def test_an_old_multiplexer_is_named_with_what_is_needed():
    found = {each.name: each for each in multiplexers("tmux 3.1c", "zellij 0.45.1", "tmux")}
    assert (found["tmux"].level, "3.2" in found["tmux"].text) == ("fault", True)
    assert found["zellij"].level == "ok"
    unwanted = {each.name: each for each in multiplexers("tmux 3.4", "zellij 0.43.1", None)}
    assert (unwanted["tmux"].level, unwanted["zellij"].level) == ("ok", "warning")


def test_neither_multiplexer_is_a_fault():
    assert [each.level for each in multiplexers("", "", None)] == ["fault", "fault"]


def test_another_system_is_a_warning():
    assert [each.level for each in system("darwin", "3.12.1")] == ["ok", "warning"]


MOUNTS = """\
/dev/sda / ext4 rw 0 0
server:/data /data nfs4 rw 0 0
/dev/sdb /data/u/with\\040blank xfs rw 0 0
"""


@pytest.mark.case("G3")
def test_the_file_system_is_that_of_the_deepest_mount():
    assert file_system(Path("/data/u/state"), MOUNTS)[0] == "nfs4"
    assert file_system(Path("/data/u/with blank/x"), MOUNTS)[0] == "xfs"
    assert file_system(Path("/datas"), MOUNTS)[0] == "ext4"


@pytest.mark.case("G3")
def test_a_store_on_a_network_file_system_is_a_warning_that_names_it():
    found = store(Path("/data/u/chat.db"), lambda: MOUNTS)
    assert (found.level, "nfs4" in found.text, "STATE_DIR" in found.remedy) == (
        "warning",
        True,
        True,
    )


def test_a_system_without_mounts_says_so():
    def nothing() -> str:
        raise FileNotFoundError

    assert isinstance(store(Path("/x"), nothing), Check)


def test_a_capture_holds_versions_checks_and_config_and_no_secret(healthy: Cli):
    healthy.config.write_text(
        '[profiles.one]\ncommand = ["claude"]\nenv = { KEY = "s3cret" }\n', encoding="utf-8"
    )
    answer = healthy.ok("config capture", "report.txt", environ=_environ(healthy))
    report = Path(answer["path"]).read_text(encoding="utf-8")
    assert "# doctor" in report
    assert "[profiles.one]" in report
    assert "s3cret" not in report
    assert str(healthy.home) not in report
    assert os.stat(answer["path"]).st_mode & 0o077 == 0
    again = healthy.run("config capture", "report.txt", environ=_environ(healthy))
    assert (again.code, again.json["reason"]) == (1, "usage")


def test_a_capture_says_what_is_wrong_with_a_broken_config(healthy: Cli):
    healthy.config.write_text("[", encoding="utf-8")
    answer = healthy.ok("config capture", "-", environ=_environ(healthy))
    assert "fault" in answer["text"]
