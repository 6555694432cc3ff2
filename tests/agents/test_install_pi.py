"""Pi's registration: one file that is ours whole, or nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.agents.cli_rig import Cli
from tongs_agents.install.pi import MARK, agent_dir


@pytest.fixture
def pi(cli: Cli) -> Cli:
    """The program with a `pi` on its PATH that says its version."""
    program = cli.home / "bin" / "pi"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 1.6.0\n", encoding="utf-8")
    program.chmod(0o755)
    return cli


def _environ(cli: Cli) -> dict[str, str]:
    return {"PATH": f"{cli.home / 'bin'}:{os.environ['PATH']}"}


def _file(cli: Cli) -> Path:
    return cli.home / ".pi" / "agent" / "extensions" / "tongs-agents.ts"


def test_one_file_is_written_and_goes_again(pi: Cli):
    (change,) = pi.ok("install", "--agent", "pi", environ=_environ(pi))["changes"]
    assert change["path"] == str(_file(pi))
    text = _file(pi).read_text(encoding="utf-8")
    assert text.startswith(MARK)
    assert '"source": "installed"' in text
    assert pi.ok("install", "--agent", "pi", environ=_environ(pi))["changes"] == []
    pi.ok("uninstall", "--agent", "pi", environ=_environ(pi))
    assert not _file(pi).exists()


def test_without_the_ledger_it_goes_too(pi: Cli):
    pi.ok("install", "--agent", "pi", environ=_environ(pi))
    (pi.state / "installed.json").unlink()
    pi.ok("uninstall", "--agent", "pi", environ=_environ(pi))
    assert not _file(pi).exists()


def test_a_file_of_somebody_elses_in_its_place_is_left_alone(pi: Cli):
    _file(pi).parent.mkdir(parents=True)
    _file(pi).write_text("export default () => {};\n", encoding="utf-8")
    assert pi.refused("install", "--agent", "pi", environ=_environ(pi)) == "not-ours"
    assert pi.refused("uninstall", "--agent", "pi", environ=_environ(pi)) == "not-ours"
    assert _file(pi).read_text(encoding="utf-8") == "export default () => {};\n"


def test_its_folder_is_where_pi_looks(tmp_path: Path):
    assert agent_dir({}, tmp_path) == tmp_path / ".pi" / "agent"
    assert agent_dir({"PI_CODING_AGENT_DIR": "/elsewhere"}, tmp_path) == Path("/elsewhere")
    assert agent_dir({"PI_CODING_AGENT_DIR": "~/x"}, tmp_path) == tmp_path / "x"
