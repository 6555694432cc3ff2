"""A mention wakes an idle agent that may be woken, by the fixed line, and never at a bad moment."""

from __future__ import annotations

import pytest

from tests.stories.both import ON_BOTH
from tests.stories.chat_rig import Person
from tests.stories.mcp_rig import McpRig
from tests.stories.rig import Agent, Verbatim
from tests.waiting import wait_for
from tongs_chat.literals import WAKE_LINE

IDLE = 30.0
"""Seconds by which the person's clock is ahead: the agent has then been done for long enough."""


def done_once(mcp: McpRig, **keys: object) -> Agent:
    """A scripted agent in a real pane whose first turn is over."""
    profile, log = mcp.worker(**keys)
    agent = mcp.rig.spawn(profile, log)
    agent.journal.wait("ready")
    agent.wait_composer("empty")
    agent.send("hello")
    agent.journal.wait("turn-end")
    agent.wait_composer("empty")
    return agent


def prompts(agent: Agent) -> list[str]:
    return [data.decode() for data in agent.journal.submitted()]


@ON_BOTH
@pytest.mark.requirement("5.1", "5.2", "5.6", "5.7", "5.8", "5.9", "A45", "A46")
def test_an_idle_agent_is_woken_by_the_fixed_line(mcp: McpRig):
    person, agent = (
        Person(mcp),
        done_once(mcp, env=Verbatim.table({"TONGS_SCRIPTED_MCP": "at-start"})),
    )
    person.grant(agent, "worker", "chat+wake")
    wait_for(lambda: person.state(agent) == "active", deadline=20, what="tools that are listed")
    person.ahead = IDLE
    assert person.mention("worker", "words-that-no-pane-may-get") == ["ok"]
    wait_for(lambda: prompts(agent) == ["hello", WAKE_LINE], what="the line as a prompt")
    contexts = wait_for(
        lambda: [it["text"] for it in agent.journal.facts("context")], what="the digest"
    )
    assert "words-that-no-pane-may-get" in contexts[-1]
    (sent,) = [it for it in mcp.rig.audit() if it["actor"] == "chat:maintainer"][-1:]
    assert (sent["action"], sent["outcome"], sent["bytes"]) == ("send", "ok", len(WAKE_LINE))
    line = [it for it in person.audited() if it["action"] == "wake"][-1]
    assert (line["actor"], line["target"], line["outcome"]) == ("chat:maintainer", agent.id, "ok")
    assert "words-that-no-pane-may-get" not in mcp.rig.audit_text()


@pytest.mark.requirement("5.1", "2.2")
def test_plain_chat_never_wakes(mcp: McpRig):
    person, agent = Person(mcp), done_once(mcp)
    person.grant(agent, "worker", "chat")
    person.ahead = IDLE
    assert person.mention("worker") == []
    assert prompts(agent) == ["hello"]


@ON_BOTH
@pytest.mark.requirement("5.3", "5.10", "A76")
def test_who_is_not_idle_yet_or_was_just_woken_is_not_woken(mcp: McpRig):
    person, agent = Person(mcp), done_once(mcp)
    person.grant(agent, "worker", "chat+wake")
    assert person.mention("worker") == ["not-idle"]
    person.ahead = IDLE
    assert person.mention("worker") == ["ok"]
    wait_for(lambda: WAKE_LINE in prompts(agent), what="the wake")
    person.ahead = IDLE + 100
    assert person.mention("worker") == ["rate"]
    assert prompts(agent).count(WAKE_LINE) == 1


@ON_BOTH
@pytest.mark.requirement("5.3", "5.10")
@pytest.mark.case("B1")
def test_a_draft_is_left_as_it_is(mcp: McpRig):
    person, agent = Person(mcp), done_once(mcp)
    person.grant(agent, "worker", "chat+wake")
    agent.type("merge PR 10 only af")
    agent.wait_composer("draft")
    person.ahead = IDLE
    with agent.untouched():
        assert person.mention("worker") == ["draft"]
    line = [it for it in person.audited() if it["action"] == "wake"][-1]
    assert (line["outcome"], line["reason"]) == ("refused", "draft")


@pytest.mark.requirement("5.10")
def test_a_grant_whose_process_has_ended_is_stale(mcp: McpRig):
    person, agent = Person(mcp), done_once(mcp)
    person.grant(agent, "worker", "chat+wake")
    agent.kill_pane()
    wait_for(lambda: person.state(agent) == "stale", deadline=20, what="a stale grant")
    person.ahead = IDLE
    assert person.mention("worker") == ["stale"]


@ON_BOTH
@pytest.mark.requirement("A40", "5.2", "5.13")
def test_an_agent_that_mentions_another_wakes_it_and_is_told(mcp: McpRig):
    person, lead, agent = Person(mcp), mcp.lead(), done_once(mcp)
    person.grant(lead.agent, "lead")
    person.grant(agent, "worker", "chat+wake")
    client = lead.serve()
    client.tools()
    first = client.ok("chat_post", channel="general", body="@worker now")
    assert first["wakes"] == [{"handle": "worker", "decision": "not-idle"}]
