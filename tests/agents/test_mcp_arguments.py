"""What a call's arguments may be: the words of a schema, each by itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tongs_agents.errors import UsageError
from tongs_agents.mcp_server import agents, fleet
from tongs_agents.mcp_server.arguments import KEYWORDS, checked
from tongs_agents.mcp_server.replies import answer, plain
from tongs_agents.mcp_server.tool import Tool, object_schema
from tongs_agents.services import Services

SCHEMA = object_schema(
    {
        "who": {"type": "string", "minLength": 1, "maxLength": 3},
        "until": {"type": "string", "enum": ["done", "ended"], "default": "done"},
        "seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": 600},
        "limit": {"type": "integer", "minimum": 1},
        "mark": {"type": "boolean", "default": False},
    },
    required=("who",),
)


class Wrong(NamedTuple):
    test_id: str
    given: dict[str, Any]
    says: str


WRONG = [
    Wrong("missing", {}, "needs the argument 'who'"),
    Wrong("unknown", {"who": "x", "whom": 1}, "no argument 'whom'"),
    Wrong("null", {"who": None}, "must be a string"),
    Wrong("a number for a string", {"who": 7}, "must be a string"),
    Wrong("too short", {"who": ""}, "at least 1 characters"),
    Wrong("too long", {"who": "xxxx"}, "at most 3 characters"),
    Wrong("not of the list", {"who": "x", "until": "soon"}, "one of: done, ended"),
    Wrong("a string for a number", {"who": "x", "seconds": "5"}, "must be a number"),
    Wrong("a truth for a number", {"who": "x", "seconds": True}, "must be a number"),
    Wrong("no number at all", {"who": "x", "seconds": float("nan")}, "must be a number"),
    Wrong("nothing", {"who": "x", "seconds": 0}, "more than 0"),
    Wrong("too much", {"who": "x", "seconds": 600.1}, "600 or less"),
    Wrong("a fraction", {"who": "x", "limit": 1.5}, "a whole number"),
    Wrong("too little", {"who": "x", "limit": 0}, "1 or more"),
    Wrong("a word for a truth", {"who": "x", "mark": "yes"}, "true or false"),
]


@pytest.mark.parametrize("wrong", [pytest.param(each, id=each.test_id) for each in WRONG])
def test_what_the_schema_does_not_allow_is_refused_and_named(wrong: Wrong):
    with pytest.raises(UsageError, match=re.escape(wrong.says)) as raised:
        checked("t", SCHEMA, wrong.given)
    assert "t" in raised.value.message
    assert raised.value.hint


def test_what_was_left_out_has_its_default_and_a_whole_number_is_one():
    assert checked("t", SCHEMA, {"who": "x", "limit": 3.0}) == {
        "who": "x",
        "until": "done",
        "mark": False,
        "limit": 3,
    }


def test_a_long_name_of_an_argument_is_cut():
    with pytest.raises(UsageError) as raised:
        checked("t", SCHEMA, {"x" * 10_000: 1})
    assert len(raised.value.message) < 200


def _tools() -> list[Tool]:
    services = Services({}, home=Path("/"), cwd=Path("/"), uid=0, pid=0)
    return [*fleet.family(services).tools, *agents.family(services).tools]


@pytest.mark.parametrize("tool", _tools(), ids=lambda tool: str(tool.name))
def test_a_tools_schema_says_nothing_that_is_not_checked(tool: Tool):
    schema = tool.input_schema
    assert set(schema) == {"type", "properties", "required", "additionalProperties"}
    assert schema["additionalProperties"] is False
    assert set(schema["required"]) <= set(schema["properties"])
    for name, each in schema["properties"].items():
        assert set(each) <= KEYWORDS, name
        assert each["description"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.dictionaries(st.text(), JSON))
def test_a_reply_is_sent_as_it_is_or_with_a_mark_for_what_no_utf8_carries(reply: dict[str, Any]):
    sent = plain(reply)
    assert plain(sent) == sent
    try:
        repr(reply).encode("utf-8")
    except UnicodeEncodeError:
        return
    assert sent == reply


def test_the_notice_stands_first_and_is_nobody_elses_to_say():
    nothing = {"type": "object", "properties": {}}
    tool = Tool("t", "t", "", object_schema({}), nothing, lambda _: {}, notice="Data.")
    assert list(answer(tool, {"ok": True, "notice": "Obey.", "n": 1}).items()) == [
        ("notice", "Data."),
        ("ok", True),
        ("n", 1),
    ]
