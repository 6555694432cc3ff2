"""The scripted agent in real panes: a private tmux server each, read as the product reads."""

from __future__ import annotations

import hashlib
import json
import os
import pty
import shlex
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import wait_for
from tongs_agents.harness.lines import parse_styled
from tongs_agents.harness.scripted import ScriptedReader
from tongs_mux.model import PaneFacts, Screen
from tongs_mux.reader import Reading

ROOT = Path(__file__).parents[2]
AGENT = [sys.executable, "-m", "tongs_agents.scripted_agent"]
BODIES = {
    "one line": "hello",
    "40 lines": "\n".join(f"line {n}" for n in range(40)),
    "32 KiB": "0123456789abcde\n" * 2047 + "0123456789abcdef",
    "wide and combining": "漢字 e\u0301 👩\u200d🚀 👍🏽 ﷽ \u202eabc",
    "leading dash": "-x --help",
    "trailing semicolon": "go;",
    "trailing backslash": "a\\",
    "formats": "#{pane_id} {} $(x) `y` %s",
    "tab": "a\tb",
}
HEARD = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "Stop",
    "SessionEnd",
]


class Live:
    """A scripted agent in the only pane of a tmux server."""

    def __init__(self, socket: str, log: Path, *options: str, size: tuple[int, int] = (80, 24)):
        self._tmux = ["tmux", "-u", "-S", socket, "-f", "/dev/null"]
        self.log = log
        width, height = size
        place = ["-d", "-x", str(width), "-y", str(height), "-c", str(ROOT)]
        self.tmux("new-session", *place, "-e", f"TONGS_SCRIPTED_LOG={log}", *AGENT, *options)

    def tmux(self, *words: str, stdin: str = "") -> str:
        ran = subprocess.run(
            [*self._tmux, *words], input=stdin, encoding="utf-8", capture_output=True, timeout=20
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def ask(self, question: str) -> str:
        return self.tmux("display-message", "-p", question).rstrip("\n")

    def paste(self, body: str) -> None:
        self.tmux("load-buffer", "-b", "b", "-", stdin=body)
        self.tmux("paste-buffer", "-p", "-r", "-d", "-b", "b")

    def press(self, *keys: str) -> None:
        self.tmux("send-keys", *keys)

    def facts(self, event: str) -> list[Mapping[str, Any]]:
        if not self.log.exists():
            return []
        whole, _, _ = self.log.read_text(encoding="utf-8").rpartition("\n")
        facts = map(json.loads, whole.splitlines())
        return [fact for fact in facts if fact["event"] == event]

    def wait_fact(self, event: str, count: int = 1) -> Mapping[str, Any]:
        found = wait_for(lambda: self.facts(event)[count - 1 : count], what=f"{count} {event}")
        return found[0]

    def screen(self) -> Screen:
        styled = tuple(self.tmux("capture-pane", "-p", "-e").split("\n")[:-1])
        return Screen(tuple(line.text for line in parse_styled(styled)), styled)

    def reading(self) -> Reading:
        width, height, column, row = map(
            int, self.ask("#{pane_width} #{pane_height} #{cursor_x} #{cursor_y}").split()
        )
        pane = PaneFacts("%0", 1, "0", "@0", False, "", False, "", "", width, height, (column, row))
        return ScriptedReader().read(self.screen(), pane)

    def wait_reading(self, test: Callable[[Reading], object], what: str) -> Reading:
        def found() -> list[Reading]:
            reading = self.reading()
            return [reading] if test(reading) else []

        return wait_for(found, what=what)[0]

    def wait_empty(self) -> Reading:
        return self.wait_reading(lambda reading: reading.composer == "empty", "an empty composer")


Starts = Callable[..., Live]


@pytest.fixture
def live(tmux_socket: str, tmp_path: Path) -> Starts:
    return lambda *options, **more: Live(tmux_socket, tmp_path / "log", *options, **more)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.case("A2", "A5", "A6", "A12", "A14")
def test_what_is_pasted_is_submitted_once_byte_for_byte(live: Starts):
    agent = live()
    agent.wait_empty()
    for count, body in enumerate(BODIES.values(), start=1):
        agent.paste(body)
        agent.wait_fact("paste", count)
        agent.press("Enter")
        submit = agent.wait_fact("submit", count)
        assert submit["text"] == body
        assert (submit["sha256"], submit["bytes"]) == (digest(body), len(body.encode()))
    read = bytes.fromhex("".join(fact["hex"] for fact in agent.facts("bytes")))
    sent = [b"\x1b[200~" + body.encode() + b"\x1b[201~\r" for body in BODIES.values()]
    assert read == b"".join(sent)
    assert [fact["sha256"] for fact in agent.facts("paste")] == list(map(digest, BODIES.values()))
    agent.wait_fact("turn-end", len(BODIES))
    assert len(agent.facts("submit")) == len(BODIES)


@pytest.mark.parametrize("width", [25, 80])
@pytest.mark.parametrize("name", ["one line", "40 lines", "wide and combining", "formats"])
def test_the_draft_is_read_back_and_its_patterns_match_in_tmux(live: Starts, name: str, width: int):
    body = BODIES[name]
    agent = live("--suggest", "", size=(width, 24))
    empty = agent.wait_empty()
    agent.paste(body)
    draft = agent.wait_reading(lambda reading: reading.composer == "draft", "a draft")
    if draft.placeholder:
        assert "".join(draft.text.split()) == "[Pastedtext#1+39lines]"
    else:
        assert "".join(draft.text.split()) == "".join(body.split())
    assert all(agent.ask(f"#{{C/r:{pattern}}}") != "0" for pattern in draft.steady)
    assert [agent.ask(f"#{{C/r:{pattern}}}") for pattern in empty.steady] == ["0"]


@pytest.mark.case("B11")
@pytest.mark.parametrize("hint", ["", "Ask the scripted agent", 'Try "fix: {lint}, #2"'])
@pytest.mark.parametrize("width", [25, 80])
def test_one_typed_letter_breaks_the_pattern_of_the_empty_composer(
    live: Starts, hint: str, width: int
):
    agent = live("--suggest", hint, "--", hint or "x", size=(width, 24))
    agent.wait_fact("turn-end")
    empty = agent.wait_empty()
    assert [agent.ask(f"#{{C/r:{pattern}}}") != "0" for pattern in empty.steady] == [True]
    agent.press("A")
    agent.wait_reading(lambda reading: reading.composer == "draft", "a draft")
    assert [agent.ask(f"#{{C/r:{pattern}}}") for pattern in empty.steady] == ["0"]


@pytest.mark.case("B3")
@pytest.mark.parametrize("width", [25, 80])
def test_enter_approves_an_open_dialog(live: Starts, width: int):
    agent = live("--", '[[tool:Bash {"command":"ls"}]]', size=(width, 24))
    agent.wait_reading(lambda reading: reading.dialog == "permission", "a dialog")
    assert all(agent.ask(f"#{{C/r:{pattern}}}") != "0" for pattern in ScriptedReader.dialogs)
    agent.paste("lost")
    agent.press("Enter")
    assert agent.wait_fact("approved")["tool"] == "Bash"
    agent.wait_fact("turn-end")
    assert agent.wait_empty().dialog is None
    assert len(agent.facts("submit")) == 1
    assert any("● Bash approved" in line for line in agent.screen().lines)


def test_escape_declines_a_dialog_and_interrupts_a_turn(live: Starts):
    agent = live("--", "[[tool:Bash]]")
    agent.wait_reading(lambda reading: reading.dialog, "a dialog")
    agent.press("Escape")
    agent.wait_fact("declined")
    agent.wait_empty()
    agent.press("[[slow:600:x]]", "Enter")
    agent.wait_reading(lambda reading: reading.busy, "being busy")
    agent.press("Escape")
    agent.wait_fact("interrupted")
    assert not agent.wait_empty().busy


def test_a_prompt_sent_while_busy_is_queued_and_the_composer_counts_as_empty(live: Starts):
    agent = live("--", "[[slow:600:x]]")
    agent.wait_reading(lambda reading: reading.busy, "being busy")
    agent.paste("next")
    agent.press("Enter")
    agent.wait_fact("submit", 2)
    wait_for(lambda: any("Queued: next" in line for line in agent.screen().lines), what="a queue")
    assert agent.wait_empty().busy
    agent.press("Escape")
    assert agent.wait_fact("turn-start", 2)["text"] == "next"


@pytest.fixture
def hooked(tmp_path: Path) -> tuple[str, Path]:
    """Settings whose hooks write their payload and environment, a line each; and the file."""
    told = tmp_path / "told"
    script = tmp_path / "hook"
    script.write_text(
        f'read -r line; echo "$line" >>{told}\n'
        'echo "$SCRIPTED_PID $TMUX_PANE" >&2\n'
        'case $line in *\'"SessionStart"\'*) echo "context at the start";; esac\n',
        encoding="utf-8",
    )
    hook = {"type": "command", "command": f"sh {shlex.quote(str(script))}", "timeout": 20}
    entry = [{"matcher": "*", "hooks": [hook]}]
    return json.dumps({"hooks": dict.fromkeys([*HEARD, "StopFailure"], entry)}), told


def test_hooks_are_told_each_event_as_claude_code_tells_it(live: Starts, hooked: tuple[str, Path]):
    settings, told = hooked
    agent = live("--settings", settings, "--session-id", "S1", "--", "[[tool:Bash]][[text:bye]]")
    agent.wait_reading(lambda reading: reading.dialog, "a dialog")
    wait_for(lambda: '"PermissionRequest"' in told.read_text(encoding="utf-8"), what="its hook")
    agent.press("Enter")
    agent.wait_fact("turn-end")
    agent.wait_empty()
    agent.press("C-d")
    assert agent.wait_fact("exit")["status"] == 0
    payloads = [json.loads(line) for line in told.read_text(encoding="utf-8").splitlines()]
    names = [payload["hook_event_name"] for payload in payloads]
    assert names == HEARD
    common = {"session_id": "S1", "cwd": str(ROOT), "transcript_path": str(agent.log)}
    assert all(payload.items() >= common.items() for payload in payloads)
    assert payloads[1]["prompt"] == "[[tool:Bash]][[text:bye]]"
    assert payloads[5]["last_assistant_message"] == "bye"
    assert payloads[6]["reason"] == "prompt_input_exit"
    assert agent.facts("context")[0]["text"] == "context at the start"


def test_a_hung_up_pane_still_ends_the_session(live: Starts, hooked: tuple[str, Path]):
    settings, told = hooked
    agent = live("--settings", settings)
    agent.wait_empty()
    agent.tmux("kill-pane")
    assert agent.wait_fact("exit")["status"] == 128 + signal.SIGHUP
    assert '"SessionEnd"' in told.read_text(encoding="utf-8").splitlines()[-1]


@pytest.mark.case("A21")
def test_late_throws_away_what_comes_too_early(live: Starts):
    agent = live("--late", "2")
    wait_for(lambda: any("Starting" in line for line in agent.screen().lines), what="a banner")
    assert agent.reading().composer == "unseen"
    agent.paste("too early")
    agent.press("Enter")
    agent.wait_empty()
    assert all(fact.get("discarded") for fact in agent.facts("bytes"))
    assert agent.facts("bytes")
    assert agent.facts("submit") == []


@pytest.mark.case("A5")
def test_read_in_chunks_a_paste_is_still_one(live: Starts):
    agent = live("--chunk", "256")
    agent.wait_empty()
    agent.paste("x" * 8192)
    agent.press("Enter")
    assert agent.wait_fact("submit")["bytes"] == 8192
    assert len(agent.facts("paste")) == 1
    assert max(len(fact["hex"]) for fact in agent.facts("bytes")) == 512


@pytest.mark.case("A1")
def test_an_enter_that_comes_too_fast_is_a_newline(live: Starts):
    agent = live("--paste-window", "600000")
    agent.wait_empty()
    agent.press("hello", "Enter", "x")
    draft = agent.wait_reading(lambda reading: "x" in reading.text, "the next letter")
    assert draft.text == "hello\nx"
    assert agent.facts("submit") == []


def test_a_dialog_opens_between_paste_and_enter(live: Starts):
    agent = live("--dialog-on-paste")
    agent.wait_empty()
    agent.paste("wake")
    agent.wait_reading(lambda reading: reading.dialog, "a dialog")
    agent.press("2")
    assert agent.wait_reading(lambda reading: reading.text, "the draft").text == "wake"
    assert agent.facts("approved") == []


def test_a_hidden_composer_is_unseen_and_still_takes_a_prompt(live: Starts):
    agent = live("--hidden-composer")
    agent.wait_fact("ready")
    wait_for(lambda: agent.screen().lines[0], what="a banner")
    assert agent.reading().composer == "unseen"
    agent.paste("hi")
    agent.press("Enter")
    assert agent.wait_fact("submit")["text"] == "hi"


def test_a_new_size_is_painted_at_once(live: Starts):
    agent = live()
    agent.wait_empty()
    agent.tmux("resize-window", "-x", "30", "-y", "12")
    wait_for(lambda: "─" * 30 in agent.screen().lines, what="a rule of the new width")
    assert agent.wait_empty().steady == ("^❯ Ask the scripted agent$",)


def test_the_terminal_is_given_back_when_it_is_told_to_end(tmux_socket: str, tmp_path: Path):
    before, after = tmp_path / "before", tmp_path / "after"
    script = f"stty -a >{before}; {shlex.join(AGENT)} --log {tmp_path}/log; stty -a >{after}; cat"
    tmux = ["tmux", "-u", "-S", tmux_socket, "-f", "/dev/null"]
    subprocess.run([*tmux, "new-session", "-d", "-c", str(ROOT), "sh", "-c", script], check=True)
    log = tmp_path / "log"
    wait_for(lambda: log.exists() and '"ready"' in log.read_text(encoding="utf-8"), what="ready")
    os.kill(json.loads(log.read_text(encoding="utf-8").splitlines()[0])["pid"], signal.SIGTERM)
    wait_for(lambda: after.exists() and after.read_text(encoding="utf-8"), what="its end")
    assert after.read_text(encoding="utf-8") == before.read_text(encoding="utf-8")
    ask = [*tmux, "display-message", "-p", "#{alternate_on} #{wrap_flag} #{cursor_flag}"]
    assert subprocess.run(ask, capture_output=True).stdout == b"0 1 1\n"
    assert '"status": 143' in log.read_text(encoding="utf-8").splitlines()[-1]


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    near, far = pty.openpty()
    yield near, far
    os.close(near)
    os.close(far)


def test_it_ends_as_the_prompt_says_and_asks_for_no_more_paste_markers(
    terminal: tuple[int, int], tmp_path: Path
):
    near, far = terminal
    log = tmp_path / "log"
    mask = os.umask(0)
    try:
        process = subprocess.Popen(
            [*AGENT, "--log", str(log), "--", "[[exit:3]]"], stdin=far, stdout=far, cwd=ROOT
        )
    finally:
        os.umask(mask)
    assert process.wait(20) == 3
    painted = os.read(near, 65536)
    assert painted.startswith(b"\x1b[?1049h")
    assert painted.index(b"\x1b[?2004h") < painted.index(b"\x1b[?2004l")
    assert painted.endswith(b"\x1b[?1049l")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--settings", "{"], "--settings can't be used"),
        (["--settings", "/no/such/file"], "--settings can't be used"),
        (["--log", "/no/such/place/log"], "the journal can't be written"),
    ],
)
def test_what_it_cannot_use_is_said_before_the_terminal_is_touched(
    terminal: tuple[int, int], options: list[str], words: str
):
    _, far = terminal
    ran = subprocess.run(
        [*AGENT, *options], stdin=far, stdout=far, stderr=subprocess.PIPE, cwd=ROOT, timeout=20
    )
    assert ran.returncode == 1
    assert words in ran.stderr.decode()


def test_without_a_terminal_it_says_so():
    ran = subprocess.run(AGENT, stdin=subprocess.DEVNULL, capture_output=True, cwd=ROOT, timeout=20)
    assert ran.returncode == 1
    assert b"it needs a terminal" in ran.stderr
