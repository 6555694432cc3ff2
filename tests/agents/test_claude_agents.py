"""What ``claude agents --json`` says of a process, read and asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tongs_agents.harness.claude_agents import Said, agents_json, said_of

LISTING = json.dumps(
    [
        {"pid": 7, "kind": "background", "sessionId": "b", "status": "idle", "state": "blocked"},
        {"pid": 8, "kind": "interactive", "sessionId": "i", "status": "busy"},
        {"pid": 9, "sessionId": "w", "status": "waiting", "waitingFor": "permission prompt"},
        {"pid": 10, "status": "resting"},
        {"pid": "8", "status": "idle"},
        "no row",
    ]
)


@pytest.mark.requirement("A68")
def test_a_process_is_known_by_its_pid():
    assert said_of(LISTING, 8) == Said("busy", "", "i")
    assert said_of(LISTING, 9) == Said("waiting", "permission prompt", "w")


@pytest.mark.parametrize("pid", [10, 11, 0])
def test_a_status_or_a_process_that_is_not_known_is_none(pid: int):
    assert said_of(LISTING, pid) is None


@given(st.text(), st.integers())
def test_no_listing_is_too_odd(listing: str, pid: int):
    said_of(listing, pid)


@pytest.mark.parametrize("listing", ["null", "{}", "[null, 1, []]", '[{"pid": 1}]'])
def test_another_form_says_nothing(listing: str):
    assert said_of(listing, 1) is None


def _program(directory: Path, script: str) -> str:
    program = directory / "claude"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o700)
    return str(program)


def test_the_program_is_asked_in_the_environment_of_the_process(tmp_path: Path):
    program = _program(
        tmp_path, 'echo "[{\\"pid\\": 5, \\"status\\": \\"$SAID\\"}]"; test "$*" = "agents --json"'
    )
    assert agents_json(program, {"SAID": "idle"}, 5) == Said("idle", "", "")


@pytest.mark.parametrize("script", ["exec sleep 30", "echo '[]'; exit 1", "echo broken"])
def test_no_usable_answer_in_time_is_none(script: str, tmp_path: Path):
    environ = {"PATH": "/usr/bin:/bin"}
    assert agents_json(_program(tmp_path, script), environ, 5, deadline=0.5) is None


def test_a_program_that_is_gone_says_nothing(tmp_path: Path):
    assert agents_json(str(tmp_path / "claude"), {}, 5) is None
