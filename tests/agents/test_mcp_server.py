"""The MCP server as a process: handshakes, listings, calls, and what is on the wire."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.mcp_client import SERVER, RawClient
from tests.waiting import wait_for
from tongs_agents.mcp_server.instructions import INSTRUCTIONS, MAX_BYTES
from tongs_agents.mcp_server.names import FLEET, SERVER_NAME

LISTEN = {"notifications": {"toolsListChanged": True}}
CHANGED = "notifications/tools/list_changed"


@pytest.fixture(params=[False, True], ids=["2025", "2026"])
def modern(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def client(modern: bool) -> Iterator[RawClient]:
    """The real server, in an empty home, in both generations."""
    with RawClient(modern=modern) as found:
        yield found


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path


def odd(place: Path, *, modern: bool = False) -> RawClient:
    """A server with tools that misbehave."""
    root = Path(__file__).parents[2]
    argv = (sys.executable, "-m", "tests.agents.odd_server", str(place))
    return RawClient(argv, modern=modern, cwd=root)


def test_both_generations_are_served_and_hear_of_changes(client: RawClient):
    said = client.open()
    assert said["capabilities"]["tools"] == {"listChanged": True}
    assert said["instructions"] == INSTRUCTIONS
    info = said.get("serverInfo") or said["_meta"]["io.modelcontextprotocol/serverInfo"]
    assert info["name"] == SERVER_NAME
    assert client.close() == 0


def test_the_instructions_are_not_cut_off():
    assert len(INSTRUCTIONS.encode()) <= MAX_BYTES


@pytest.mark.requirement("7.1", "A12", "11.3")
def test_five_tools_are_there_with_nothing_configured(client: RawClient):
    client.open()
    assert client.tools() == list(FLEET)


def test_every_tool_has_schemas_that_name_all_there_is(client: RawClient):
    client.open()
    for tool in client.result("tools/list")["tools"]:
        assert tool["description"]
        assert tool["inputSchema"]["type"] == "object"
        assert tool["inputSchema"]["additionalProperties"] is False
        assert tool["outputSchema"]["type"] == "object"


def test_an_argument_that_the_schema_does_not_name_is_refused(client: RawClient):
    client.open()
    found = client.call("fleet_status", verbose=True)
    assert (found["outcome"], found["exit_code"], found["reason"]) == ("error", 1, "usage")
    assert "verbose" in found["error"]


def test_an_unknown_tool_is_an_error_of_the_protocol_and_nothing_else_is(client: RawClient):
    client.open()
    answer = client.answer(client.begin("agents_rm"))
    assert answer["error"]["code"] == -32602
    assert "agents_rm" in answer["error"]["message"]


@pytest.mark.requirement("A72")
def test_where_a_launch_was_given_a_server_the_installed_one_lists_nothing(modern: bool):
    environ = {"TONGS_AGENTS_ATTACHED": "yes"}
    for origin, tools in (("installed", []), ("attached", list(FLEET))):
        argv = (*SERVER, "--from", origin)
        with RawClient(argv, environ=environ, modern=modern) as client:
            assert client.open()["instructions"] == INSTRUCTIONS
            assert client.tools() == tools
            assert "error" in client.answer(client.begin("agents_rm"))


def test_it_asks_for_nothing_that_it_does_not_know():
    with RawClient((*SERVER, "--form", "attached")) as client:
        assert client.process.wait(10) == 1
        assert wait_for(lambda: b"usage:" in client.errors)
        assert client.heard == []


def test_what_anything_prints_never_reaches_the_client(place: Path, modern: bool):
    with odd(place, modern=modern) as client:
        client.open()
        assert client.call("shout") == {"ok": True}
        assert client.close() == 0
        assert {message["jsonrpc"] for message in client.heard} == {"2.0"}
        said = (b"a library", b"straight to", b"a child")
        wait_for(lambda: all(words in client.errors for words in said))


def test_calls_never_wait_for_each_other(place: Path):
    with odd(place) as client:
        client.open()
        waits = {str(at): client.begin("wait", name=str(at)) for at in range(60)}
        for name in waits:
            wait_for((place / f"{name}.began").exists)
        assert client.call("large", size=3)["text"] == "xxx"
        (place / "17.go").touch()
        assert client.reply(waits["17"]) == {"ok": True, "name": "17"}
        answered = {message["id"] for message in client.heard if "id" in message}
        assert answered.isdisjoint(set(waits.values()) - {waits["17"]})


@pytest.mark.requirement("A8")
def test_a_cancelled_call_is_told_so_and_gets_no_reply(place: Path, modern: bool):
    with odd(place, modern=modern) as client:
        client.open()
        waiting = client.begin("wait", name="a")
        wait_for((place / "a.began").exists)
        client.notify("notifications/cancelled", {"requestId": waiting, "reason": "Esc"})
        wait_for((place / "a.cancelled").exists, deadline=2)
        client.call("large", size=1)
        assert waiting not in {message.get("id") for message in client.heard}


def test_progress_reaches_a_client_that_asked_for_it(place: Path, modern: bool):
    with odd(place, modern=modern) as client:
        client.open()
        client.begin("wait", name="a")
        [told] = wait_for(lambda: client.notified("notifications/progress"))
        params = told["params"]
        assert (params["progressToken"], params["progress"]) == ("p", 0.5)
        assert params["message"] == "waiting"


def test_a_fault_of_ours_is_a_failed_call_and_the_server_goes_on(place: Path):
    with odd(place) as client:
        client.open()
        found = client.call("broken")
        assert (found["exit_code"], found["reason"]) == (1, "failed")
        assert client.call("large", size=1)["ok"] is True


def test_a_call_with_wrong_arguments_is_reported_and_never_run(place: Path):
    with odd(place) as client:
        client.open()
        assert client.call("wait", name=7)["reason"] == "usage"
        assert (place / "denied-wait").exists()
        assert not list(place.glob("*.began"))


def test_half_a_surrogate_pair_reaches_the_tool_which_says_no(place: Path):
    with odd(place) as client:
        client.open()
        found = client.call("surrogate", text="\ud800 é")
        assert (found["exit_code"], found["reason"]) == (5, "bad-text")
        assert found["error"] == "half a pair: ? é"


@pytest.mark.parametrize(
    ("line", "request_id", "code"),
    [
        (b"not json", None, -32700),
        (b'{"jsonrpc": "2.0", "id": 77}', 77, -32600),
        (b"[" * 100_000, None, -32700),
        (b'"text"', None, -32600),
    ],
    ids=["text", "no-method", "deep", "string"],
)
def test_a_line_that_is_no_message_is_answered_and_the_next_is_served(
    line: bytes, request_id: int | None, code: int
):
    with RawClient() as client:
        client.raw(line + b"\r\n\n")
        found = wait_for(lambda: client.heard)[0]
        assert (found["id"], found["error"]["code"]) == (request_id, code)
        client.open()
        assert client.tools() == list(FLEET)


@pytest.mark.requirement("3.10", "3.14")
def test_a_changed_list_is_told_in_the_way_of_the_generation(place: Path, modern: bool):
    (place / "presence").write_text("hidden", encoding="utf-8")
    with odd(place, modern=modern) as client:
        client.open()
        if modern:
            client.ask("subscriptions/listen", LISTEN)
            wait_for(lambda: client.notified("notifications/subscriptions/acknowledged"))
        assert "extra" not in client.tools()
        (place / "presence").write_text("listed", encoding="utf-8")
        wait_for(lambda: client.notified(CHANGED), what="word of the new tool")
        assert client.tools()[-1] == "extra"
        wait_for((place / "listed-0").exists)
        (place / "presence").write_text("trouble", encoding="utf-8")
        wait_for(lambda: len(client.notified(CHANGED)) == 2, what="word of its end")
        assert "extra" not in client.tools()
        assert client.call("extra") == {"notice": "N.", "ok": True}  # hidden: it says why itself
        (place / "presence").write_text("absent", encoding="utf-8")
        client.tools()
        assert "error" in client.answer(client.begin("extra"))
        assert len(client.notified(CHANGED)) == 2


def test_a_listing_that_changed_before_anybody_asked_is_no_change(place: Path):
    (place / "presence").write_text("listed", encoding="utf-8")
    with odd(place) as client:
        client.open()
        assert client.tools()[-1] == "extra"
        wait_for((place / "listed-0").exists)
        assert client.notified(CHANGED) == []


def test_a_failure_opens_with_the_notice_too(place: Path):
    (place / "presence").write_text("listed", encoding="utf-8")
    with odd(place) as client:
        client.open()
        client.tools()
        found = client.call("extra", more=1)
        assert list(found)[:2] == ["notice", "ok"]
        assert (found["notice"], found["reason"]) == ("N.", "usage")


def test_requests_that_were_piped_in_are_answered_before_the_end():
    with RawClient() as client:
        info = {"name": "pipe", "version": "1"}
        params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info}
        lines = [
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
            {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": FLEET[0]}},
        ]
        client.raw("".join(json.dumps(line) + "\n" for line in lines).encode())
        assert client.close() == 0
        found = wait_for(lambda: len(client.heard) == 3 and client.heard)
        assert found
        assert [message["id"] for message in found] == [1, 2, 3]
        assert all("result" in message for message in found)


LOADED = """
import sys, threading
from tongs_agents.mcp_server import assembly, main, serve
from tongs_agents.services import Services
made = assembly.assembled(Services.of_process(), "attached")
assert [len(family.tools) for family in made.families][:1] == [5]
heavy = {name.partition(".")[0] for name in sys.modules}
print(sorted(heavy & {"libtmux", "psutil", "textual", "rich", "tomlkit", "sqlite3"}))
"""


def test_a_server_that_only_waits_for_calls_has_loaded_nothing_for_them():
    """There is one for each agent (P7)."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", LOADED], capture_output=True, encoding="utf-8", timeout=60
    )
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_the_verb_serves_the_same():
    program = str(Path(sys.executable).with_name("tongs-agents"))
    with RawClient((program, "mcp", "--from", "attached")) as client:
        client.open()
        assert client.tools() == list(FLEET)
        assert client.close() == 0
