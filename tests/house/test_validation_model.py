"""The scripted model server, asked over HTTP as a harness asks it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from validation.model.record import asked
from validation.model.script import Reply, Request, Turn, pieces, plan
from validation.model.server import serving


def said(*texts: str, tools: tuple[str, ...] = ()) -> Request:
    """A conversation that the user begins, the assistant answering in turn."""
    roles = ("user", "assistant")
    turns = tuple(Turn(roles[at % 2], text) for at, text in enumerate(texts))  # type: ignore[arg-type]
    return Request(turns, frozenset(tools))


def test_directives_are_steps_of_one_prompt():
    prompt = "do [[text:first]] and [[slow:2:second]] then [[error:529]]"
    assert plan(said(prompt)) == Reply("first")
    assert plan(said(prompt, "first", "more")) == Reply("second", seconds=2.0)
    assert plan(said(prompt, "a", "b", "c", "d")).status == 529
    assert plan(said(prompt, "a", "b", "c", "d", "e", "f")).text == "(script end)"


def test_the_newest_prompt_with_a_script_rules():
    assert plan(said("[[text:old]]", "old", "[[text:new]]", "new", "no script")).text == (
        "(script end)"
    )
    assert plan(said("[[text:old]]", "old", "[[text:new]]")).text == "new"


def test_a_prompt_without_a_script_is_repeated_back():
    assert plan(said("hello\nthere")).text == "ok: hello there"


def test_only_a_tool_that_is_offered_is_called():
    prompt = '[[tool:Write {"path": "x", "content": {"$repeat": ["ab", 3]}}]]'
    assert plan(said(prompt)).text == "NO SUCH TOOL: Write"
    reply = plan(said(prompt, tools=("Write",)))
    assert (reply.tool, reply.arguments) == ("Write", {"path": "x", "content": "ababab"})


def test_a_script_can_be_handed_on_to_a_subagent():
    prompt = '[[tool:Agent {"prompt": {"$script": ["slow:9:X", "text:Y"]}}]]'
    reply = plan(said(prompt, tools=("Agent",)))
    assert reply.arguments == {"prompt": "[[slow:9:X]][[text:Y]]"}


def test_a_slow_reply_comes_in_pieces_that_take_its_time():
    parts = pieces(Reply("word by word", seconds=3.0))
    assert "".join(text for _, text in parts) == "word by word"
    assert sum(seconds for seconds, _ in parts) == pytest.approx(3.0)
    assert len(parts) > 3


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    with serving(tmp_path / "asked") as port:
        yield f"http://127.0.0.1:{port}/v1/messages", tmp_path / "asked"


def post(url: str, prompt: str, **more: Any) -> tuple[int, str]:
    body = {"model": "m", "messages": [{"role": "user", "content": prompt}], **more}
    headers = {"content-type": "application/json", "x-api-key": "secret"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)  # noqa: S310 -- loopback
    try:
        with urllib.request.urlopen(request) as answer:  # noqa: S310 -- loopback
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def events(stream: str) -> list[dict[str, Any]]:
    return [json.loads(line[6:]) for line in stream.splitlines() if line.startswith("data: ")]


def test_a_streamed_text(served: tuple[str, Path]):
    status, stream = post(served[0], "[[text:hello]]", stream=True)
    kinds = [event["type"] for event in events(stream)]
    assert status == 200
    assert (kinds[0], kinds[-1]) == ("message_start", "message_stop")
    texts = [event["delta"]["text"] for event in events(stream) if "text" in event.get("delta", {})]
    assert texts == ["hello"]


def test_a_streamed_tool_call(served: tuple[str, Path]):
    _, stream = post(
        served[0], '[[tool:Bash {"command": "ls"}]]', stream=True, tools=[{"name": "Bash"}]
    )
    found = [event for event in events(stream) if event["type"] == "content_block_delta"]
    assert json.loads(found[0]["delta"]["partial_json"]) == {"command": "ls"}
    assert events(stream)[-2]["delta"]["stop_reason"] == "tool_use"


def test_a_plain_answer_and_a_failure(served: tuple[str, Path]):
    status, text = post(served[0], "[[text:hello]]")
    assert (status, json.loads(text)["content"]) == (200, [{"type": "text", "text": "hello"}])
    assert post(served[0], "[[error:529]]")[0] == 529
    assert post(served[0].replace("messages", "else"), "x")[0] == 404


def test_each_request_is_on_record_without_its_key(served: tuple[str, Path]):
    post(served[0], "[[text:one]] nonce-1")
    post(served[0], "[[text:two]] nonce-2")
    post(f"{served[0]}/count_tokens", "nonce-3")
    found = asked(served[1])
    assert [request.holds("nonce-1") for request in found] == [True, False]
    assert found[1].holds("two", "nonce-2")
    assert not found[1].holds("two", "nonce-1")
    assert not any("secret" in file.read_text("utf-8") for file in served[1].iterdir())
