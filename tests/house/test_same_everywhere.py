"""The command line and the MCP server tell of one failure in one way: every error, every slug."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Iterator, Mapping
from typing import Any

import click
import pytest

from tongs_agents import errors as agents
from tongs_agents.cli import printing
from tongs_agents.cli.main import _failure
from tongs_agents.mcp_server.replies import output_schema
from tongs_agents.mcp_server.server import Tools
from tongs_agents.mcp_server.tool import Call, Tool, object_schema
from tongs_agents.outcomes import RULES, failure, failure_of
from tongs_agents.reasons import REASONS
from tongs_mux import errors as mux
from tongs_mux.model import Check, Verdict

VERDICT = Verdict("replaced", "replaced", (Check("process", False, "another"),))

SAMPLES: Mapping[type[BaseException], BaseException] = {
    mux.PlaceRefused: mux.PlaceRefused("x", path="/p"),
    mux.LaunchAmbiguous: mux.LaunchAmbiguous("x", matches=("a", "b")),
    mux.VerificationFailed: mux.VerificationFailed("x", verdict=VERDICT),
    mux.DeliveryError: mux.DeliveryError("x", reason="dialog"),
    mux.DeliveryRefused: mux.DeliveryRefused("x", reason="draft"),
    mux.DeliveryUncertain: mux.DeliveryUncertain("x", reason="dialog", effect="partial"),
    agents.ConfigError: agents.ConfigError("/c", (agents.Fault("k", 3, "is 0", "1 to 60"),)),
    agents.Refused: agents.Refused("x", reason="inside-agent"),
    agents.Failed: agents.Failed(failure("draft", "x")),
    agents.WaitError: agents.WaitError("x", state="running", status="working"),
    agents.LaunchEnded: agents.LaunchEnded("x", state="exited", status="ended"),
    agents.WaitTimedOut: agents.WaitTimedOut("x", state="running", status="working"),
    agents.WaitCancelled: agents.WaitCancelled("x", state=None, status=None),
    agents.Terminated: agents.Terminated(15, "SIGTERM"),
}
"""Of each error that a message and plain words do not make."""


def _sample(kind: type[BaseException]) -> BaseException:
    if kind in SAMPLES:
        return SAMPLES[kind]
    try:
        takes = inspect.signature(kind).parameters.values()
    except ValueError:  # one of Python's own
        return kind("x")
    named = [each for each in takes if each.kind is each.KEYWORD_ONLY]
    return kind("x", **{each.name: "x" for each in named if each.default is each.empty})


def _every() -> Iterator[Any]:
    for kind in RULES:
        yield pytest.param(_sample(kind), id=kind.__name__)
    for slug in REASONS:
        yield pytest.param(agents.Refused("no", reason=slug), id=f"reason {slug}")


def _tool(error: BaseException) -> Tool:
    def run(_: Call) -> Mapping[str, Any]:
        raise error

    nothing = {"type": "object", "properties": {}}
    return Tool("t", "t", "", object_schema({}), nothing, run)


def _over_mcp(error: BaseException) -> dict[str, Any]:
    async def told() -> dict[str, Any]:
        tools = Tools(None, None, lambda *_: None)  # type: ignore[arg-type]  # neither is asked
        reply, failed = tools._run(_tool(error), Call(), {})
        assert failed
        return reply

    return asyncio.run(told())


@pytest.mark.parametrize("error", list(_every()))
def test_one_failure_is_told_alike_on_the_command_line_and_over_mcp(
    error: BaseException, capsys: pytest.CaptureFixture[str]
):
    found = _failure(error)
    printing.failure(found, as_json=True)
    assert json.loads(capsys.readouterr().out) == _over_mcp(error)
    assert found.reason in REASONS


def test_wrong_usage_is_one_thing_too():
    over_mcp = failure_of(agents.UsageError("t has no argument 'x'"))
    on_the_line = _failure(click.UsageError("No such option: --x"))
    for found in (over_mcp, on_the_line):
        assert (found.outcome, found.exit_code, found.reason) == ("error", 1, "usage")


def test_a_tools_output_schema_has_what_it_answers_and_every_failure():
    gives = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    tool = Tool("t", "t", "", object_schema({}), gives, lambda _: {}, notice="Data.")
    done, failed = output_schema(tool)["oneOf"]
    assert done["required"] == ["notice", "ok", "n"]
    assert failed["required"] == ["notice", "ok", "outcome", "exit_code", "reason", "error"]
    assert done["properties"]["ok"] == {"const": True}
    assert failed["properties"]["ok"] == {"const": False}
