"""The scripted agent as an MCP client: in its turns, and over real servers in a real pane."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.agents.test_scripted_agent_live import Live
from tests.agents.test_scripted_agent_turns import ENTER, ESCAPE, Stage
from tests.mcp_client import SERVER
from tests.waiting import wait_for
from tongs_agents.mcp_server.names import FLEET
from tongs_agents.scripted_agent.known import Known
from tongs_agents.scripted_agent.mcp_client import LEGACY, MODERN, ToolReply
from tongs_agents.scripted_agent.mcp_config import ServerCommand, load, split
from tongs_agents.scripted_agent.options import MCP_VARIABLE
from tongs_agents.scripted_agent.turn import CallTool, Offered

SPAWNED = ToolReply(known=True, content={"ok": True, "launch_id": "abc", "pane": {"pane_id": "%3"}})


def played(stage: Stage, *answers: bool | ToolReply) -> list[Offered | CallTool]:
    """What was asked of servers, each answered."""
    for answer in answers:
        token, _ = stage.tools[-1]
        stage.agent.tool_done(token, answer, stage.now)
        stage.settle()
    return [request for _, request in stage.tools]


def test_a_tool_of_a_server_is_looked_for_asked_about_and_called():
    stage = Stage()
    stage.do('[[tool:mcp__s__spawn {"profile":"w"}]]', ENTER)
    assert played(stage, True) == [Offered("mcp__s__spawn")]
    assert stage.agent.view(stage.now).dialog == 'mcp__s__spawn {"profile": "w"}'
    stage.do(ENTER)
    assert played(stage, SPAWNED)[1:] == [
        CallTool("mcp__s__spawn", {"profile": "w"}, "toolu_000001")
    ]
    [result] = stage.told("tool-result")
    assert result["content"] == SPAWNED.content
    assert stage.calls[-2].fields["tool_response"] == SPAWNED.content
    assert stage.events[-1] == "turn-end"


def test_what_is_allowed_runs_without_a_question_and_its_reply_can_be_used():
    stage = Stage()
    again = '[[tool:mcp__s__free {"a":"{{launch_id}}","b":"in {{pane_id}}, {{nothing}}","c":1}]]'
    stage.do("[[tool:mcp__s__free]]" + again, ENTER)
    asked = played(stage, True, SPAWNED, True)
    assert asked[-1] == CallTool(
        "mcp__s__free", {"a": "abc", "b": "in %3, {{nothing}}", "c": 1}, "toolu_000002"
    )
    assert "dialog" not in stage.events


def test_a_tool_that_no_server_lists_is_not_called_unless_it_is_forced():
    stage = Stage()
    stage.do("[[tool:mcp__s__free]][[text:on]]", ENTER)
    played(stage, False)
    assert stage.told("no-such-tool") == [{"tool": "mcp__s__free"}]
    assert stage.events[-1] == "turn-end"
    stage.do("[[force:mcp__s__free]]", ENTER)
    assert isinstance(stage.tools[-1][1], CallTool)


def test_an_interrupt_takes_the_call_back_and_its_answer_comes_too_late():
    stage = Stage()
    stage.do("[[tool:mcp__s__free]]", ENTER)
    played(stage, True)
    token, request = stage.tools[-1]
    assert isinstance(request, CallTool)
    stage.do(ESCAPE)
    assert stage.taken_back == [token]
    played(stage, SPAWNED)
    assert stage.told("tool-result") == []
    assert stage.events[-2:] == ["interrupted", "turn-end"]


def test_of_a_list_the_first_is_known():
    known = Known()
    known.learn({"mentions": [{"id": 7}, {"id": 8}], "removed": [], "names": ["x"]})
    assert known.fields == {"id": 7}
    assert known.filled({"thread": "{{id}}", "body": "re {{id}}"}) == {
        "thread": 7,
        "body": "re 7",
    }


def test_servers_come_from_every_config_and_the_last_of_a_name_counts(tmp_path: Path):
    file = tmp_path / "servers.json"
    two = {"a": {"command": "x"}, "b": {"command": "y", "args": ["-z"], "env": {"N": "1"}}}
    file.write_text(json.dumps({"mcpServers": two}), encoding="utf-8")
    found = load([str(file), '{"mcpServers": {"a": {"command": "w"}}}'])
    assert found == (ServerCommand("a", ("w",)), ServerCommand("b", ("y", "-z"), (("N", "1"),)))
    for wrong in ("{}", '{"mcpServers": {"a": {}}}', '{"mcpServers": []}', "{"):
        with pytest.raises(ValueError):
            load([wrong])


def test_a_tools_name_says_its_server():
    assert split("mcp__tongs-agents__fleet_status") == ("tongs-agents", "fleet_status")
    assert split("Bash") is split("mcp__x") is split("mcp____y") is None


# -- real servers


def config(*argv: str, name: str = "tongs-agents") -> str:
    server = {"command": argv[0], "args": list(argv[1:])}
    return json.dumps({"mcpServers": {name: server}})


def told(live: Live, event: str) -> list[dict[str, Any]]:
    if not live.log.exists():
        return []
    lines = [json.loads(line) for line in live.log.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line["event"] == event]


@pytest.mark.parametrize(("options", "protocol"), [((), MODERN), (("--old-mcp",), LEGACY)])
def test_it_lists_and_calls_our_server_and_ends_it_when_it_leaves(
    tmux_socket: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    protocol: str,
):
    if not options:
        monkeypatch.delenv(MCP_VARIABLE)  # started at once, as real harnesses do
    prompt = "[[tool:mcp__tongs-agents__fleet_status]][[exit:0]]"
    allow = json.dumps({"permissions": {"allow": ["mcp__tongs-agents__fleet_status"]}})
    flags = ("--mcp-config", config(*SERVER), "--settings", allow)
    live = Live(tmux_socket, tmp_path / "log", *options, *flags, "--", prompt)
    wait_for(lambda: told(live, "exit"), deadline=30)
    [listed] = told(live, "mcp-tools")
    assert (listed["tools"], listed["protocol"]) == (list(FLEET), protocol)
    [result] = told(live, "tool-result")
    assert result["content"] == {"ok": True, "sessions": [], "counts": {}}
    assert not Path(f"/proc/{listed['pid']}").exists()


@pytest.mark.parametrize("options", [(), ("--old-mcp",)])
def test_a_changed_list_is_seen_in_the_same_turn(
    tmux_socket: str, tmp_path: Path, options: tuple[str, ...]
):
    (tmp_path / "presence").write_text("hidden", encoding="utf-8")
    odd = config(sys.executable, "-m", "tests.agents.odd_server", str(tmp_path), name="odd")
    allow = json.dumps({"permissions": {"allow": ["mcp__odd__extra", "mcp__odd__wait"]}})
    prompt = '[[tool:mcp__odd__extra]][[tool:mcp__odd__wait {"name":"a"}]][[tool:mcp__odd__extra]]'
    flags = ("--mcp-config", odd, "--settings", allow)
    live = Live(tmux_socket, tmp_path / "log", *options, *flags, "--", prompt)
    wait_for((tmp_path / "a.began").exists, deadline=30)
    assert len(told(live, "no-such-tool")) == 1
    (tmp_path / "presence").write_text("listed", encoding="utf-8")
    wait_for(lambda: len(told(live, "mcp-tools")) == 2, what="a second listing")
    (tmp_path / "a.go").touch()
    wait_for(lambda: len(told(live, "tool-result")) == 2, what="the second call")
    assert told(live, "tool-result")[1]["content"] == {"notice": "N.", "ok": True}


def test_escape_cancels_the_call_at_the_server(tmux_socket: str, tmp_path: Path):
    odd = config(sys.executable, "-m", "tests.agents.odd_server", str(tmp_path), name="odd")
    allow = json.dumps({"permissions": {"allow": ["mcp__odd__wait"]}})
    prompt = '[[tool:mcp__odd__wait {"name":"a"}]]'
    flags = ("--mcp-config", odd, "--settings", allow)
    live = Live(tmux_socket, tmp_path / "log", *flags, "--", prompt)
    wait_for((tmp_path / "a.began").exists, deadline=30)
    live.tmux("send-keys", "Escape")
    wait_for((tmp_path / "a.cancelled").exists)


def test_a_server_that_can_not_be_started_is_said_and_has_no_tools(
    tmux_socket: str, tmp_path: Path
):
    flags = ("--mcp-config", config("no-such-program-anywhere"))
    live = Live(tmux_socket, tmp_path / "log", *flags, "--", "[[tool:mcp__tongs-agents__x]]")
    wait_for(lambda: told(live, "no-such-tool"), deadline=30)
    assert told(live, "mcp-gone")
