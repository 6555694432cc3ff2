"""Inside an agent's process tree only some verbs are open (A65)."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest

from tests.agents.cli_rig import PROGRAM, Cli, arguments, commands
from tests.waiting import wait_for
from tongs_agents.cli.group import VerbGroup
from tongs_agents.cli.verb import Verb
from tongs_agents.inside import NAMELESS, agent_around
from tongs_mux.ids import is_launch_id
from tongs_mux.model import Claim, LaunchRecord, ProcessFacts, ProcessIdentity
from tongs_mux.process import Processes

pytestmark = pytest.mark.requirement("A65")

AGENT = "aaaabbbbcccc"
VARIABLE = {"TONGS_AGENTS_LAUNCH_ID": AGENT}
OPEN = {"list", "demo", "doctor", "mcp", "config path", "config check"}
OWN = {"agent-status", "wait"}
VERBS = [
    pytest.param(" ".join(words), command, id=" ".join(words))
    for words, command in commands()
    if not isinstance(command, VerbGroup)
]


class Family(Processes):
    """Processes that descend from each other: pid to parent, all with the token ``t<pid>``."""

    def __init__(
        self,
        parents: Mapping[int, int],
        zombies: tuple[int, ...] = (),
        environs: Mapping[int, dict[str, str]] | None = None,
    ) -> None:
        self.parents = parents
        self.zombies = zombies
        self.environs = environs or {}

    def facts(self, pid: int) -> ProcessFacts | None:
        if pid not in self.parents:
            return None
        zombie = pid in self.zombies
        return ProcessFacts(pid, self.parents[pid], f"t{pid}", "x", pid, pid, zombie=zombie)

    def argv(self, pid: int) -> tuple[str, ...]:
        return ()

    def environ(self, pid: int) -> dict[str, str]:
        return self.environs.get(pid, {})

    def pids(self) -> tuple[int, ...]:
        return tuple(self.parents)


STATE = Path("/the/state")
FAMILY = Family({1: 0, 10: 1, 20: 10, 30: 20, 40: 1})


def _record(launch_id: str, pid: int, token: str | None) -> LaunchRecord:
    record = LaunchRecord(launch_id, created_at=0.0, argv=("x",), cwd="/")
    server = ProcessIdentity(5, "t5")
    return replace(record, claim=Claim(ProcessIdentity(pid, token), "%0", "/s", server, at=0.0))


@pytest.mark.parametrize(
    ("pid", "records", "environ", "expected"),
    [
        (30, [], {}, None),
        (30, [_record(AGENT, 10, "t10")], {}, AGENT),
        (10, [_record(AGENT, 10, "t10")], {}, AGENT),
        (40, [_record(AGENT, 10, "t10")], {}, None),
        (30, [_record(AGENT, 10, "another")], {}, None),
        (30, [_record(AGENT, 10, None)], {}, None),
        (30, [LaunchRecord(AGENT, 0.0, ("x",), "/")], {}, None),
        (30, [_record(AGENT, 10, "t10"), _record("nearer-one", 20, "t20")], {}, "nearer-one"),
        (30, [], VARIABLE, AGENT),
        (30, [_record("the-real-one", 10, "t10")], VARIABLE, "the-real-one"),
        (30, [], {"TONGS_AGENTS_LAUNCH_ID": ""}, None),
        (30, [], {"TONGS_AGENTS_LAUNCH_ID": "../../etc"}, NAMELESS),
        (30, [], {"TONGS_AGENTS_LAUNCH_ID": "\udcff\n"}, NAMELESS),
    ],
    ids=[
        *("nobody", "below", "itself", "beside", "pid reused", "no start token", "unclaimed"),
        *("nearest", "variable", "ancestor before variable", "empty", "odd", "no text"),
    ],
)
def test_who_is_around_us(
    pid: int, records: list[LaunchRecord], environ: Mapping[str, str], expected: str | None
):
    assert agent_around(environ, pid, records, FAMILY, STATE) == expected


def test_an_ancestor_that_has_ended_does_not_count():
    records = [_record(AGENT, 10, "t10")]
    family = Family(FAMILY.parents, zombies=(10,))
    assert agent_around({}, 30, records, family, STATE) is None


HERE = {**VARIABLE, "TONGS_AGENTS_STATE_DIR": str(STATE)}
ELSEWHERE = {**VARIABLE, "TONGS_AGENTS_STATE_DIR": "/another/state"}
LIAR = {"TONGS_AGENTS_LAUNCH_ID": "another-one"}


@pytest.mark.parametrize(
    ("environs", "environ", "expected"),
    [
        ({10: HERE}, {}, AGENT),
        ({30: HERE}, {}, AGENT),
        ({10: HERE, 20: HERE}, VARIABLE, AGENT),
        ({10: VARIABLE}, {}, AGENT),
        ({10: ELSEWHERE}, {}, None),
        ({40: HERE}, {}, None),
        ({10: HERE}, LIAR, NAMELESS),
        ({10: HERE, 20: LIAR}, {}, NAMELESS),
        ({10: {**HERE, "TONGS_AGENTS_LAUNCH_ID": "\udcff"}}, {}, NAMELESS),
        ({10: {**HERE, "TONGS_AGENTS_STATE_DIR": "/the/../the/state/"}}, {}, AGENT),
    ],
    ids=[
        *("an ancestor", "itself", "all say the same", "no state dir named", "elsewhere"),
        *("beside", "contradicted here", "contradicted above", "odd", "another way there"),
    ],
)
def test_what_an_ancestor_was_started_with_counts_without_any_record(
    environs: Mapping[int, dict[str, str]], environ: Mapping[str, str], expected: str | None
):
    family = Family(FAMILY.parents, environs=environs)
    assert agent_around(environ, 30, [], family, STATE) == expected


def test_a_record_is_believed_before_any_environment():
    family = Family(FAMILY.parents, environs={20: {**HERE, **LIAR}})
    assert agent_around(LIAR, 30, [_record(AGENT, 10, "t10")], family, STATE) == AGENT


def test_the_word_for_no_launch_is_none():
    assert not is_launch_id(NAMELESS)


@pytest.mark.parametrize(("name", "command"), VERBS)
def test_a_verb_is_refused_inside_unless_it_is_listed(name: str, command: Verb):
    expected = "open" if name in OPEN else "own-launch" if name in OWN else "refused"
    assert command.inside == expected


def test_a_new_verb_is_refused_by_itself():
    @click.command("new", cls=Verb, example="tongs-agents new")
    def new() -> None:
        """Do something."""

    assert isinstance(new, Verb)
    assert new.inside == "refused"


@pytest.mark.parametrize(("name", "command"), VERBS)
def test_each_verb_inside(name: str, command: Verb, cli: Cli):
    if name == "demo":  # in places of its own; the stories run it
        return
    cli.configure()
    words = [*name.split(), *arguments(command)]
    if command.json:
        words.append("--json")
    answer = cli.text(*words, environ=VARIABLE)
    if name in OPEN:
        assert answer.code == 0
        assert cli.audited() == []
        return
    assert answer.code == 5
    said = json.loads(answer.out)["reason"] if command.json else answer.err
    assert "inside-agent" in said or "not open to agents" in said
    line = cli.audited()[-1]
    expected = {
        "phase": "outcome",
        "actor": f"cli:{AGENT}",
        "caller": AGENT,
        "action": name.replace(" ", "-"),
        "outcome": "refused",
        "exit_code": 5,
        "reason": "inside-agent",
    }
    assert {key: line.get(key) for key in expected} == expected
    assert "act" not in line


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["send", "--help"]], ids=" ".join)
def test_help_stays_open(words: list[str], cli: Cli):
    assert cli.text(*words, environ=VARIABLE).code == 0


@pytest.mark.parametrize("value", ["x", "../../../etc/passwd", "UPPER-CASE", "a b", "\n", "é" * 40])
def test_no_value_of_the_variable_breaks_the_refusal(value: str, cli: Cli):
    answer = cli.run("status", environ={"TONGS_AGENTS_LAUNCH_ID": value})
    assert answer.json["reason"] == "inside-agent"
    line = cli.audited()[-1]
    assert line["actor"] == f"cli:{NAMELESS}"
    assert "caller" not in line


def test_an_empty_variable_is_none(cli: Cli):
    assert cli.text("status", environ={"TONGS_AGENTS_LAUNCH_ID": ""}).code == 0


def test_a_refusal_that_cannot_be_audited_is_1(cli: Cli):
    cli.state.parent.mkdir(parents=True)
    cli.state.write_text("in the way", encoding="utf-8")
    answer = cli.run("config show", environ=VARIABLE)
    assert answer.code in (1, 5)
    assert answer.json["reason"] in ("audit", "unknown-place")


@pytest.fixture
def agent(cli: Cli) -> Any:
    """Starts an agent that forgets our variable, runs words, and lives on; the answers, by file."""

    def start(*lines: str, environ: str = "") -> tuple[str, list[dict[str, Any]]]:
        program = f"env -u TONGS_AGENTS_LAUNCH_ID {environ} {shlex.quote(PROGRAM)}"
        asked = [f"{program} {line} --json > {n}; mv {n} {n}.json" for n, line in enumerate(lines)]
        script = "; ".join(("me=$TONGS_AGENTS_LAUNCH_ID", *asked, "exec sleep 600"))
        command = json.dumps(["sh", "-c", script])
        cli.configure(f"[profiles.agent]\ncommand = {command}\n")
        launch = cli.spawn("agent")
        answers = [cli.home / f"{n}.json" for n in range(len(lines))]
        wait_for(answers[-1].exists, deadline=20, what="the agent's commands")
        return launch, [json.loads(path.read_text(encoding="utf-8")) for path in answers]

    return start


def test_an_agent_without_the_variable_is_known_by_its_tree(cli: Cli, agent: Any):
    launch, (close, status, listed) = agent("close $me", "status", "list")
    assert (close["reason"], status["reason"]) == ("inside-agent", "inside-agent")
    assert [each["launch_id"] for each in listed["launches"]] == [launch]
    refusals = [line for line in cli.audited() if line.get("reason") == "inside-agent"]
    assert [line["actor"] for line in refusals] == [f"cli:{launch}"] * 2
    assert refusals[0]["target"] == launch
    assert cli.ok("agent-status", launch)["state"] == "running"


def test_an_agent_may_ask_for_its_own_status_alone(cli: Cli, agent: Any):
    cli.configure()
    other = cli.spawn("cat")
    launch, (own, prefix, another, unknown) = agent(
        "agent-status $me --why", "agent-status ${me%????}", f"agent-status {other}",
        "agent-status no-such",
    )  # fmt: skip
    assert own["launch_id"] == prefix["launch_id"] == launch
    assert own["evidence"]
    assert another["reason"] == unknown["reason"] == "inside-agent"
    assert cli.audited()[-2]["target"] == other


def test_the_claimed_process_itself_is_inside(cli: Cli):
    program = f"env -u TONGS_AGENTS_LAUNCH_ID {shlex.quote(PROGRAM)}"
    command = json.dumps(["sh", "-c", f"exec {program} status --json > own.json"])
    cli.configure(f"[profiles.agent]\ncommand = {command}\n")
    cli.run("spawn", "agent")
    own = cli.home / "own.json"
    found = wait_for(lambda: own.read_text(encoding="utf-8") if own.exists() else "")
    assert json.loads(found)["reason"] == "inside-agent"


RECORD = "$TONGS_AGENTS_STATE_DIR/launches/$TONGS_AGENTS_LAUNCH_ID.json"


@pytest.mark.parametrize(
    "spoil",
    [
        f"chmod 644 {RECORD}",
        f"rm {RECORD}",
        f"echo [] > {RECORD}",
        f"mv {RECORD} ${{TONGS_AGENTS_STATE_DIR}}/launches/another-one.json",
        f"""sed -i 's/"pid":.*/"pid": 1,/' {RECORD}""",
    ],
    ids=["open to others", "removed", "broken", "renamed", "another's"],
)
def test_an_agent_that_spoils_its_own_record_opens_nothing(cli: Cli, spoil: str):
    cli.configure()
    other = cli.spawn("cat")
    words = f"env -u TONGS_AGENTS_LAUNCH_ID {shlex.quote(PROGRAM)} send {other} x --json"
    _within(cli, f"{spoil}; {words}")
    assert "x" not in cli.screen(other)


def test_a_deep_tree_is_walked_to_its_top(cli: Cli):
    cli.configure()
    other = cli.spawn("cat")
    words = f"env -u TONGS_AGENTS_LAUNCH_ID {shlex.quote(PROGRAM)} send {other} x --json"
    script = cli.home / "deep"
    # each shell waits for the next: `; :` keeps it from becoming that one
    script.write_text(
        f'[ "$1" = 0 ] && exec {words}\nenv -i "PATH=$PATH" "HOME=$HOME" '
        '"XDG_STATE_HOME=$XDG_STATE_HOME" "XDG_CONFIG_HOME=$XDG_CONFIG_HOME" '
        '"XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR" sh "$0" $(($1 - 1)); :\n',
        encoding="utf-8",
    )
    _within(cli, f"sh {script} 70")
    assert "x" not in cli.screen(other)


def _within(cli: Cli, script: str) -> None:
    """An agent runs the script, whose last command must be refused as from inside."""
    answer = cli.home / "answer.json"
    whole = f"({script}) > answer; mv answer {answer}; exec sleep 600"
    command = json.dumps(["sh", "-c", whole])
    cli.configure(f"[profiles.agent]\ncommand = {command}\n")
    cli.text("spawn", "agent")  # its record may be spoilt before spawn has seen it
    wait_for(answer.exists, deadline=30, what="the agent's command")
    assert json.loads(answer.read_text(encoding="utf-8"))["reason"] == "inside-agent"


def test_only_a_record_in_the_state_dir_in_use_counts(cli: Cli, agent: Any):
    elsewhere = f"TONGS_AGENTS_STATE_DIR={cli.home}/elsewhere"
    _, (found,) = agent("status", environ=elsewhere)
    assert found == {"ok": True, "launches": [], "sessions": [], "counts": {}}
