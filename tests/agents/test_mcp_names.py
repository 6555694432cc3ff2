"""What the MCP server is registered as, and what runs without a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from tongs_agents.mcp_server import names
from tongs_agents.mcp_server.command import mcp_command

ALL = (*names.FLEET, *names.AGENTS, *names.CHAT, *names.PEERS)
ACTING = {"agents_spawn", "agents_send", "fleet_focus", "fleet_cleanup"}


@pytest.mark.requirement("A12")
def test_there_are_fifteen_tools_and_no_two_of_one_name():
    assert len(ALL) == len(set(ALL)) == 15


def test_everything_but_what_acts_on_panes_and_records_is_approved_beforehand():
    assert set(names.PREAPPROVED) == set(ALL) - ACTING


@pytest.mark.requirement("A72", "A101")
def test_the_command_names_its_interpreter_and_its_origin_and_nothing_else(tmp_path: Path):
    python = tmp_path / "it's a python"
    words = mcp_command("attached", python=python)
    assert words == (str(python), "-I", "-m", "tongs_agents.mcp_server", "--from", "attached")
