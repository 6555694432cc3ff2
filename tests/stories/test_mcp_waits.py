"""Waits over MCP: how they end early, and that none outlives its agent."""

from __future__ import annotations

from dataclasses import replace

import psutil
import pytest

from tests.stories.both import ON_BOTH
from tests.stories.mcp_rig import Client, Lead, McpRig
from tests.stories.rig import PERSON, Agent, alive
from tests.waiting import wait_for


@pytest.fixture
def lead(mcp: McpRig) -> Lead:
    return mcp.lead()


@pytest.fixture
def client(lead: Lead) -> Client:
    return lead.serve()


@pytest.fixture
def worker(mcp: McpRig, client: Client) -> Agent:
    return mcp.spawned(client)


def _server(lead: Lead) -> int:
    """The server of a lead that has only one."""
    (server,) = psutil.Process(lead.agent.pid).children()
    return server.pid


def _audited(mcp: McpRig, outcome: str, code: int) -> None:
    def line() -> bool:
        found = [it for it in mcp.rig.audit() if it["action"] == "wait"]
        return [(it["outcome"], it["exit_code"]) for it in found] == [(outcome, code)]

    wait_for(line, deadline=20, what=f"a wait audited as {outcome}")


@ON_BOTH
@pytest.mark.requirement("6.24", "6.25")
def test_a_cancelled_wait_ends_at_once_and_is_audited(
    mcp: McpRig, lead: Lead, client: Client, worker: Agent
):
    number = client.start("agents_wait", launch_id=worker.id, timeout_s=600)
    client.ok("agents_status", launch_id=worker.id)
    client.cancel(number)
    _audited(mcp, "cancelled", 7)
    client.ok("agents_status", launch_id=worker.id)


@ON_BOTH
@pytest.mark.requirement("6.24", "6.25")
@pytest.mark.parametrize("how", ["client", "agent"])
def test_no_wait_outlives_its_client_or_its_agent(
    mcp: McpRig, lead: Lead, client: Client, worker: Agent, how: str
):
    client.start("agents_wait", launch_id=worker.id, timeout_s=600)
    client.ok("agents_status", launch_id=worker.id)
    server = _server(lead)
    if how == "client":
        client.close()
    else:
        psutil.Process(lead.agent.pid).kill()
    wait_for(lambda: not alive(server), deadline=20, what="the end of the server")
    _audited(mcp, "cancelled", 7)


@ON_BOTH
@pytest.mark.requirement("6.24", "6.26", "6.27", "A8")
def test_a_wait_ends_where_its_caller_is_not_verified_any_more(
    mcp: McpRig, lead: Lead, client: Client, worker: Agent
):
    number = client.start("agents_wait", launch_id=worker.id, timeout_s=600)
    client.ok("agents_status", launch_id=worker.id)
    lead.agent.kill_pane()
    found = client.result(number, deadline=60)
    assert (found["outcome"], found["exit_code"]) == ("refused", 5)
    assert found["reason"] == "no-identity"
    _audited(mcp, "refused", 5)


@ON_BOTH
@pytest.mark.requirement("A1", "A2", "A6", "A7", "6.28", "6.29")
def test_a_wait_ends_as_the_verb_of_its_name_does(mcp: McpRig, client: Client, worker: Agent):
    found = client.call("agents_wait", launch_id=worker.id, until="error", timeout_s=0.6)
    assert (found["outcome"], found["exit_code"], found["timed_out"]) == ("error", 4, True)
    assert (found["state"], found["status"]) == ("running", "started")
    for wrong in ({"timeout_s": 0}, {"timeout_s": 601}, {"until": "discovered"}):
        found = client.call("agents_wait", launch_id=worker.id, **wrong)
        assert (found["exit_code"], found["reason"]) == (1, "usage")
    unhooked = mcp.rig.profile(("sleep", "1000"), mcp_control=True).name
    other = client.ok("agents_spawn", profile=unhooked)["launch_id"]
    assert client.call("agents_wait", launch_id=other)["exit_code"] == 6
    mcp.rig.control.close(worker.record, PERSON)
    found = client.call("agents_wait", launch_id=worker.id)
    assert (found["outcome"], found["exit_code"], found["status"]) == ("exited", 3, "ended")
    assert client.ok("agents_wait", launch_id=worker.id, until="ended")["status"] == "ended"
    found = client.call("agents_status", launch_id=worker.id)
    assert (found["outcome"], found["exit_code"], found["status"]) == ("exited", 3, "ended")
    found = client.call("agents_send", launch_id=worker.id, text="x")
    assert (found["outcome"], found["exit_code"], found["reason"]) == ("refused", 5, "exited")


@ON_BOTH
@pytest.mark.requirement("6.21", "6.22", "A10")
def test_a_launch_that_is_not_claimed_yet_is_refused_by_all_three(mcp: McpRig, lead: Lead):
    client = lead.serve()
    pending = mcp.rig.pending()
    store = mcp.rig.control.store
    profile, _ = mcp.worker()
    labels = {"profile": profile.name, "spawned_by": lead.id, "root": lead.id}
    store.update(replace(pending.record, labels=labels))
    for tool, more in (("send", {"text": "x"}), ("status", {}), ("wait", {})):
        found = client.call(f"agents_{tool}", launch_id=pending.id, **more)
        assert (found["outcome"], found["exit_code"], found["reason"]) == ("refused", 5, "pending")
