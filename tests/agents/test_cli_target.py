"""LAUNCH: an id, an unambiguous prefix, a handle; no match and many are both errors."""

from __future__ import annotations

import json

import pytest

from tests.agents.cli_rig import Cli


@pytest.fixture
def two(cli: Cli) -> Cli:
    """Two records whose ids share their beginning, and a third."""
    cli.configure()
    original = cli.spawn("cat")
    launches = cli.state / "launches"
    record = json.loads((launches / f"{original}.json").read_text(encoding="utf-8"))
    for launch_id in ("abcd00000001", "abcd00000002", "abcd0000"):
        path = launches / f"{launch_id}.json"
        path.write_text(json.dumps({**record, "launch_id": launch_id}), encoding="utf-8")
        path.chmod(0o600)
    (launches / f"{original}.json").unlink()
    return cli


def test_an_exact_id_wins_over_longer_ones(two: Cli):
    assert two.ok("agent-status", "abcd0000")["launch_id"] == "abcd0000"


def test_a_prefix_that_fits_one_is_enough(two: Cli):
    assert two.ok("agent-status", "abcd00000002")["launch_id"] == "abcd00000002"


@pytest.mark.parametrize("verb", ["agent-status", "focus", "capture", "close", "respawn"])
def test_an_ambiguous_prefix_lists_every_match(two: Cli, verb: str):
    answer = two.run(verb, "abcd")
    assert (answer.code, answer.json["reason"]) == (1, "ambiguous")
    assert answer.json["matches"] == ["abcd0000", "abcd00000001", "abcd00000002"]
    people = two.text(verb, "abcd")
    assert all(match in people.err for match in answer.json["matches"])


@pytest.mark.parametrize("text", ["nope", "", "../launches/abcd0000", "%", "-", "*", "bcd0"])
def test_no_match_is_an_error_and_never_the_active_one(two: Cli, text: str):
    answer = two.run("agent-status", "--", text) if text != "-" else two.run("agent-status", text)
    assert (answer.code, answer.json["reason"]) == (1, "no-such-launch")
    assert "tongs-agents list" in answer.json["hint"]


def test_a_profile_is_no_launch_but_its_live_ones_are_named(two: Cli):
    one, other, ended = two.spawn("cat"), two.spawn("cat"), two.spawn("opaque")
    for launch_id in ("abcd00000001", "abcd00000002", "abcd0000"):
        (two.state / "launches" / f"{launch_id}.json").unlink()
    two.ok("close", ended)
    for verb in (["capture", "cat"], ["send", "cat", "x"], ["close", "cat"], ["wait", "cat"]):
        answer = two.run(*verb)
        assert (answer.code, answer.json["reason"]) == (1, "no-such-launch")
        assert answer.json["error"] == "no launch begins with 'cat': that is a profile"
        assert answer.json["hint"] == f"name one of its launches: {one}, {other}"
    for profile in ("opaque", "worker"):
        hint = two.run("focus", profile).json["hint"]
        assert hint == f"it has no live launch: `tongs-agents spawn {profile}` starts one"
    two.config.write_text("nonsense = 1\n", encoding="utf-8")
    assert "tongs-agents list" in two.run("focus", "worker").json["hint"]
    assert two.run("focus", "cat").json["hint"].endswith(f"{one}, {other}")


def test_a_handle_is_known_only_with_a_grant(two: Cli):
    answer = two.run("send", "@lead", "x")
    assert (answer.code, answer.json["reason"]) == (1, "no-such-launch")
    assert "grant" in answer.json["hint"]
