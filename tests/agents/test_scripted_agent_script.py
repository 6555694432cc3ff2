"""The script in a prompt."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tongs_agents.scripted_agent.script import Fail, Leave, Say, Step, UseTool, steps_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("prompt", "steps"),
    [
        ("hello", (Say("ok: hello"),)),
        ("x" * 99, (Say("ok: " + "x" * 60),)),
        ("say [[text:it's: done]] now", (Say("it's: done"),)),
        ("[[slow:2.5:a:b]]", (Say("a:b", 2.5),)),
        ("[[slow:3:]]", (Say("", 3.0),)),
        ("[[tool:Bash]]", (UseTool("Bash"),)),
        ('[[tool:Bash {"a": [[1]]}]]', (UseTool("Bash", {"a": [[1]]}),)),
        ("[[error:529]]", (Fail(529),)),
        ("[[exit:3]]", (Leave(3),)),
        ("[[slow:1:a]]\n[[tool:T {}]][[text:b]]", (Say("a", 1.0), UseTool("T"), Say("b"))),
        ("[[unheard:x]] of", (Say("ok: [[unheard:x]] of"),)),
        ("[[unheard:[[text:x]]", (Say("x"),)),
    ],
)
def test_what_a_prompt_asks_for(prompt: str, steps: tuple[Step, ...]):
    assert steps_of(prompt) == steps


@pytest.mark.parametrize(
    "prompt",
    ["[[text:open", "[[slow:x:y]]", "[[slow:-1:y]]", "[[tool: {}]]", "[[tool:T {]]", "[[exit:no]]"],
)
def test_a_directive_that_cannot_be_understood_is_said_to_be_one(prompt: str):
    (step,) = steps_of(prompt)
    assert isinstance(step, Say)
    assert step.text.startswith("bad directive ")


@given(st.dictionaries(st.text(), JSON))
def test_the_arguments_of_a_tool_arrive_whole(arguments):
    (step,) = steps_of(f"[[tool:NAME {json.dumps(arguments)}]]")
    assert step == UseTool("NAME", arguments)


@given(st.text())
def test_every_prompt_has_a_step(prompt: str):
    assert steps_of(prompt)
    assert steps_of(f"[[{prompt}")
