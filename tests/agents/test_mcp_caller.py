"""What lies between a server and its launch, and the places that it was handed (A86, A87)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from tongs_agents.errors import Refused
from tongs_agents.harness.programs import Program, program_of
from tongs_agents.mcp_server.actor import actor_of, named_in
from tongs_agents.mcp_server.caller import (
    KNOWN_SECONDS,
    Caller,
    at_start,
    places_check,
)
from tongs_agents.mcp_server.lineage import lineage, lineage_checks
from tongs_agents.paths import Places, environment
from tongs_mux.acts import Actor
from tongs_mux.model import LaunchRecord, ProcessFacts
from tongs_mux.process import Processes

SERVER, CLAIMED = 100, 1


class Line(Processes):
    """A line of processes, from the claimed one down to the server, by their command lines."""

    def __init__(self, *argvs: str) -> None:
        self.argvs = {CLAIMED + at: tuple(argv.split()) for at, argv in enumerate(argvs)}
        self.parents = {SERVER: max(self.argvs, default=0)}
        self.parents |= {pid: pid - 1 for pid in self.argvs}

    def facts(self, pid: int) -> ProcessFacts | None:
        if pid not in self.parents:
            return None
        name = Path(self.argv(pid)[0]).name[:15] if pid in self.argvs else "python3"
        return ProcessFacts(pid, self.parents[pid], f"t{pid}", name, pid, pid)

    def argv(self, pid: int) -> tuple[str, ...]:
        return self.argvs.get(pid, ())

    def environ(self, pid: int) -> dict[str, str]:
        return {}

    def pids(self) -> tuple[int, ...]:
        return tuple(self.parents)


class Case(NamedTuple):
    test_id: str
    line: tuple[str, ...]
    trouble: str
    wrapper: bool = False


CASES = [
    Case("its own child", ("claude",), ""),
    Case("through a runner", ("claude", "uv run x"), ""),
    Case("a program without a name we know", ("myagent",), ""),
    Case("the agent's own shell", ("claude", "/bin/bash -c x"), "the shell bash"),
    Case("a runner in the agent's shell", ("claude", "sh", "uv run x"), "the shell sh"),
    Case("a login shell", ("claude", "-zsh"), "the shell zsh"),
    Case("another harness", ("claude", "claude"), "another harness, claude"),
    Case("of another kind", ("pi", "/opt/codex exec"), "another harness, codex"),
    Case("run by an interpreter", ("claude", "node /usr/bin/pi"), "another harness, pi"),
    Case("cut short by the system", ("x", "tongs-agents-scripted"), "another harness, scripted"),
    Case("words are no harness", ("claude", "python x.py claude codex"), ""),
    Case("its native child", ("node /usr/bin/codex", "/opt/codex"), ""),
    Case("nested below both", ("node codex", "codex", "node codex"), "another harness"),
    Case("the same script again", ("node pi", "node pi"), "another harness, pi"),
    Case("a child of another kind", ("node codex", "claude"), "another harness, claude"),
    Case("a shared server", ("node codex", "codex app-server"), "a server that sessions share"),
    Case("wrapper", ("bash", "claude"), "", wrapper=True),
    Case("wrapper, three deep", ("bash", "bash", "node w.js", "claude"), "", wrapper=True),
    Case("wrapper around both", ("bash", "node codex", "codex"), "", wrapper=True),
    Case("shell below a wrapped one", ("bash", "claude", "sh"), "the shell sh", wrapper=True),
    Case("two below a wrapper", ("sh", "claude", "pi"), "another harness, claude", wrapper=True),
    Case("nobody below a wrapper", ("bash", "node x"), "no harness that is known", wrapper=True),
    Case("only the wrapper", ("bash",), "no harness that is known", wrapper=True),
    Case("shared below a wrapper", ("sh", "codex app-server"), "share", wrapper=True),
]


@pytest.mark.requirement("A87", "A71", "6.9")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.test_id)
def test_between_a_server_and_its_launch_is_nothing_that_speaks_for_another(case: Case):
    found = lineage(Line(*case.line), SERVER, CLAIMED)
    below, between = lineage_checks(found, wrapper=case.wrapper)
    assert below.passed
    assert between.passed is not bool(case.trouble), between.seen
    assert case.trouble in between.seen


@pytest.mark.requirement("6.9")
@pytest.mark.parametrize("claimed", [SERVER, 50, 0])
def test_a_server_outside_the_tree_has_no_identity(claimed: int):
    (below,) = lineage_checks(lineage(Line("claude"), SERVER, claimed), wrapper=False)
    assert (below.name, below.passed) == ("below", False)


@pytest.mark.requirement("A87")
def test_a_shell_is_known_by_its_file_under_any_name(tmp_path: Path):
    copy = tmp_path / "innocent"
    copy.write_bytes(Path("/bin/bash").read_bytes())

    class Copied(Line):
        def program(self, pid: int) -> str:
            return str(copy) if pid == CLAIMED + 1 else ""

    _, between = lineage_checks(
        lineage(Copied("claude", "innocent"), SERVER, CLAIMED), wrapper=False
    )
    assert between.seen == f"the shell bash (pid {CLAIMED + 1})"


def test_a_program_that_may_not_be_looked_at_is_known_by_its_name_alone(tmp_path: Path):
    class Closed(Line):
        def program(self, pid: int) -> str:
            return str(tmp_path / "no such file")

    line = Closed("claude", "x")
    facts = line.facts(CLAIMED)
    assert facts is not None
    assert program_of(line, facts) == Program("claude")
    assert lineage(line, SERVER, 50).claimed is None


@pytest.mark.requirement("7.12")
def test_a_harness_is_known_by_name_file_or_first_word():
    line = Line(
        "claude", "/opt/pi -p", "node /x/codex", "cat claude", "codex app-server", sys.executable
    )
    seen = []
    for pid in sorted(line.argvs):
        facts = line.facts(pid)
        assert facts is not None
        seen.append(program_of(line, facts))
    assert seen == [
        Program("claude"),
        Program("pi"),
        Program("codex", launched=True),
        Program(""),
        Program("codex", serves=True),
        Program(""),
    ]


PLACES = Places(Path("/c/config.toml"), Path("/state"), Path("/run/x"))
RECORD = LaunchRecord(
    "aaaaaaaa", 0.0, ("x",), "/",
    places={"config": "/c/config.toml", "state_dir": "/state", "runtime_dir": "/run/x"},
)  # fmt: skip
GIVEN = environment(PLACES, "aaaaaaaa", 7)


@pytest.mark.requirement("A86", "A81")
@pytest.mark.parametrize("initial", [GIVEN, {}, {**GIVEN, "MORE": "x"}])
def test_places_as_the_launch_was_given_them_are_right(initial: Mapping[str, str]):
    assert places_check(RECORD, PLACES, initial).passed


@pytest.mark.requirement("A86")
@pytest.mark.parametrize("name", ["config", "state_dir", "runtime_dir"])
def test_another_place_in_the_servers_environment_is_refused(name: str):
    other = {**{at: getattr(PLACES, at) for at in RECORD.places}, name: Path("/evil")}
    check = places_check(RECORD, Places(**other), GIVEN)
    assert check.passed is False
    assert "/evil here" in check.seen


@pytest.mark.requirement("A86")
@pytest.mark.parametrize("variable", ["CONFIG", "STATE_DIR", "RUNTIME_DIR", "LAUNCH_ID"])
def test_another_place_than_its_process_was_started_with_is_refused(variable: str):
    name = f"TONGS_AGENTS_{variable}"
    assert places_check(RECORD, PLACES, {**GIVEN, name: "/elsewhere"}).passed is False
    without = {key: value for key, value in GIVEN.items() if key != name}
    assert places_check(RECORD, PLACES, without).passed is False


@pytest.mark.requirement("6.31")
@pytest.mark.parametrize(
    ("value", "actor"),
    [
        ("abcdef012345", Actor("mcp:abcdef012345", caller="abcdef012345")),
        ("", Actor("mcp")),
        ("../../etc/x", Actor("mcp")),
    ],
)
def test_the_actor_is_what_the_environment_names(value: str, actor: Actor):
    environ = {"TONGS_AGENTS_LAUNCH_ID": value}
    assert actor_of(environ) == actor
    assert named_in(environ) == actor.caller


def _saying(*words: str) -> Callable[[], Caller]:
    left = list(words)

    def identify() -> Caller:
        word = left.pop(0) if len(left) > 1 else left[0]
        if word != "yes":
            raise Refused("not verified", reason=word)
        return Caller(RECORD)

    return identify


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.now += seconds


@pytest.mark.requirement("A95", "3.7")
def test_at_its_start_only_a_no_is_final():
    time = Time()
    found = at_start(_saying("unknown", "unknown", "yes"), monotonic=time, pause=time.pause)
    assert (found.launch_id, time.now > 0) == ("aaaaaaaa", True)


@pytest.mark.requirement("A95")
@pytest.mark.parametrize(("word", "asked"), [("unknown", KNOWN_SECONDS), ("no-identity", 0.0)])
def test_no_answer_is_asked_again_for_ten_seconds_and_a_no_never(word: str, asked: float):
    time = Time()
    with pytest.raises(Refused) as raised:
        at_start(_saying(word), monotonic=time, pause=time.pause)
    assert (raised.value.reason, time.now) == (word, asked)
