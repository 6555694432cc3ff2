"""Hooks: which run, what they are told, and what their output means."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.belongings import is_alive
from tests.waiting import wait_for
from tongs_agents.scripted_agent.hook_runner import HookRunner
from tongs_agents.scripted_agent.hooks import (
    DEFAULT_TIMEOUT,
    Finished,
    HookCall,
    HookCommand,
    Outcome,
    chosen,
    judge,
    load,
)

PRE = HookCall("PreToolUse", "Bash", {"tool_name": "Bash", "tool_input": {"x": "é" * 300_000}})


def settings(event: str, command: str, **more: Any) -> str:
    hook = {"type": "command", "command": command, **more}
    return json.dumps({"hooks": {event: [{"matcher": "*", "hooks": [hook]}]}})


def runner_of(commands: tuple[HookCommand, ...], **common: Any) -> HookRunner:
    return HookRunner(commands, common=common, environ=os.environ, done=lambda: None)


def test_settings_are_json_or_a_file_of_it(tmp_path: Path):
    text = settings("Stop", "true", timeout=20)
    file = tmp_path / "s.json"
    file.write_text(text, encoding="utf-8")
    assert load(text) == load(str(file)) == (HookCommand("Stop", "*", "true", 20.0),)
    assert load('{"hooks":{"Stop":[{"hooks":[{"command":"x"}]}]}}')[0].timeout == DEFAULT_TIMEOUT
    assert load("{}") == ()


@pytest.mark.parametrize("text", ["{", '{"hooks": 1}', '{"hooks": {"Stop": [{"hooks": [1]}]}}'])
def test_settings_of_another_form_are_an_error(text: str):
    with pytest.raises(ValueError):
        load(text)


@pytest.mark.parametrize(
    ("matcher", "runs"),
    [("*", True), ("", True), ("Bash", True), ("Ba", False), ("Edit|Bash", True), ("(", False)],
)
def test_a_matcher_looks_at_the_tool(matcher: str, runs: bool):
    command = HookCommand("PreToolUse", matcher, "true", 1.0)
    assert (chosen((command,), PRE) == (command,)) is runs
    assert chosen((command,), HookCall("Stop", "", {})) == ()


def context(event: str, text: str) -> str:
    return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})


@pytest.mark.parametrize(
    ("event", "ended", "outcome"),
    [
        ("PreToolUse", Finished("c", 0, "", ""), Outcome()),
        ("PreToolUse", Finished("c", 0, context("PreToolUse", "T"), ""), Outcome(("T",))),
        ("PreToolUse", Finished("c", 0, "plain", ""), Outcome()),
        ("SessionStart", Finished("c", 0, "plain\n", ""), Outcome(("plain",))),
        ("UserPromptSubmit", Finished("c", 0, '{"broken', ""), Outcome(('{"broken',))),
        ("PreToolUse", Finished("c", 2, "", "no\n"), Outcome(block="no")),
        ("Stop", Finished("c", 0, '{"decision":"block","reason":"R"}', ""), Outcome(block="R")),
        ("Stop", Finished("c", 0, context("Stop", "R"), ""), Outcome(block="R")),
        ("Stop", Finished("c", 127, "", "sh: x"), Outcome(failures=("exit 127 sh: x",))),
        ("Stop", Finished("c", None, "", ""), Outcome(failures=("its time was over",))),
        ("Stop", Finished("c", 0, "[1]", ""), Outcome()),
    ],
)
def test_what_a_hook_says(event: str, ended: Finished, outcome: Outcome):
    assert judge(event, (ended,)) == outcome


def test_the_first_block_counts_and_every_context():
    ended = (
        Finished("a", 0, context("PreToolUse", "one"), ""),
        Finished("b", 2, "", "first"),
        Finished("c", 2, "", "second"),
        Finished("d", 0, context("PreToolUse", "two"), ""),
    )
    assert judge("PreToolUse", ended) == Outcome(("one", "two"), "first")


def test_a_hook_is_told_everything_in_a_session_of_its_own(tmp_path: Path):
    out = tmp_path / "payload"
    command = f"cat >{out}; ps -o sid= -p $$ >{out}.sid; echo $$ >{out}.pid"
    runner = runner_of(load(settings("PreToolUse", command)), session_id="S", cwd="/c")
    assert runner.run(PRE) == Outcome()
    told = json.loads(out.read_text(encoding="utf-8"))
    assert told == {"session_id": "S", "cwd": "/c", "hook_event_name": "PreToolUse", **PRE.fields}
    ids = [Path(f"{out}.{kind}").read_text(encoding="utf-8").strip() for kind in ("sid", "pid")]
    assert ids[0] == ids[1]


def test_a_hook_that_does_not_read_is_fine():
    assert runner_of(load(settings("PreToolUse", "exit 0"))).run(PRE) == Outcome()


@pytest.mark.case("H5")
def test_a_hook_that_hangs_is_killed_with_its_children(tmp_path: Path):
    mark = tmp_path / "pid"
    command = f"sleep 600 & echo $! >{mark}; wait"
    runner = runner_of(load(settings("Stop", command, timeout=0.3)))
    assert runner.run(HookCall("Stop", "", {})).failures == ("its time was over",)
    child = int(mark.read_text(encoding="utf-8"))
    wait_for(lambda: not running(child), what="the child's end")


def running(pid: int) -> bool:
    try:
        return is_alive(psutil.Process(pid))
    except psutil.NoSuchProcess:
        return False


def test_closing_kills_what_still_runs(tmp_path: Path):
    mark = tmp_path / "pid"
    runner = runner_of(load(settings("Stop", f"echo $$ >{mark}; exec sleep 600")))
    runner.start(7, HookCall("Stop", "", {}))
    pid = int(wait_for(lambda: mark.exists() and mark.read_text(encoding="utf-8"), what="a start"))
    runner.close()
    wait_for(lambda: not running(pid), what="the hook's end")
    ((token, outcome),) = wait_for(runner.outcomes, what="its outcome")
    assert (token, len(outcome.failures)) == (7, 1)
