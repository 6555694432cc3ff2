"""The rules of agent control on real panes: each test breaks one of them and no other.

What is refused is undone afterwards, where that can be, and then the same call is allowed.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from tests.stories.both import ON_BOTH
from tests.stories.mcp_rig import SERVER, Client, Lead, McpRig
from tests.stories.rig import PERSON, UNTYPED, Agent, Rig, failed
from tests.waiting import wait_for
from tongs_agents.mcp_server.names import AGENTS, FLEET
from tongs_mux.files import private_dir
from tongs_mux.model import LaunchRecord, ProcessIdentity
from tongs_mux.text import sha256


@dataclass(frozen=True)
class Pair:
    """A lead, its client, and a worker that it started."""

    mcp: McpRig
    lead: Lead
    client: Client
    worker: Agent

    @property
    def rig(self) -> Rig:
        return self.mcp.rig

    def refused(
        self, reason: str, client: Client | None = None, **expected: object
    ) -> dict[str, Any]:
        """A send to the worker that is refused, audited as that, and types nothing."""
        found = (client or self.client).call("agents_send", launch_id=self.worker.id, text=UNTYPED)
        self.is_refusal(found, reason, "send")
        line = self.mcp.audited("send")
        expected = {"actor": f"mcp:{self.lead.id}", "caller": self.lead.id, **expected}
        expected |= {
            "target": self.worker.id,
            "bytes": len(UNTYPED),
            "sha256": sha256(UNTYPED.encode()),
        }
        assert {name: line.get(name) for name in expected} == expected
        assert UNTYPED not in self.rig.audit_text()
        assert UNTYPED.encode() not in self.worker.journal.typed()
        return found

    def is_refusal(self, found: dict[str, Any], reason: str, action: str) -> None:
        assert (found["ok"], found["exit_code"], found["reason"]) == (False, 5, reason), found
        assert found["outcome"] == ("rate-limited" if reason == "rate" else "refused")
        line = self.mcp.audited(action)
        assert (line["outcome"], line["exit_code"], line["reason"]) == (found["outcome"], 5, reason)
        assert "act" not in line, "a refusal that began"

    def allowed(self) -> None:
        """The same call is allowed now; so no other rule was broken."""
        self.client.ok("agents_status", launch_id=self.worker.id)

    def no_spawn(self, reason: str, profile: str | None = None) -> dict[str, Any]:
        """A spawn that is refused and opens no pane."""
        before = self.rig.panes()
        name = profile or self.worker.record.labels["profile"]
        found = self.client.call("agents_spawn", profile=name)
        self.is_refusal(found, reason, "spawn")
        assert self.rig.panes() == before
        return found

    @contextmanager
    def recorded(
        self, agent: Agent, change: Callable[[LaunchRecord], LaunchRecord]
    ) -> Iterator[None]:
        """Inside, the launch record says something else."""
        store = self.rig.control.store
        before = store.read(agent.id)
        store.update(change(before))
        yield
        store.update(before)


@pytest.fixture
def pair(mcp: McpRig) -> Pair:
    lead = mcp.lead()
    client = lead.serve()
    return Pair(mcp, lead, client, mcp.spawned(client))


# -- rule 1: the caller is who its server says


@ON_BOTH
@pytest.mark.requirement("6.9", "A87")
def test_a_server_that_is_not_its_launchs_own_has_no_identity(pair: Pair, tmp_path: Path):
    lead = pair.lead
    copied = pair.mcp.outside(TONGS_AGENTS_LAUNCH_ID=lead.id)
    found = pair.refused("no-identity", copied)
    assert failed_checks(found) == ["below"]
    outside = lead.serve("setsid", "--fork", *SERVER)
    assert failed_checks(pair.refused("no-identity", outside)) == ["below"]
    shell = lead.serve("sh", "-c", '"$0" "$@"; true', *SERVER)
    assert failed_checks(pair.refused("no-identity", shell)) == ["between"]
    nested = tmp_path / "claude"
    starts = f"import subprocess, sys; sys.exit(subprocess.call({SERVER!r}))"
    nested.write_text(f"#!{sys.executable} -I\n{starts}\n", encoding="utf-8")
    nested.chmod(0o755)
    assert failed_checks(pair.refused("no-identity", lead.serve(str(nested)))) == ["between"]
    pair.allowed()


def failed_checks(found: dict[str, Any]) -> list[str]:
    return [check["name"] for check in found["checks"] if check["passed"] is not True]


@ON_BOTH
@pytest.mark.requirement("6.9", "6.31")
def test_a_server_of_no_launch_is_refused_and_audited(pair: Pair):
    pair.refused("no-identity", pair.mcp.outside(), actor="mcp", caller=None)


@ON_BOTH
@pytest.mark.requirement("6.9", "A14")
def test_another_process_under_the_callers_pid_is_not_the_caller(pair: Pair):
    def reused(record: LaunchRecord) -> LaunchRecord:
        assert record.claim is not None
        pid = record.claim.process.pid
        return replace(record, claim=replace(record.claim, process=ProcessIdentity(pid, "boot:1")))

    with pair.recorded(pair.lead.agent, reused):
        assert "process" in failed_checks(pair.refused("no-identity"))
    pair.allowed()


@ON_BOTH
@pytest.mark.requirement("6.9", "A14")
def test_a_caller_whose_pane_is_gone_is_refused_though_it_lives(pair: Pair):
    pair.lead.agent.kill_pane()
    wait_for(lambda: pair.lead.agent.state() == "not-listed", what="a pane that is gone")
    assert "listed" in failed_checks(pair.refused("no-identity"))


@pytest.mark.requirement("6.9", "A14")
def test_a_caller_whose_pane_is_anothers_by_now_is_refused_though_it_lives(pair: Pair):
    pair.rig.tmux("respawn-pane", "-k", "-t", pair.lead.agent.pane, "sleep", "1000")
    assert "pane-process" in failed_checks(pair.refused("no-identity"))


@ON_BOTH
@pytest.mark.requirement("A86")
def test_another_config_or_state_by_environment_is_refused(pair: Pair, tmp_path: Path):
    rig = pair.rig
    evil = tmp_path / "evil.toml"
    shutil.copy(rig.places.config, evil)
    other = pair.lead.serve(env={"TONGS_AGENTS_CONFIG": str(evil)})
    assert failed_checks(pair.refused("unknown-place", other)) == ["places"]
    state = private_dir(tmp_path / "state")
    shutil.copytree(rig.places.launches, state / "launches")
    forged = pair.lead.serve(env={"TONGS_AGENTS_STATE_DIR": str(state)})
    found = forged.call("agents_send", launch_id=pair.worker.id, text=UNTYPED)
    assert (found["exit_code"], found["reason"]) == (5, "unknown-place")
    runtime = private_dir(tmp_path / "runtime")
    elsewhere = pair.lead.serve(env={"TONGS_AGENTS_RUNTIME_DIR": str(runtime)})
    assert failed_checks(pair.refused("unknown-place", elsewhere)) == ["places"]
    pair.allowed()


@ON_BOTH
@pytest.mark.requirement("6.9", "A95")
def test_a_multiplexer_that_gives_no_answer_is_unknown_and_never_a_no(pair: Pair):
    with pair.rig.silent():
        found = pair.refused("unknown")
    assert failed_checks(found) == ["answered"]
    pair.allowed()


# -- rule 2: named profiles that have opted in


@ON_BOTH
@pytest.mark.requirement("6.10", "A17")
@pytest.mark.parametrize("whose", ["lead", "worker"])
def test_a_profile_that_has_not_opted_in_neither_calls_nor_is_called(pair: Pair, whose: str):
    agent = pair.lead.agent if whose == "lead" else pair.worker
    name = agent.record.labels["profile"]
    pair.rig.reprofile(name, mcp_control=False)
    pair.refused("not-opted-in")
    if whose == "worker":
        pair.no_spawn("not-opted-in")
    pair.rig.reprofile(name, mcp_control=True)
    pair.allowed()
    pair.rig.forget_profile(name)
    pair.refused("not-opted-in")


@pytest.mark.requirement("6.2", "6.10")
@pytest.mark.parametrize("name", ["nobody", "bash -c true", "../worker", "P0"])
def test_nothing_but_a_configured_profile_is_started(pair: Pair, name: str):
    pair.no_spawn("no-such-profile", name)


@pytest.mark.requirement("6.2")
@pytest.mark.parametrize("argument", ["command", "args", "env", "cwd", "prompt", "session"])
def test_no_argument_says_how_or_where_to_start(pair: Pair, argument: str):
    before = pair.rig.panes()
    profile = pair.worker.record.labels["profile"]
    found = pair.client.call("agents_spawn", profile=profile, **{argument: "x"})
    assert (found["outcome"], found["exit_code"], found["reason"]) == ("error", 1, "usage")
    assert pair.mcp.audited("spawn")["reason"] == "usage"
    assert pair.rig.panes() == before


# -- rule 3: somebody else


@ON_BOTH
@pytest.mark.requirement("6.11", "A18")
@pytest.mark.parametrize("tool", ["agents_send", "agents_status", "agents_wait"])
def test_nobody_drives_himself_by_his_launch(pair: Pair, tool: str):
    pair.mcp.set(mcp_any_target=True)
    more = {"text": UNTYPED} if tool == "agents_send" else {}
    found = pair.client.call(tool, launch_id=pair.lead.id, **more)
    pair.is_refusal(found, "self", tool.removeprefix("agents_"))


@ON_BOTH
@pytest.mark.requirement("6.11")
def test_nobody_drives_himself_by_his_pane(pair: Pair):
    labels = {**pair.worker.record.labels}
    other = replace(pair.lead.agent.record, launch_id="cafe" * 3, labels=labels)
    pair.rig.control.store.create(other)
    found = pair.client.call("agents_send", launch_id=other.launch_id, text=UNTYPED)
    pair.is_refusal(found, "self", "send")


# -- rule 4: what the caller started


@ON_BOTH
@pytest.mark.requirement("6.12", "A11")
def test_what_another_caller_or_a_person_started_is_not_the_callers(pair: Pair):
    other = pair.mcp.lead().serve()
    for tool, more in (
        ("agents_send", {"text": UNTYPED}),
        ("agents_status", {}),
        ("agents_wait", {}),
    ):
        found = other.call(tool, launch_id=pair.worker.id, **more)
        pair.is_refusal(found, "not-owner", tool.removeprefix("agents_"))
    profile, log = pair.mcp.worker()
    persons = pair.rig.spawn(profile, log)
    found = pair.client.call("agents_status", launch_id=persons.id)
    pair.is_refusal(found, "not-owner", "status")
    pair.mcp.set(mcp_any_target=True)
    other.ok("agents_status", launch_id=pair.worker.id)
    pair.client.ok("agents_status", launch_id=persons.id)


# -- who may spawn


@ON_BOTH
@pytest.mark.requirement("6.16", "A19")
def test_an_agent_that_an_agent_started_starts_none_and_drives_its_own(pair: Pair):
    mcp = pair.mcp
    profile, path = mcp.host()
    spawned = pair.client.ok("agents_spawn", profile=profile.name)
    child = mcp.of(mcp.agent(spawned["launch_id"], Path("/dev/null")), path)
    client = child.serve()
    nested = Pair(mcp, child, client, pair.worker)
    nested.no_spawn("nested-spawn")
    mcp.set(mcp_nested_spawn=True)
    grandchild = mcp.spawned(client)
    assert grandchild.record.labels["root"] == pair.lead.id
    mcp.set(mcp_nested_spawn=False)
    client.ok("agents_send", launch_id=grandchild.id, text="hello")
    nested.no_spawn("nested-spawn")


# -- rule 5: rates and caps


@ON_BOTH
@pytest.mark.requirement("6.13", "6.17", "6.20", "A3")
def test_a_full_window_refuses_and_a_restarted_server_remembers_it(pair: Pair):
    pair.mcp.set(mcp_rate_per_minute=1)
    pair.client.ok("agents_send", launch_id=pair.worker.id, text="[[text:one]]")
    pair.refused("rate")
    pair.client.close()
    restarted = pair.lead.serve()
    pair.refused("rate", restarted)
    restarted.ok("agents_status", launch_id=pair.worker.id)
    # one spawn of this minute made the worker: they are counted apart, and are full too
    Pair(pair.mcp, pair.lead, restarted, pair.worker).no_spawn("rate")
    pair.mcp.set(mcp_rate_per_minute=2)
    restarted.ok("agents_send", launch_id=pair.worker.id, text="[[text:two]]")
    pair.refused("rate", restarted)


@ON_BOTH
@pytest.mark.requirement("6.19")
def test_what_failed_or_was_refused_takes_no_slot(pair: Pair):
    pair.mcp.set(mcp_rate_per_minute=2)
    pair.client.ok("agents_send", launch_id=pair.worker.id, text="[[tool:Bash {}]]")
    pair.worker.wait_dialog()
    for _ in range(3):
        found = pair.client.call("agents_send", launch_id=pair.worker.id, text=UNTYPED)
        assert (found["exit_code"], found["reason"]) == (5, "dialog")
    found = pair.client.call("agents_send", launch_id=pair.worker.id, text="\x1b[201~")
    assert (found["exit_code"], found["reason"]) == (5, "bad-text")
    assert pair.client.call("agents_send", launch_id="nobody-here", text="x")["exit_code"] == 1
    missing = pair.rig.profile(("no-such-command-anywhere",), mcp_control=True).name
    for _ in range(2):
        failed = pair.client.call("agents_spawn", profile=missing)
        assert (failed["exit_code"], failed["reason"]) == (1, "start-failed")
    pair.worker.press("Escape")
    pair.worker.wait_composer("empty")
    pair.client.ok("agents_send", launch_id=pair.worker.id, text="[[text:two]]")
    pair.refused("rate")
    pair.mcp.spawned(pair.client)
    pair.no_spawn("rate")


@ON_BOTH
@pytest.mark.requirement("A100")
@pytest.mark.case("I6")
@pytest.mark.parametrize("cap", ["max-live", "max-spawns"])
def test_agents_below_one_root_are_capped(pair: Pair, cap: str):
    key = cap.replace("-", "_")
    pair.mcp.set(**{f"mcp_{key}": 1})
    pair.no_spawn(cap)
    pair.rig.control.close(pair.worker.record, PERSON)
    if cap == "max-live":
        pair.mcp.spawned(pair.client)
    pair.no_spawn(cap)


# -- rule 6: the session runs


@ON_BOTH
@pytest.mark.requirement("6.14")
def test_a_session_that_does_not_run_is_not_started(pair: Pair):
    pair.rig.rename_session("elsewhere")
    pair.no_spawn("no-session")
    pair.allowed()


@ON_BOTH
@pytest.mark.requirement("6.14", "A97")
def test_a_session_that_ends_between_the_look_and_the_act_is_not_started_either(rig: Rig):
    agent = rig.start()
    before, gone = rig.panes(), replace(rig.where, session="gone")
    starter = replace(rig.starter(), within=gone)
    profile = starter.config.profiles[agent.record.labels["profile"]]
    found = failed(starter.spawn, profile, PERSON)
    assert (found.exit_code, found.outcome, found.reason) == (5, "refused", "no-session")
    assert rig.panes() == before
    assert not rig.control.backends(gone).has_session("gone")
    line = rig.audit()[-1]
    assert (line["action"], line["outcome"], line["reason"]) == ("spawn", "refused", "no-session")
    assert [it.launch_id for it in rig.control.store.all()] == [agent.id]


# -- the switch


@ON_BOTH
@pytest.mark.requirement("6.7", "A20")
def test_what_is_switched_off_or_in_error_refuses_running_servers(pair: Pair):
    pair.mcp.set(mcp_enabled=False)
    pair.refused("disabled")
    pair.no_spawn("disabled")
    for tool in ("agents_status", "agents_wait"):
        found = pair.client.call(tool, launch_id=pair.worker.id)
        pair.is_refusal(found, "disabled", tool.removeprefix("agents_"))
    pair.mcp.set(mcp_enabled=True)
    pair.allowed()
    pair.mcp.set(mcp_no_such_key=1)
    pair.refused("disabled")
    pair.mcp.set(mcp_no_such_key=None)
    pair.allowed()


@pytest.mark.requirement("6.6", "6.7")
@pytest.mark.parametrize("wrong", [{"mcp_enabled": False}, {"mcp_rate_per_minute": 0}])
def test_a_server_that_starts_switched_off_or_with_a_faulty_config_lists_no_such_tool(
    mcp: McpRig, wrong: dict[str, object]
):
    lead = mcp.lead()
    mcp.set(**wrong)
    client = lead.serve()
    assert client.tools() == list(FLEET)
    mcp.set(mcp_enabled=True, mcp_rate_per_minute=6)
    assert "error" in client.answer(client.start("agents_status", launch_id=lead.id))
    assert lead.serve().tools() == [*FLEET, *AGENTS]


# -- the order


@pytest.mark.requirement("6.9", "6.10", "6.11", "6.12", "6.13", "6.14", "6.16")
def test_of_several_broken_rules_the_first_is_named(mcp: McpRig):
    """Everything is broken; then one after the other is mended."""
    lead, other = mcp.lead(), mcp.lead()
    client = lead.serve("sh", "-c", '"$0" "$@"; true', *SERVER)
    good = lead.serve()
    profile, _ = mcp.worker()
    good.ok("agents_spawn", profile=profile.name)
    store = mcp.rig.control.store
    spawned = {**lead.agent.record.labels, "spawned_by": other.id, "root": lead.id}
    store.update(replace(lead.agent.record, labels=spawned))
    mcp.rig.reprofile(lead.agent.record.labels["profile"], mcp_control=False)
    mcp.rig.rename_session("elsewhere")
    mcp.set(mcp_enabled=False, mcp_rate_per_minute=1, mcp_max_live=1, mcp_max_spawns=1)

    def reason(at: Client, name: str) -> str:
        return str(at.call("agents_spawn", profile=name)["reason"])

    assert reason(client, "nobody") == "disabled"
    mcp.set(mcp_enabled=True)
    assert reason(client, "nobody") == "no-identity"
    assert reason(good, "nobody") == "not-opted-in"
    mcp.rig.reprofile(lead.agent.record.labels["profile"], mcp_control=True)
    assert reason(good, "nobody") == "no-such-profile"
    assert reason(good, profile.name) == "nested-spawn"
    mcp.set(mcp_nested_spawn=True)
    assert reason(good, profile.name) == "rate"
    mcp.set(mcp_rate_per_minute=60)
    assert reason(good, profile.name) == "max-live"
    mcp.set(mcp_max_live=8)
    assert reason(good, profile.name) == "max-spawns"
    mcp.set(mcp_max_spawns=50)
    assert reason(good, profile.name) == "no-session"
    mcp.rig.tmux("rename-session", "-t", "=elsewhere", mcp.rig.session)
    good.ok("agents_spawn", profile=profile.name)
