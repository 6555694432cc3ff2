"""What is written where: one document, colour on a terminal only, quiet when nobody reads."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.agents.cli_rig import PROGRAM, Cli
from tests.waiting import wait_for
from tongs_agents.cli import main as main_module
from tongs_agents.cli.main import main
from tongs_agents.cli.reply import Span, table
from tongs_agents.cli.verb import App
from tongs_agents.harmless import harmless

ESC = "\x1b"


@pytest.fixture(autouse=True)
def configured(cli: Cli) -> None:
    cli.configure()


def _on_terminal(cli: Cli, *words: str, **environ: str) -> str:
    shown: Any = pexpect.run(
        f"{PROGRAM} {' '.join(words)}",
        env={**os.environ, "TERM": "xterm-256color", **environ},
        cwd=str(cli.home),
        timeout=30,
        encoding="utf-8",
    )
    return str(shown)


def test_colour_is_for_terminals_only(cli: Cli):
    cli.spawn("cat")
    assert f"{ESC}[32mrunning" in _on_terminal(cli, "list")
    assert ESC not in cli.text("list", environ={"TERM": "xterm-256color"}).out
    assert ESC not in _on_terminal(cli, "list", NO_COLOR="1")
    assert ESC not in _on_terminal(cli, "list", TERM="dumb")
    assert f"{ESC}[32m" in _on_terminal(cli, "list", NO_COLOR="")
    assert ESC not in _on_terminal(cli, "list", "--json")


def test_what_a_terminal_would_obey_is_escaped(cli: Cli):
    odd = cli.home / f"a{ESC}]0;owned\x07\u202eb"
    odd.mkdir()
    subprocess.run([PROGRAM, "spawn", "cat"], cwd=odd, check=True, capture_output=True)
    assert "~/a\\x1b]0;owned\\x07\\u202eb" in cli.text("list").out
    assert cli.ok("list")["launches"][0]["cwd"] == str(odd)
    assert ESC not in cli.text("agent-status", f"x{ESC}[2J").err


def test_ordinary_text_is_left_alone():
    text = "❯ 日本 👩‍👩‍👧 e\u0301 \tשלום مرحبا \ue0b0"
    assert harmless(text) == text


def test_columns_are_aligned_by_their_text_alone():
    lines = table(("A", "B", "C"), [("long one", Span("x", "red"), "end"), ("s", "yy", "")])
    plain = [
        "".join(part.text if isinstance(part, Span) else part for part in line).rstrip()
        for line in lines
    ]
    assert plain == ["A         B   C", "long one  x   end", "s         yy"]


def test_a_locale_that_lacks_a_character_gets_its_escape(cli: Cli):
    launch = cli.spawn("cat")
    cli.ok("send", launch, "日本")
    wait_for(lambda: "日本" in cli.screen(launch))
    environ = {"PYTHONIOENCODING": "latin-1"}
    answer = cli.text("capture", launch, environ=environ)
    assert (answer.code, "\\u65e5\\u672c" in answer.out) == (0, True)
    assert "日本" in cli.ok("capture", launch, environ=environ)["lines"]


def _start(cli: Cli, *words: str, out: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [PROGRAM, *words], stdout=out, stderr=subprocess.PIPE, cwd=cli.home, env=os.environ
    )


@pytest.mark.parametrize("words", [["list"], ["list", "--json"], ["--help"]], ids=" ".join)
def test_a_reader_that_has_gone_is_no_news(cli: Cli, words: list[str]):
    cli.spawn("cat")
    read, write = os.pipe()
    os.close(read)
    process = _start(cli, *words, out=write)
    os.close(write)
    assert process.communicate(timeout=30)[1] == b""
    assert process.returncode == 1


def test_an_output_that_is_full_is_said_and_1(cli: Cli):
    with Path("/dev/full").open("wb") as full:
        process = _start(cli, "list", "--json", out=full.fileno())
        process.communicate(timeout=30)
        people = _start(cli, "config", "path", out=full.fileno())
        error = people.communicate(timeout=30)[1]
    assert (process.returncode, people.returncode) == (1, 1)
    assert b"No space left" in error


def test_a_closed_output_breaks_nothing(cli: Cli):
    done = subprocess.run(["sh", "-c", f"{PROGRAM} list >&- 2>&- <&-"], cwd=cli.home, timeout=30)
    assert done.returncode == 0


def test_ctrl_c_is_130_and_quiet(cli: Cli):
    cli.ok("close", cli.spawn("cat"))
    process = subprocess.Popen(
        [PROGRAM, "audit", "--follow"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert json.loads(process.stdout.readline())["action"] == "spawn"
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=30)
    assert (process.returncode, error.strip()) == (130, "")


def test_audit_follows(cli: Cli):
    first = cli.spawn("cat")
    process = subprocess.Popen([PROGRAM, "audit", "--follow"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    seen = [json.loads(process.stdout.readline()) for _ in range(2)]
    cli.ok("close", first)
    seen += [json.loads(process.stdout.readline()) for _ in range(2)]
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert [(line["action"], line["phase"]) for line in seen] == [
        ("spawn", "begin"),
        ("spawn", "outcome"),
        ("close", "begin"),
        ("close", "outcome"),
    ]


def test_audit_prints_what_is_on_record(cli: Cli):
    assert cli.text("audit").out == ""
    cli.spawn("cat")
    assert cli.text("audit").out == (cli.state / "audit" / "control.jsonl").read_text("utf-8")
    assert cli.text("audit", "control").out.count("\n") == 2
    assert cli.text("audit", "chat").out == ""


class Broken(App):
    """An App whose services raise what no table knows."""

    @property
    def services(self) -> Any:
        raise ZeroDivisionError("never expected")


def test_what_nobody_expected_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(main_module, "App", Broken)
    assert main(["list"]) == 1
    assert capsys.readouterr().err.splitlines()[0] == (
        "tongs-agents: failed: unexpected ZeroDivisionError: never expected"
    )
    assert main(["list", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["reason"], found["exit_code"]) == ("failed", 1)
    monkeypatch.setenv("TONGS_AGENTS_DEBUG", "1")
    assert main(["list"]) == 1
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(("answer", "arrives"), [("y", True), ("n", False), ("", False)])
def test_unseen_shows_the_screen_and_asks(cli: Cli, answer: str, arrives: bool):
    launch = cli.spawn("opaque")
    assert cli.refused("send", launch, "plain") in ("busy-start", "unknown")
    cli.tmux("send-keys", "-t", "%0", "-l", "on the screen")
    wait_for(lambda: "on the screen" in cli.screen(launch))
    person = pexpect.spawn(
        PROGRAM, ["send", launch, "--unseen", "my words"], env=os.environ, encoding="utf-8"
    )
    person.expect("on the screen")
    person.expect(r"\[y/N\] ")
    person.sendline(answer)
    person.expect(pexpect.EOF, timeout=30)
    person.wait()
    assert person.exitstatus == (0 if arrives else 5)
    if arrives:
        wait_for(lambda: "my words" in cli.screen(launch))
    assert ("my words" in cli.screen(launch)) is arrives
    line = cli.audited()[-1]
    assert (line["outcome"], line.get("reason")) == (
        ("ok", None) if arrives else ("refused", "not-confirmed")
    )
    assert ("unguarded" in line.get("evidence", ())) is arrives
