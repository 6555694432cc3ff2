"""Agents that start, prompt, watch and wait for others over MCP."""

from __future__ import annotations

import pytest

from tests.stories.both import ON_BOTH
from tests.stories.mcp_rig import McpRig
from tongs_agents.mcp_server.names import AGENTS, FLEET
from tongs_mux.text import sha256


@ON_BOTH
@pytest.mark.requirement("6.1", "6.5", "6.12", "6.21")
def test_a_lead_starts_a_worker_prompts_it_and_waits(mcp: McpRig):
    lead = mcp.lead()
    client = lead.serve()
    assert client.tools() == [*FLEET, *AGENTS]
    profile, log = mcp.worker()
    spawned = client.ok("agents_spawn", profile=profile.name)
    assert lead.agent.record.pane is not None
    assert spawned["pane"]["session"] == lead.agent.record.pane.session
    assert (spawned["profile"], spawned["state"], spawned["prompt"]) == (
        profile.name,
        "running",
        None,
    )
    worker = mcp.agent(spawned["launch_id"], log)
    assert (worker.record.labels["spawned_by"], worker.record.labels["root"]) == (lead.id, lead.id)
    worker.journal.wait("ready")
    worker.wait_composer("empty")
    sent = client.ok("agents_send", launch_id=worker.id, text="[[slow:2:a long answer]]")
    assert (sent["receipt"], sent["way"]) == ("submitted", "paste")
    assert worker.journal.submitted() == [b"[[slow:2:a long answer]]"]
    status = client.ok("agents_status", launch_id=worker.id)
    assert (status["state"], status["status"], status["spawned_by"]) == (
        "running",
        "working",
        lead.id,
    )
    waited = client.ok("agents_wait", launch_id=worker.id)
    assert (waited["launch_id"], waited["status"]) == (worker.id, "done")


@pytest.mark.requirement("6.30", "6.31", "A97")
def test_each_call_is_one_outcome_line_that_names_caller_and_target_and_no_text(mcp: McpRig):
    lead = mcp.lead()
    client = lead.serve()
    worker = mcp.spawned(client)
    text = "something-that-no-log-may-hold"
    client.ok("agents_send", launch_id=worker.id, text=text)
    client.ok("agents_status", launch_id=worker.id)
    client.ok("agents_wait", launch_id=worker.id)
    lines = [it for it in mcp.rig.audit() if it["actor"] == f"mcp:{lead.id}"]
    assert [(it["phase"], it["action"]) for it in lines] == [
        ("begin", "spawn"),
        ("outcome", "spawn"),
        ("begin", "send"),
        ("outcome", "send"),
        ("outcome", "status"),
        ("outcome", "wait"),
    ]
    assert {it["caller"] for it in lines} == {lead.id}
    assert {it["target"] for it in lines} == {worker.id}
    outcomes = [it for it in lines if it["phase"] == "outcome"]
    assert {(it["outcome"], it["exit_code"]) for it in outcomes} == {("ok", 0)}
    sent = outcomes[1]
    assert (sent["bytes"], sent["sha256"]) == (len(text), sha256(text.encode()))
    assert text not in mcp.rig.audit_text()
