"""Chat between launches in real panes: only where it was granted, only while that holds."""

from __future__ import annotations

import sqlite3

import pytest

from tests.stories.both import ON_BOTH
from tests.stories.chat_rig import Person
from tests.stories.mcp_rig import McpRig
from tests.waiting import wait_for
from tongs_agents.mcp_server.names import AGENTS, CHAT, FLEET
from tongs_chat.literals import NOTICE

BASE = [*FLEET, *AGENTS]
CHANGED = "notifications/tools/list_changed"


@ON_BOTH
@pytest.mark.requirement("2.11", "2.14", "3.9", "3.10", "3.13", "3.15", "A12", "A37")
@pytest.mark.case("F2")
def test_the_tools_come_with_a_grant_and_go_with_a_revoke(mcp: McpRig):
    person, lead = Person(mcp), mcp.lead()
    client = lead.serve()
    assert client.tools() == BASE
    early = client.call("chat_post", channel="general", body="too early")
    assert (early["exit_code"], early["reason"], early["notice"]) == (5, "not-granted", NOTICE)
    person.grant(lead.agent, "lead")
    assert person.state(lead.agent) == "tools-pending"
    wait_for(lambda: CHANGED in client.told, deadline=20, what="word of the new tools")
    assert client.tools()[: len(BASE) + 3] == [*BASE, *CHAT]
    wait_for(lambda: person.state(lead.agent) == "active", what="tools that are not pending")
    assert client.ok("chat_inbox")["handle"] == "lead"
    client.told.clear()
    person.desk.revoke(lead.id)
    late = client.call("chat_inbox")
    assert (late["exit_code"], late["reason"], late["notice"]) == (5, "not-granted", NOTICE)
    wait_for(lambda: CHANGED in client.told, deadline=20, what="word that they are gone")
    assert client.tools() == BASE


@ON_BOTH
@pytest.mark.requirement("1.15", "1.16", "3.2", "3.3", "3.5", "A22", "A23", "A77")
def test_two_agents_and_a_person_talk(mcp: McpRig):
    person, lead, other = Person(mcp), mcp.lead(), mcp.lead()
    person.grant(lead.agent, "lead")
    person.grant(other.agent, "other")
    first, second = lead.serve(), other.serve()
    posted = first.ok("chat_post", channel="general", body="@other and @maintainer: @nobody is")
    assert (posted["mentioned"], posted["wakes"]) == (["other", "maintainer"], [])
    inbox = second.ok("chat_inbox")
    assert inbox["mentions_total"] == 1
    assert [(it["author"], it["id"]) for it in inbox["mentions"]] == [("lead", posted["id"])]
    page = second.ok("chat_read", channel="general", mark_read=True)
    assert next(iter(page)) == "notice"
    assert [it["author"] for it in page["messages"]] == ["lead"]
    wait_for(lambda: second.ok("chat_inbox")["mentions_total"] == 0, what="a mention that was read")
    answer = second.ok("chat_post", channel="general", body="yes", thread=posted["id"])
    assert answer["thread"] == posted["id"]
    assert person.said() == [
        ("lead", "@other and @maintainer: @nobody is"),
        ("other", "yes"),
    ]


@pytest.mark.requirement("3.7", "3.8", "2.13")
def test_a_copied_launch_id_gets_no_chat_tools(mcp: McpRig):
    person, lead = Person(mcp), mcp.lead()
    person.grant(lead.agent, "lead")
    assert CHAT[0] in lead.serve().tools()
    thief = mcp.outside(TONGS_AGENTS_LAUNCH_ID=lead.id)
    assert not set(CHAT) & set(thief.tools())
    reply = thief.answer(thief.start("chat_post", channel="general", body="as the lead"))
    assert "error" in reply or reply["result"]["isError"] is True
    assert person.said() == []


@ON_BOTH
@pytest.mark.requirement("2.9", "2.12")
def test_a_grant_ends_with_its_process(mcp: McpRig):
    person, lead = Person(mcp), mcp.lead()
    person.grant(lead.agent, "lead")
    lead.agent.kill_pane()
    wait_for(lambda: person.state(lead.agent) == "stale", deadline=20, what="a stale grant")
    assert [each.handle for each in person.desk.remove_stale()] == ["lead"]
    assert person.desk.granted() == ()
    line = [it for it in person.audited() if it["action"] == "remove-stale"][-1]
    assert (line["target"], line["outcome"]) == (lead.id, "ok")


@pytest.mark.requirement("3.6", "1.24")
def test_a_refused_call_is_audited_without_a_word_of_its_text(mcp: McpRig):
    person, lead = Person(mcp), mcp.lead()
    person.grant(lead.agent, "lead")
    client = lead.serve()
    client.tools()
    text = "words-that-no-log-may-hold"
    refused = client.call("chat_post", channel="no-such", body=text)
    assert refused["reason"] == "no-such-channel"
    wrong = client.call("chat_read", channel="general", limit=51)
    assert (wrong["reason"], wrong["exit_code"]) == ("usage", 1)
    unknown = client.call("chat_post", channel="general", body=text, author="maintainer")
    assert unknown["reason"] == "usage"
    lines = [it for it in person.audited() if it["actor"] == f"mcp:{lead.id}"]
    assert [(it["action"], it["reason"]) for it in lines] == [
        ("chat-post", "no-such-channel"),
        ("chat-read", "usage"),
        ("chat-post", "usage"),
    ]
    assert text not in person.services.places.chat_audit.read_text(encoding="utf-8")


@pytest.mark.requirement("3.23", "A34")
def test_a_locked_store_is_busy_and_nothing_is_written(mcp: McpRig):
    person, lead = Person(mcp), mcp.lead()
    person.grant(lead.agent, "lead")
    client = lead.serve()
    client.tools()
    holder = sqlite3.connect(person.services.places.chat_db, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        found = client.call("chat_post", channel="general", body="now")
    finally:
        holder.close()
    assert (found["outcome"], found["exit_code"]) == ("busy", 1)
    assert person.said() == []
    assert client.ok("chat_post", channel="general", body="again")["id"] > 0


@pytest.mark.requirement("1.4", "A27")
def test_nothing_but_a_grant_makes_the_file(mcp: McpRig):
    person, lead = Person(mcp), mcp.lead()
    client = lead.serve()
    client.tools()
    client.call("chat_inbox")
    assert person.desk.newest(None, limit=20) == ()
    assert person.desk.prune() is None
    assert person.desk.purge() is False
    assert not person.services.places.chat_dir.exists()


@pytest.mark.requirement("A78")
def test_a_purge_ends_every_grant_and_the_next_begins_anew(mcp: McpRig):
    person, lead = Person(mcp), mcp.lead()
    person.grant(lead.agent, "lead")
    client = lead.serve()
    client.tools()
    client.ok("chat_post", channel="general", body="before")
    assert person.desk.purge() is True
    assert client.call("chat_inbox")["reason"] == "not-granted"
    person.grant(lead.agent, "again")
    wait_for(lambda: client.call("chat_inbox")["ok"], deadline=10, what="chat after the purge")
    assert person.said() == []
