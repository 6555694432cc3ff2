"""Many calls of one caller side by side, and many callers below one root."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.stories.both import ON_BOTH
from tests.stories.mcp_rig import Client, Lead, McpRig
from tests.stories.rig import PERSON, RAW, Agent
from tests.waiting import wait_for
from tongs_mux.files import locked, private_dir


def _raw(mcp: McpRig, client: Client) -> Agent:
    """A worker of the caller that takes any text, and keeps it."""
    log = mcp.rig.log()
    profile = mcp.rig.profile((*RAW, "--log", str(log)), mcp_control=True)
    agent = mcp.agent(client.ok("agents_spawn", profile=profile.name)["launch_id"], log)
    agent.journal.wait("ready")
    return agent


@ON_BOTH
@pytest.mark.requirement("6.13", "6.18", "6.19", "A13")
def test_of_20_parallel_sends_exactly_the_allowed_number_is_done(mcp: McpRig):
    client = mcp.lead().serve()
    worker = _raw(mcp, client)
    asked = [
        client.start("agents_send", launch_id=worker.id, text=f"text {at}") for at in range(20)
    ]
    found = [client.result(number, deadline=120) for number in asked]
    assert Counter(it.get("reason", "ok") for it in found) == {"ok": 6, "rate": 14}
    assert len(worker.journal.submitted()) == 6
    outcomes = [it for it in mcp.rig.audit() if it["action"] == "send" and it["phase"] == "outcome"]
    assert Counter(it["outcome"] for it in outcomes) == {"ok": 6, "rate-limited": 14}


@ON_BOTH
@pytest.mark.requirement("6.13", "6.18", "6.20", "A13")
def test_of_20_parallel_spawns_exactly_the_allowed_number_is_done(mcp: McpRig):
    client = mcp.lead().serve()
    profile, _ = mcp.worker()
    before = len(mcp.rig.panes())
    asked = [client.start("agents_spawn", profile=profile.name) for _ in range(20)]
    found = [client.result(number, deadline=120) for number in asked]
    assert Counter(it.get("reason", "ok") for it in found) == {"ok": 6, "rate": 14}
    assert len(mcp.rig.panes()) == before + 6


@ON_BOTH
@pytest.mark.requirement("6.18")
def test_a_call_that_takes_its_time_holds_up_no_other(mcp: McpRig):
    mcp.set(mcp_rate_per_minute=60)
    client = mcp.lead().serve()
    busy, free = _raw(mcp, client), _raw(mcp, client)
    waiter = mcp.spawned(client)
    locks = private_dir(mcp.rig.places.runtime_dir / "locks")
    waits = [
        client.start("agents_wait", launch_id=waiter.id, until="ended", timeout_s=600)
        for _ in range(18)
    ]
    with locked(locks / f"{busy.id}.send", deadline=10):
        held = client.start("agents_send", launch_id=busy.id, text="held up")
        client.ok("agents_send", launch_id=free.id, text="free")
        client.ok("agents_status", launch_id=free.id)
        assert not client.is_answered(held)
    assert client.result(held)["ok"] is True
    assert not any(map(client.is_answered, waits))
    mcp.rig.control.close(waiter.record, PERSON)
    assert {client.result(number)["status"] for number in waits} == {"ended"}


@ON_BOTH
@pytest.mark.requirement("A100", "A13")
@pytest.mark.case("I6")
@pytest.mark.parametrize("cap", ["max-live", "max-spawns"])
def test_two_spawns_race_for_the_last_place_and_one_gets_it(mcp: McpRig, cap: str):
    lead = mcp.lead()
    one, other = lead.serve(), lead.serve()
    mcp.set(mcp_rate_per_minute=60, **{f"mcp_{cap.replace('-', '_')}": 2})
    profile, _ = mcp.worker()
    one.ok("agents_spawn", profile=profile.name)
    asked = [(it, it.start("agents_spawn", profile=profile.name)) for it in (one, other)]
    found = [client.result(number) for client, number in asked]
    assert sorted(it.get("reason", "ok") for it in found) == [cap, "ok"]


@ON_BOTH
@pytest.mark.requirement("A100", "6.16")
@pytest.mark.case("I6")
def test_children_that_spawn_in_a_loop_stop_at_the_cap_of_their_root(mcp: McpRig):
    mcp.set(mcp_nested_spawn=True, mcp_rate_per_minute=60, mcp_max_live=4, mcp_max_spawns=5)
    root = mcp.lead()
    client = root.serve()
    before = len(mcp.rig.panes())
    generation = [_child(mcp, client), _child(mcp, client)]
    callers = [client, *(lead.serve() for lead in generation)]
    profile, _ = mcp.worker()
    asked = [
        (it, it.start("agents_spawn", profile=profile.name)) for it in callers for _ in range(4)
    ]
    found = [it.result(number) for it, number in asked]
    assert Counter(it.get("reason", "ok") for it in found) == {"ok": 2, "max-live": 10}
    assert len(mcp.rig.panes()) == before + 4
    started = [it for it in found if it["ok"]]
    for reply in started:
        mcp.rig.control.close(mcp.rig.control.store.read(reply["launch_id"]), PERSON)
    found = [it.call("agents_spawn", profile=profile.name) for it in callers for _ in range(2)]
    assert Counter(it.get("reason", "ok") for it in found) == {"ok": 1, "max-spawns": 5}
    # another root is another root
    mcp.lead().serve().ok("agents_spawn", profile=profile.name)


def _child(mcp: McpRig, client: Client) -> Lead:
    profile, path = mcp.host()
    reply = client.ok("agents_spawn", profile=profile.name)
    return mcp.of(mcp.agent(reply["launch_id"], Path("/dev/null")), path)


@ON_BOTH
@pytest.mark.requirement("6.12")
@pytest.mark.case("I7")
def test_whose_opener_has_ended_is_an_orphan_and_ends_nobody(mcp: McpRig):
    lead = mcp.lead()
    worker = mcp.spawned(lead.serve())
    assert mcp.cli("list")["launches"][1]["orphan"] is False
    mcp.rig.control.close(lead.agent.record, PERSON)
    wait_for(lead.agent.gone, what="the end of the lead")
    found = {it["launch_id"]: it for it in mcp.cli("list")["launches"]}
    assert (found[worker.id]["orphan"], found[worker.id]["spawned_by"]) == (True, lead.id)
    assert mcp.cli("gc", "--dry-run")["orphans"] == [worker.id]
    assert mcp.cli("gc")["removed"] == [lead.id]
    assert mcp.cli("gc", "--dry-run")["orphans"] == [worker.id]
    assert worker.state() == "running"
