"""Verb and tool say the same of the same situation: outcome, exit code, reason, and all besides."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.stories.both import ON_BOTH
from tests.stories.mcp_rig import Client, McpRig
from tests.stories.rig import PERSON, Agent

VERBS = {"agents_send": "send", "agents_status": "agent-status", "agents_wait": "wait"}


def _verb(mcp: McpRig, tool: str, launch: str, **more: Any) -> dict[str, Any]:
    """What a person's command answers, whatever it is; its exit code is the document's."""
    words = [VERBS[tool], "--json"]
    if "timeout_s" in more:
        words += ["--timeout", str(more["timeout_s"])]
    if "until" in more:
        words += ["--until", more["until"]]
    words += ["--", launch, *([more["text"]] if "text" in more else [])]
    ran = subprocess.run(
        [sys.executable, "-I", "-m", "tongs_agents.cli.main", *words],
        capture_output=True,
        timeout=60,
        env={**mcp.rig.environ, **mcp.places()},
    )
    found: dict[str, Any] = json.loads(ran.stdout)
    assert ran.returncode == found.get("exit_code", 0)
    return found


def _same(mcp: McpRig, client: Client, tool: str, launch: str, **more: Any) -> dict[str, Any]:
    said = _verb(mcp, tool, launch, **more)
    answered = client.call(tool, launch_id=launch, **more)
    assert answered == said
    return answered


@ON_BOTH
@pytest.mark.requirement("6.28", "A2")
def test_the_verb_and_the_tool_of_one_purpose_answer_alike(mcp: McpRig):
    mcp.set(mcp_rate_per_minute=60, mcp_any_target=True)
    client = mcp.lead().serve()
    worker, other = mcp.spawned(client), mcp.spawned(client)
    assert _same(mcp, client, "agents_status", worker.id)["state"] == "running"
    assert _same(mcp, client, "agents_status", worker.id[:10])["launch_id"] == worker.id
    assert _same(mcp, client, "agents_wait", worker.id, timeout_s=0.2)["exit_code"] == 4
    for tool, more in (("agents_send", {"text": "x"}), ("agents_status", {}), ("agents_wait", {})):
        assert _same(mcp, client, tool, "no-such-launch", **more)["reason"] == "no-such-launch"
    assert _same(mcp, client, "agents_send", worker.id, text="a\x1bb")["reason"] == "bad-text"
    assert _same(mcp, client, "agents_send", worker.id, text="")["reason"] == "bad-text"
    assert _same(mcp, client, "agents_send", worker.id, text="x" * 33_000)["reason"] == "too-large"
    client.ok("agents_send", launch_id=worker.id, text="[[tool:Bash {}]]")
    worker.wait_dialog()
    assert _same(mcp, client, "agents_send", worker.id, text="x")["reason"] == "dialog"
    _ended(mcp, client, other)


def _ended(mcp: McpRig, client: Client, worker: Agent) -> None:
    mcp.rig.control.close(worker.record, PERSON)
    for tool in ("agents_status", "agents_wait"):
        assert _same(mcp, client, tool, worker.id)["exit_code"] == 3
    assert _same(mcp, client, "agents_send", worker.id, text="x")["exit_code"] == 5


@pytest.mark.requirement("A2")
def test_what_a_verb_calls_ambiguous_is_ambiguous_to_a_tool(mcp: McpRig):
    mcp.set(mcp_any_target=True)
    client = mcp.lead().serve()
    ids = [mcp.spawned(client).id for _ in range(2)]
    store = mcp.rig.control.store
    for name in ("aaaa-one", "aaaa-two"):
        record = store.read(ids[0])
        store.create(type(record)(name, record.created_at, record.argv, record.cwd, record.labels))
    found = _same(mcp, client, "agents_status", "aaaa-")
    assert (found["reason"], found["matches"]) == ("ambiguous", ["aaaa-one", "aaaa-two"])
