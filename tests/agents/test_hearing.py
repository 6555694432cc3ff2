"""What is known of a launch by other means than its hooks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.waiting import wait_for
from tongs_agents.harness.codex_attach import attach
from tongs_agents.harness.codex_trust import BYPASS, Hook
from tongs_agents.hearing import heard, is_untrusted
from tongs_agents.hooks import HOOKS_LABEL
from tongs_agents.sessions import Session, Told
from tongs_agents.status import DOUBT_SECONDS, Status, fold, untrusted
from tongs_mux.model import Claim, LaunchRecord, ProcessIdentity, Verdict
from tongs_mux.process import system_processes

NOW = 1_796_133_500.0
WORKING = Status("working", NOW - 9, hooked=True, opened_at=NOW - 9, last=NOW - 9)
SESSION = Session("s", "fleet:v1:codex:s", "codex", "0123456789ab", "working", NOW - 9)


def record(pid: int = 1, **labels: str) -> LaunchRecord:
    me, server = ProcessIdentity(pid, "x"), ProcessIdentity(1, "x")
    return LaunchRecord(
        launch_id="0123456789ab",
        created_at=1.0,
        argv=("codex",),
        cwd="/",
        labels={"harness": "codex", HOOKS_LABEL: "attached", **labels},
        claim=Claim(me, "%1", "/s", server, 2.0),
    )


def line(kind: str, at: float, **event: object) -> str:
    stamp = datetime.fromtimestamp(at, UTC).isoformat()
    return json.dumps({"timestamp": stamp, "type": "event_msg", "payload": {"type": kind, **event}})


def told(file: Path, *lines: str) -> Told:
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Told((replace(SESSION, transcript_path=str(file)),))


ENDS = {
    "an error": (line("task_complete", NOW - 8, error={"message": "no"}), "failure", "error"),
    "an interrupt": (line("turn_aborted", NOW - 8, reason="x"), "interrupt", "waiting"),
}


@pytest.mark.parametrize(("end", "kind", "word"), ENDS.values(), ids=ENDS)
@pytest.mark.requirement("A68")
def test_what_no_hook_tells_is_read_in_codexs_transcript(
    tmp_path: Path, end: str, kind: str, word: str
):
    known = told(tmp_path / "r", line("task_started", NOW - 10), end)
    (one,) = heard(record(), known, WORKING, NOW, system_processes())
    assert (one.kind, one.at) == (kind, NOW - 8)
    known = Told((replace(known.sessions[0], facts={"prompt": NOW - 9}),))
    assert fold(record(), Verdict("running", "", ()), known, NOW, (one,)).status == word


@pytest.mark.requirement("A68")
def test_the_end_of_an_earlier_turn_says_nothing_of_this_one(tmp_path: Path):
    known = told(tmp_path / "r", line("task_complete", NOW - 10, error={"message": "no"}))
    assert heard(record(), known, WORKING, NOW, system_processes()) == ()


@pytest.mark.requirement("A68")
def test_a_plain_end_is_left_to_its_hook_until_that_is_overdue(tmp_path: Path):
    known = told(tmp_path / "r", line("task_complete", NOW - 8))
    assert heard(record(), known, WORKING, NOW, system_processes()) == ()
    later = NOW + DOUBT_SECONDS
    (one,) = heard(record(), known, WORKING, later, system_processes())
    assert (one.kind, one.at) == ("stop", NOW - 8)


def test_only_a_turn_that_runs_is_asked_about(tmp_path: Path):
    known = told(tmp_path / "r", line("turn_aborted", NOW - 8))
    done = replace(WORKING, status="done")
    assert heard(record(), known, done, NOW, system_processes()) == ()
    assert heard(record(harness="other"), known, WORKING, NOW, system_processes()) == ()
    assert heard(record(), Told(), WORKING, NOW, system_processes()) == ()


# ---------------------------------------------------------------- trust


@contextmanager
def running(home: Path, *words: str) -> Iterator[int]:
    """A process whose command line and environment are Codex's."""
    program = (sys.executable, "-c", "input()", "codex")
    environ = {**os.environ, "CODEX_HOME": str(home)}
    with subprocess.Popen([*program, *words], stdin=subprocess.PIPE, env=environ) as process:
        wait_for(lambda: "codex" in system_processes().argv(process.pid), what="its command line")
        yield process.pid
        process.communicate(b"\n")


MADE = attach(("codex",), BYPASS, "attached", python=Path("/opt/python"))


def trusting(home: Path, *hooks: Hook) -> None:
    lines = [f'[hooks.state."{hook.key}"]\ntrusted_hash = "{hook.trusted_hash}"' for hook in hooks]
    (home / "config.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.mark.requirement("A101")
def test_hooks_are_untrusted_until_codex_has_written_down_that_they_are_not(tmp_path: Path):
    with running(tmp_path, *MADE.argv[1:]) as pid:
        assert is_untrusted(record(pid), Told(), system_processes())
        trusting(tmp_path, *MADE.hooks[1:])
        assert is_untrusted(record(pid), Told(), system_processes())
        trusting(tmp_path, *MADE.hooks)
        assert not is_untrusted(record(pid), Told(), system_processes())


@pytest.mark.requirement("A101")
def test_what_was_heard_of_once_is_trusted(tmp_path: Path):
    with running(tmp_path, *MADE.argv[1:]) as pid:
        assert not is_untrusted(record(pid), Told((SESSION,)), system_processes())
        assert not is_untrusted(record(pid), Told(pulse=1.0), system_processes())


@pytest.mark.requirement("A101")
def test_who_asks_nobody_or_has_no_hooks_is_not_called_untrusted(tmp_path: Path):
    for words in ((*MADE.argv[1:], BYPASS), ("--no-daemon",)):
        with running(tmp_path, *words) as pid:
            assert not is_untrusted(record(pid), Told(), system_processes())
    gone = record(2**22 + 1)
    assert not is_untrusted(gone, Told(), system_processes())
    assert not is_untrusted(record(harness="claude"), Told(), system_processes())


@pytest.mark.requirement("A101")
def test_the_status_says_so_in_its_evidence():
    found = untrusted(Status("started", 1.0, hooked=True), 5.0)
    assert (found.status, found.untrusted) == ("started", True)
    assert [(fact.check, fact.at) for fact in found.evidence] == [("hooks-untrusted", 5.0)]
