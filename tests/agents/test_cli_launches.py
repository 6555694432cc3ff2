"""The launches' life on the command line, on a real tmux: spawn, send, look, close, respawn."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents.cli_rig import PROGRAM, Cli
from tests.waiting import wait_for
from tests.zellij import private_zellij

PANE = {"multiplexer", "session", "pane_id", "socket"}
LAUNCH = {
    *("launch_id", "profile", "harness", "state", "status", "since", "pane", "spawned_by"),
    *("orphan", "pid", "cwd", "chat"),
}
FAILURE = {"ok", "outcome", "exit_code", "reason", "error", "hint"}


ON_BOTH = pytest.mark.parametrize("cli", ["tmux", "zellij"], indirect=True)


@pytest.fixture
def cli(
    request: pytest.FixtureRequest,
    world: Path,
    tmux_socket: str,
    short_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Cli]:
    """On tmux; on Zellij where a test says so."""
    if getattr(request, "param", "tmux") == "tmux":
        yield Cli(world, tmux_socket)
        return
    with private_zellij(short_dir, monkeypatch):
        yield Cli(world, "", "zellij")


@pytest.fixture(autouse=True)
def configured(cli: Cli) -> None:
    cli.configure()


def _typed(cli: Cli) -> int:
    path = cli.home / "worker.jsonl"
    facts = map(json.loads, path.read_text(encoding="utf-8").splitlines()) if path.exists() else ()
    return sum(fact["event"] == "bytes" for fact in facts)


def test_spawn_answers_with_the_launch(cli: Cli):
    first, second = cli.ok("spawn", "cat"), cli.ok("spawn", "cat")
    assert set(first) == {"ok", "launch_id", "profile", "state", "pane", "prompt", "notices"}
    assert (first["profile"], first["state"], first["prompt"]) == ("cat", "running", None)
    assert first["pane"] == {
        "multiplexer": "tmux",
        "session": "agents",
        "pane_id": "%0",
        "socket": os.path.realpath(cli.socket),
    }
    attach = f"tmux -S {os.path.realpath(cli.socket)} attach -t agents"
    assert first["notices"] == [
        f"session 'agents' was not running: started detached; see it with `{attach}`"
    ]
    assert second["notices"] == []


@ON_BOTH
def test_spawn_says_where_and_how_to_see_it(cli: Cli):
    found = cli.ok("spawn", "cat")
    attach = {"tmux": f"tmux -S {os.path.realpath(cli.socket)} attach -t agents"}
    seen = attach.get(cli.multiplexer, "zellij attach agents")
    assert found["pane"]["multiplexer"] == cli.multiplexer
    assert found["notices"][0].endswith(f"started detached; see it with `{seen}`")


@ON_BOTH
def test_focus_without_a_client_says_so(cli: Cli):
    launch = cli.spawn("cat")
    answer = cli.text("focus", launch)
    assert answer.out == f"focused cat {launch}\n"
    assert "no client is attached" in answer.err


def test_spawn_in_words_for_people(cli: Cli):
    answer = cli.text("spawn", "cat")
    launch = cli.ok("list")["launches"][0]["launch_id"]
    assert answer.out == f"started cat {launch} in pane %0 of agents\n"
    assert answer.err.startswith("note: session 'agents' was not running: started detached; ")


def test_a_prompt_given_at_spawn_arrives(cli: Cli):
    assert cli.ok("spawn", "worker", "--prompt", "[[text:from argv]]")["prompt"] == "submitted"
    launch = cli.ok("spawn", "worker", "--prompt", "-", stdin=b"[[text:from stdin]]")["launch_id"]
    wait_for(lambda: "from stdin" in cli.screen(launch))


def test_a_prompt_that_may_not_be_typed_starts_nothing(cli: Cli):
    assert cli.refused("spawn", "cat", "--prompt", "a\x1bb") == "bad-text"
    assert cli.refused("spawn", "cat", "--prompt", "-", stdin=b"\xff") == "bad-text"
    assert cli.ok("list")["launches"] == []


def test_an_unknown_profile_is_refused_and_the_known_are_named(cli: Cli):
    answer = cli.run("spawn", "nope")
    assert (answer.code, answer.json["reason"]) == (5, "no-such-profile")
    assert "cat, missing, opaque, worker" in answer.json["error"]
    assert "init" not in answer.json["hint"]


@pytest.mark.parametrize(
    ("name", "command"), [("claude", "claude"), ("mine", "tongs-agents-scripted")]
)
def test_a_profile_that_is_missing_is_shown_as_it_is_to_be_pasted(
    cli: Cli, name: str, command: str
):
    lines = cli.text("spawn", name).err.splitlines()
    assert lines[-2:] == [f"    [profiles.{name}]", f'    command = ["{command}"]']
    assert str(cli.config) in lines[-3]


def test_what_can_be_no_profile_is_not_to_be_pasted(cli: Cli):
    for name in ("Mine", "maintainer", "a b", "x\n[control]"):
        answer = cli.run("spawn", name)
        assert (answer.json["reason"], "profiles." in answer.json["hint"]) == (
            "no-such-profile",
            False,
        )
        assert "1 to 28 of a-z" in answer.json["hint"]


def test_a_command_that_is_not_there_is_start_failed(cli: Cli):
    answer = cli.run("spawn", "missing")
    assert (answer.code, answer.json["reason"]) == (1, "start-failed")
    assert "no-such-command-anywhere" in answer.json["error"]
    launch = cli.ok("list")["launches"][0]["launch_id"]
    status = cli.run("agent-status", launch)
    assert (status.code, status.json["state"]) == (3, "exited")
    assert "no-such-command-anywhere" in status.json["error"]


@pytest.mark.parametrize(
    ("profile", "why"),
    [
        ("missing", "no-such-command-anywhere: no such command in PATH"),
        ("quick", "true ended at once"),
    ],
)
def test_a_start_that_failed_is_listed_with_the_reason(cli: Cli, profile: str, why: str):
    cli.configure('[profiles.quick]\ncommand = ["true"]\n')
    # again where a busy machine takes longer for the end than we wait for it
    answer = wait_for(lambda: [x for x in [cli.run("spawn", profile)] if x.code])[0]
    assert (answer.code, answer.json["reason"], answer.json["error"]) == (1, "start-failed", why)
    launch = cli.ok("list")["launches"][-1]
    assert (launch["state"], launch["status"]) == ("exited", "ended")
    for verb in ("list", "status"):
        assert f"exited  ended: {why}  agents " in cli.text(verb).out
    assert cli.refused("send", launch["launch_id"], "x") == "exited"
    assert launch["launch_id"] in cli.ok("gc")["removed"]


def test_the_pane_of_a_start_that_failed_can_be_closed(cli: Cli):
    cli.spawn("cat")
    found = cli.ok("spawn", "cat")
    launch, pane = found["launch_id"], found["pane"]["pane_id"]
    # as where it ended before tmux was told that ours do not stay
    cli.tmux("set-option", "-w", "-t", pane, "remain-on-exit", "on")
    cli.tmux("send-keys", "-t", pane, "C-d")
    dead = ("display-message", "-p", "-t", pane, "#{pane_dead}")
    wait_for(lambda: cli.tmux(*dead) == "1\n", what="a dead pane")
    _edit(cli, launch, start_error="cat ended at once")
    assert cli.ok("close", launch)["ok"] is True
    assert cli.tmux("list-panes", "-a", "-F", "#{pane_id}") == "%0\n"
    assert cli.refused("close", launch) == "exited"


def test_a_directory_that_was_removed_is_named(cli: Cli):
    script = f"mkdir gone && cd gone && rmdir ../gone && exec {PROGRAM} spawn cat"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, cwd=cli.home)
    assert done.returncode == 1
    assert f"the working directory {cli.home}/gone does not exist" in done.stderr


@ON_BOTH
def test_list_shows_each_launch(cli: Cli):
    empty = cli.ok("list")
    assert empty == {"ok": True, "launches": [], "sessions": []}
    ids = [cli.spawn("cat"), cli.spawn("worker")]
    found = cli.ok("list")
    assert set(found) == {"ok", "launches", "sessions"}
    assert [launch["launch_id"] for launch in found["launches"]] == ids
    launch = found["launches"][1]
    assert set(launch) == LAUNCH
    assert set(launch["pane"]) == PANE
    assert (launch["profile"], launch["harness"]) == ("worker", "scripted")
    assert (launch["state"], launch["status"], launch["chat"]) == ("running", "started", None)
    assert (launch["spawned_by"], launch["orphan"]) == (None, False)
    assert launch["cwd"] == str(cli.home)
    assert Path(f"/proc/{launch['pid']}").exists()
    assert abs(launch["since"] - Path(f"/proc/{launch['pid']}").stat().st_ctime) < 60


def test_a_pane_that_was_moved_is_listed_where_it_is(cli: Cli):
    launch = cli.ok("spawn", "cat")
    cli.spawn("cat")
    cli.tmux("new-session", "-d", "-s", "other", "sleep 100")
    cli.tmux("move-pane", "-s", launch["pane"]["pane_id"], "-t", "other:")
    found = cli.ok("list")["launches"][0]
    assert (found["state"], found["pane"]["session"]) == ("running", "other")


def test_list_for_people_is_a_table(cli: Cli):
    launch = cli.spawn("cat")
    answer = cli.text("list")
    assert answer.out.splitlines() == [
        "PROFILE  LAUNCH        STATE    STATUS  WHERE      CWD",
        f"cat      {launch}  running  -       agents %0  ~",
    ]
    assert answer.err == ""


def test_an_empty_list_has_a_hint_beside_it(cli: Cli):
    answer = cli.text("list")
    assert (answer.code, answer.out) == (0, "")
    assert "tongs-agents spawn" in answer.err


def test_status_counts(cli: Cli):
    cli.ok("close", cli.spawn("cat"))
    cli.spawn("cat")
    found = cli.ok("status")
    assert set(found) == {"ok", "launches", "sessions", "counts"}
    assert found["counts"] == {"ended": 1, "running": 1}
    assert cli.text("status").out.splitlines()[-1] == "2 launches: 1 ended, 1 running"


def test_a_record_that_cannot_be_read_hides_no_other(cli: Cli):
    launch = cli.spawn("cat")
    broken = cli.state / "launches" / "0badc0de0bad.json"
    broken.write_text("{", encoding="utf-8")
    broken.chmod(0o600)
    answer = cli.run("list")
    assert [each["launch_id"] for each in answer.json["launches"]] == [launch]
    assert str(broken) in answer.err
    assert cli.ok("gc")["removed"] == []


def test_a_server_that_was_killed_leaves_ended_launches(cli: Cli):
    launch = cli.spawn("cat")
    cli.tmux("kill-server")
    wait_for(lambda: cli.ok("list")["launches"][0]["state"] == "exited")
    assert cli.refused("focus", launch) == "exited"


SENT = {"ok", "launch_id", "bytes", "receipt", "way", "evidence"}


@ON_BOTH
def test_send_types_the_text_and_says_what_it_saw(cli: Cli):
    launch = cli.spawn("worker")
    cli.wait_ready(launch)
    found = cli.ok("send", launch, "[[text:well done]]")
    assert set(found) == SENT
    assert (found["launch_id"], found["bytes"]) == (launch, 18)
    assert (found["receipt"], found["way"]) == ("submitted", "paste")
    assert all(set(fact) == {"check", "seen", "at"} for fact in found["evidence"])
    wait_for(lambda: "well done" in cli.screen(launch))
    line = cli.audited()[-1]
    assert (line["action"], line["outcome"], line["target"]) == ("send", "ok", launch)
    assert line["sha256"] == hashlib.sha256(b"[[text:well done]]").hexdigest()


def test_send_reads_standard_input_byte_for_byte(cli: Cli):
    launch = cli.spawn("worker")
    cli.wait_ready(launch)
    text = "-x ünï 日本 👩‍👩‍👧 #{pane_id} {} \\;\nsecond line ;".encode()
    found = cli.ok("send", launch, "-", stdin=text.replace(b"\n", b"\r\n") + b"\n\n")
    assert found["bytes"] == len(text)
    assert cli.audited()[-1]["sha256"] == hashlib.sha256(text).hexdigest()


def test_a_text_that_begins_with_a_dash_goes_after_the_dashes(cli: Cli):
    launch = cli.spawn("worker")
    cli.wait_ready(launch)
    assert cli.ok("send", launch, "--", "--json is a flag")["bytes"] == 16


@pytest.mark.parametrize(
    ("text", "stdin", "reason"),
    [
        ("a\x1bb", b"", "bad-text"),
        ("", b"", "bad-text"),
        (b"caf\xe9", b"", "bad-text"),
        ("-", b"caf\xe9", "bad-text"),
        ("-", b"\xed\xa0\x80", "bad-text"),
        ("-", b"", "bad-text"),
        ("-", b"x" * (32 * 1024 + 1), "too-large"),
        ("-", b"x" * (1024 * 1024 + 1), "too-large"),
    ],
    ids=["escape", "empty", "argv no utf-8", "no utf-8", "surrogate", "nothing", "long", "huge"],
)
def test_what_is_no_text_is_refused_before_anything_is_typed(
    cli: Cli, text: str | bytes, stdin: bytes, reason: str
):
    launch = cli.spawn("worker")
    cli.wait_ready(launch)
    assert cli.refused("send", launch, text, stdin=stdin) == reason
    assert _typed(cli) == 0
    line = cli.audited()[-1]
    assert (line["action"], line["target"], line["reason"]) == ("send", launch, reason)


def test_a_first_prompt_that_is_far_too_long_is_audited_too(cli: Cli):
    assert cli.refused("spawn", "cat", "--prompt", "-", stdin=b"x" * 1_100_000) == "too-large"
    line = cli.audited()[-1]
    assert (line["action"], line["reason"], line["exit_code"]) == ("spawn", "too-large", 5)
    assert cli.ok("list")["launches"] == []


def test_wait_is_unsupported_without_hooks_and_types_nothing(cli: Cli):
    launch = cli.spawn("cat")
    answer = cli.run("send", launch, "x", "--wait", "--timeout", "5")
    assert (answer.code, answer.json["outcome"]) == (6, "unsupported")
    assert answer.json["reason"] == "unsupported"
    assert "x" not in cli.screen(launch)
    line = cli.audited()[-1]
    assert (line["action"], line["exit_code"], line["reason"]) == ("send", 6, "unsupported")
    assert cli.run("wait", launch).code == 6


@ON_BOTH
def test_a_wait_returns_on_the_end_of_the_turn_that_the_send_began(cli: Cli):
    launch = cli.spawn("worker")
    cli.wait_ready(launch)
    first = cli.ok("send", launch, "[[text:quick]]", "--wait")
    assert (first["receipt"], first["status"]) == ("submitted", "done")
    assert set(first) == {*SENT, "status", "waited_s"}
    assert cli.ok("send", launch, "[[slow:1:later]]")["receipt"] == "submitted"
    done = cli.ok("wait", launch)
    assert set(done) == {"ok", "launch_id", "status", "waited_s"}
    assert "later" in cli.screen(launch)
    assert cli.ok("send", launch, "[[slow:600:x]]")["receipt"] == "submitted"
    assert cli.ok("agent-status", launch)["status"] == "working"


def test_a_wait_that_runs_out_says_what_it_saw_last(cli: Cli):
    launch = cli.spawn("worker")
    cli.wait_ready(launch)
    sent = cli.run("send", launch, "[[tool:Bash {}]]", "--wait", "--timeout", "1")
    assert (sent.code, sent.json["outcome"], sent.json["timed_out"]) == (4, "error", True)
    assert (sent.json["receipt"], sent.json["reason"]) == ("submitted", "timeout")
    assert (sent.json["state"], sent.json["status"]) == ("running", "waiting")
    assert cli.ok("wait", launch, "--until", "waiting")["status"] == "waiting"
    assert cli.run("wait", launch, "--timeout", "0").json["reason"] == "usage"
    assert cli.run("wait", launch, "--until", "tea").json["reason"] == "usage"
    cli.ok("close", launch)
    assert cli.run("wait", launch).code == 3
    assert cli.ok("wait", launch, "--until", "ended")["status"] == "ended"


def test_a_refusal_lists_its_checks(cli: Cli):
    launch = cli.spawn("worker")
    cli.wait_ready(launch)
    cli.tmux("copy-mode", "-t", "%0")
    answer = cli.run("send", launch, "x")
    assert (answer.code, answer.json["reason"]) == (5, "copy-mode")
    assert set(answer.json) == {*FAILURE, "checks"}
    checks = {check["name"]: check for check in answer.json["checks"]}
    assert checks["copy-mode"] == {"name": "copy-mode", "passed": False, "seen": "copy-mode"}
    people = cli.text("send", launch, "x")
    assert people.out == ""
    assert people.err.splitlines()[0].startswith("tongs-agents: refused: nothing was typed: ")
    assert people.err.splitlines()[-1].startswith("  hint: ")


def test_unseen_without_a_terminal_is_refused_and_audited(cli: Cli):
    launch = cli.spawn("opaque")
    assert cli.refused("send", launch, "x", "--unseen") == "no-terminal"
    assert cli.audited()[-1]["reason"] == "no-terminal"


def test_agent_status_and_its_evidence(cli: Cli):
    launch = cli.spawn("cat")
    found = cli.ok("agent-status", launch)
    assert set(found) == {"ok", *LAUNCH}
    assert cli.text("agent-status", launch).out == f"cat {launch}: running\n"
    evidence = cli.ok("agent-status", launch, "--why")["evidence"]
    assert {"claimed", "server", "listed", "process"} <= {fact["check"] for fact in evidence}
    assert all(set(fact) == {"check", "seen", "at"} for fact in evidence)
    lines = cli.text("agent-status", launch, "--why").out.splitlines()
    assert f"  ok  process       pid {found['pid']} runs" in lines


@ON_BOTH
def test_a_launch_that_has_ended_is_3_for_a_look_and_5_for_an_act(cli: Cli):
    launch = cli.spawn("cat")
    cli.ok("close", launch)
    status = cli.run("agent-status", launch, "--why")
    assert (status.code, status.json["outcome"], status.json["reason"]) == (3, "exited", "exited")
    assert (status.json["state"], status.json["status"]) == ("exited", "ended")
    passed = {check["name"]: check["passed"] for check in status.json["checks"]}
    assert passed["process"] is False
    assert "process" in {fact["check"] for fact in status.json["evidence"]}
    assert cli.text("agent-status", launch).out == f"cat {launch}: exited, ended\n"
    capture = cli.run("capture", launch)
    assert (capture.code, capture.json["outcome"]) == (3, "exited")
    for verb in (["send", launch, "x"], ["focus", launch], ["close", launch]):
        assert cli.refused(*verb) == "exited"


def test_a_refusal_says_first_that_the_launch_has_ended(cli: Cli):
    launch = cli.spawn("cat")
    cli.ok("close", launch)
    again = "start it again with `tongs-agents respawn`"
    nothing = "there is nothing left to close; `tongs-agents gc` removes its record"
    for verb, hint in ((["send", launch, "x"], again), (["focus", launch], again),
                       (["close", launch], nothing)):  # fmt: skip
        lines = cli.text(*verb).err.splitlines()
        assert lines[0] == f"tongs-agents: refused: launch {launch} has ended"
        assert any(line.startswith("  process: pid ") for line in lines[1:-1])
        assert lines[-1] == f"  hint: {hint}"


def test_a_pane_with_another_program_is_replaced(cli: Cli):
    launch = cli.spawn("cat")
    cli.tmux("respawn-pane", "-k", "-t", "%0", "sleep 100")
    found = cli.ok("agent-status", launch)
    assert (found["state"], found["status"]) == ("replaced", "ended")
    for verb in (["send", launch, "x"], ["focus", launch], ["close", launch], ["capture", launch]):
        assert cli.refused(*verb) == "replaced"
    assert cli.tmux("list-panes", "-a", "-F", "#{pane_id}") == "%0\n"


def test_a_record_without_a_claim_is_pending(cli: Cli):
    launch = cli.spawn("cat")
    _edit(cli, launch, claim=None)
    for verb in ("agent-status", "capture", "focus", "close", "respawn"):
        assert cli.refused(verb, launch) in ("pending", "not-claimed")
    assert cli.ok("list")["launches"][0]["state"] == "pending"


def _edit(cli: Cli, launch: str, **changes: Any) -> None:
    path = cli.state / "launches" / f"{launch}.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**record, **changes}), encoding="utf-8")


def test_focus_brings_the_pane_to_the_front(cli: Cli):
    first, second = cli.spawn("cat"), cli.spawn("cat")
    assert cli.ok("focus", second) == {"ok": True, "launch_id": second}
    assert cli.tmux("display-message", "-p", "-t", "=agents:", "#{pane_id}") == "%1\n"
    answer = cli.text("focus", first)
    assert answer.out == f"focused cat {first}\n"
    assert "no client is attached" in answer.err


@ON_BOTH
def test_capture_is_the_screen_or_the_last_lines(cli: Cli):
    launch = cli.spawn("cat")
    cli.ok("send", launch, "hello there")
    wait_for(lambda: cli.screen(launch).count("hello there") == 2)
    found = cli.ok("capture", launch)
    assert found == {"ok": True, "launch_id": launch, "lines": ["hello there", "hello there"]}
    assert cli.ok("capture", launch, "--lines", "1")["lines"] == ["hello there"]
    assert cli.text("capture", launch).out == "hello there\nhello there\n"


@ON_BOTH
def test_close_ends_the_program_and_its_pane_alone(cli: Cli):
    first, second = cli.spawn("cat"), cli.spawn("cat")
    pid = cli.ok("agent-status", first)["pid"]
    assert cli.ok("close", first) == {"ok": True, "launch_id": first}
    assert not Path(f"/proc/{pid}").exists()
    launches = cli.ok("list")["launches"]
    assert [launch["state"] for launch in launches] == ["exited", "running"]
    assert launches[0]["status"] == "ended"
    assert abs(launches[0]["since"] - (cli.state / "audit" / "control.jsonl").stat().st_mtime) < 60
    assert launches[1]["launch_id"] == second


@ON_BOTH
def test_respawn_is_a_new_launch_of_the_same_profile(cli: Cli):
    launch = cli.spawn("cat")
    assert cli.refused("respawn", launch) == "running"
    cli.ok("close", launch)
    found = cli.ok("respawn", launch)
    keys = {"ok", "launch_id", "profile", "state", "pane", "prompt", "notices", "respawned_from"}
    assert set(found) == keys
    assert (found["respawned_from"], found["profile"]) == (launch, "cat")
    line = cli.audited()[-1]
    assert (line["action"], line["target"]) == ("respawn", found["launch_id"])
    assert line["labels"] == {"respawned_from": launch}
    assert found["launch_id"] != launch


def test_a_launch_whose_opener_has_ended_is_marked(cli: Cli):
    opener, child, other = cli.spawn("cat"), cli.spawn("cat"), cli.spawn("cat")
    for each, by in ((child, opener), (other, "feedfeedfeed")):
        path = cli.state / "launches" / f"{each}.json"
        record = json.loads(path.read_text(encoding="utf-8"))
        _edit(cli, each, labels={**record["labels"], "spawned_by": by})
    assert [x["orphan"] for x in cli.ok("list")["launches"]] == [False, False, True]
    cli.ok("close", opener)
    assert [x["orphan"] for x in cli.ok("list")["launches"]] == [False, True, True]
    assert cli.ok("agent-status", child)["orphan"] is True
    assert "running, orphan" in cli.text("list").out
    assert cli.ok("gc", "--dry-run")["orphans"] == [child, other]


@pytest.mark.parametrize("umask", [0o000, 0o077], ids=["umask 000", "umask 077"])
def test_every_file_is_private_under_any_umask(cli: Cli, umask: int):
    launch = cli.ok("spawn", "cat", umask=umask)["launch_id"]
    cli.ok("send", launch, "x", umask=umask)
    cli.ok("close", launch, umask=umask)
    modes = cli.files()
    assert len(modes) > 8
    for name, mode in modes.items():
        assert mode == ("0o700" if (cli.home / name).is_dir() else "0o600"), name


@pytest.mark.parametrize(
    "verb", ["list", "status", "config path", "config show", "config check", "gc", "gc --dry-run"]
)
def test_a_verb_that_only_reads_makes_nothing(cli: Cli, verb: str):
    before = sorted(cli.home.rglob("*"))
    assert cli.text(*verb.split()).code == 0
    assert cli.text("agent-status", "nope").code == 1
    assert sorted(cli.home.rglob("*")) == before
