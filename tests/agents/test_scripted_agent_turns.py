"""The agent without a terminal: what it does with keys, time and what hooks say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tongs_agents.scripted_agent.agent import QUEUED_HINT, Agent
from tongs_agents.scripted_agent.hooks import HookCall, Outcome
from tongs_agents.scripted_agent.keys import Char, Event, Key, Paste
from tongs_agents.scripted_agent.options import HINT, Options
from tongs_agents.scripted_agent.player import Ports
from tongs_agents.scripted_agent.turn import STOP_BLOCKS, CallTool, Offered

ENTER, ESCAPE = Key("enter"), Key("escape")
FINE = Outcome()
COUNTED = ("start", "dialog", "approved", "declined", "interrupted", "turn-end", "tool")


class Stage:
    """An agent whose hooks answer ``says``, at times that the test sets."""

    def __init__(
        self, *, says: Mapping[str, Outcome] | None = None, slow: bool = False, **options: Any
    ) -> None:
        self.now = 100.0
        self.facts: list[tuple[str, Mapping[str, Any]]] = []
        self.calls: list[HookCall] = []
        self._says = says or {}
        self.slow = slow
        self._waiting: list[tuple[int, HookCall]] = []
        self.tools: list[tuple[int, Offered | CallTool]] = []
        self.taken_back: list[int] = []
        ports = Ports(
            lambda event, fields: self.facts.append((event, fields)),
            self._hook,
            lambda token, request: self.tools.append((token, request)),
            self.taken_back.append,
            frozenset({"mcp__s__free"}),
        )
        self.agent = Agent(Options(**options), ports, now=self.now)
        self.wait(0)

    def _hook(self, token: int, call: HookCall) -> None:
        self.calls.append(call)
        self._waiting.append((token, call))

    def settle(self) -> None:
        while self._waiting and not self.slow:
            token, call = self._waiting.pop(0)
            self.agent.hook_done(token, self._says.get(call.event, FINE), self.now)

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.agent.tick(self.now)
        self.settle()

    def do(self, *events: Event | str) -> None:
        for event in events:
            for one in map(Char, event) if isinstance(event, str) else [event]:
                self.agent.take(one, self.now)
        self.settle()

    @property
    def events(self) -> list[str]:
        return [event for event, _ in self.facts if event in COUNTED]

    @property
    def hooks(self) -> list[str]:
        return [call.event for call in self.calls]

    def told(self, event: str) -> list[Mapping[str, Any]]:
        return [fields for name, fields in self.facts if name == event]

    @property
    def submitted(self) -> list[str]:
        return [fields["text"] for fields in self.told("submit")]

    @property
    def draft(self) -> str:
        composer = self.agent.view(self.now).composer
        return composer.text if composer is not None else "(none)"

    @property
    def shown(self) -> list[str]:
        return [f"{mark} {text}" for mark, text in self.agent.view(self.now).transcript]


def test_a_prompt_is_answered_and_hooks_hear_of_it():
    stage = Stage()
    stage.do("hi", Key("newline"), "there", ENTER)
    assert stage.submitted == ["hi\nthere"]
    assert stage.shown == ["> hi\nthere", "● ok: hi\nthere"]
    assert stage.hooks == ["SessionStart", "UserPromptSubmit", "Stop"]
    assert stage.calls[1].fields == {"prompt": "hi\nthere"}
    assert stage.calls[2].fields == {
        "stop_hook_active": False,
        "last_assistant_message": "ok: hi\nthere",
    }
    assert stage.told("turn-end") == [{"how": "stop"}]


@pytest.mark.parametrize("typed", ["", " ", "\t"])
def test_nothing_is_not_submitted(typed: str):
    stage = Stage()
    stage.do(typed, ENTER, ENTER)
    assert stage.submitted == []


def test_a_paste_joins_the_draft_and_is_sent_with_it():
    stage = Stage()
    stage.do("human draft", Paste(b"PASTED"), ENTER)
    assert stage.submitted == ["human draftPASTED"]


def test_a_folded_paste_is_submitted_whole():
    stage = Stage()
    body = "\n".join(f"line {n}" for n in range(40))
    stage.do(Paste(body.encode()), ENTER)
    assert stage.submitted == [body]


def test_while_busy_prompts_wait_for_turns_of_their_own():
    stage = Stage()
    stage.do("[[slow:5:late]]", ENTER, "second", ENTER)
    assert stage.agent.view(stage.now).queued == ("second",)
    assert stage.agent.view(stage.now).hint == QUEUED_HINT
    assert stage.hooks.count("UserPromptSubmit") == 1
    stage.wait(4.9)
    assert stage.told("turn-end") == []
    stage.wait(0.2)
    assert stage.shown == ["> [[slow:5:late]]", "● late", "> second", "● ok: second"]
    assert stage.agent.view(stage.now).hint == HINT


def test_busy_counts_whole_seconds_and_asks_to_be_painted_at_each():
    stage = Stage()
    assert stage.agent.next_due(stage.now) is None
    stage.do("[[slow:5:x]]", ENTER)
    stage.wait(2.25)
    assert stage.agent.view(stage.now).busy_for == 2
    assert stage.agent.next_due(stage.now) == pytest.approx(stage.now + 0.75)


def test_escape_ends_a_turn_and_no_hook_hears_of_it():
    stage = Stage()
    stage.do("[[slow:5:x]][[text:y]]", ENTER, ESCAPE)
    stage.wait(60)
    assert stage.events == ["interrupted", "turn-end"]
    assert stage.hooks == ["SessionStart", "UserPromptSubmit"]
    assert stage.shown[-1] == "⎿ Interrupted"
    stage.do("next", ENTER)
    assert stage.shown[-1] == "● ok: next"


def test_escape_while_idle_does_nothing():
    stage = Stage()
    stage.do("draft", ESCAPE)
    assert (stage.draft, stage.events) == ("draft", [])


@pytest.mark.case("B3")
@pytest.mark.parametrize("key", [ENTER, Char("1")])
def test_enter_in_a_dialog_approves_and_what_is_typed_there_is_lost(key: Event):
    stage = Stage()
    stage.do('[[tool:Bash {"a":1}]][[text:done]]', ENTER)
    assert stage.agent.view(stage.now).dialog == 'Bash {"a": 1}'
    assert stage.agent.next_due(stage.now) is None
    stage.do("typed", Paste(b"pasted"), key)
    assert stage.events == ["dialog", "approved", "tool", "turn-end"]
    assert stage.told("tool") == [{"tool": "Bash", "input": {"a": 1}}]
    assert (stage.draft, stage.submitted[1:]) == ("", [])
    assert stage.hooks[2:] == ["PreToolUse", "PermissionRequest", "PostToolUse", "Stop"]
    assert len({call.fields["tool_use_id"] for call in stage.calls[2:5]}) == 1
    assert stage.shown[-2:] == ["● Bash approved", "● done"]


@pytest.mark.parametrize("key", [ESCAPE, Char("2"), Key("interrupt")])
def test_a_declined_tool_ends_the_turn(key: Event):
    stage = Stage()
    stage.do("[[tool:Bash]][[text:never]]", ENTER)
    stage.do(key)
    assert stage.events == ["dialog", "declined", "turn-end"]
    assert stage.told("turn-end") == [{"how": "declined"}]
    assert stage.hooks[2:] == ["PreToolUse", "PermissionRequest"]
    assert stage.shown[-2:] == ["● Bash declined", "⎿ Interrupted"]


def test_an_error_fails_the_turn():
    stage = Stage()
    stage.do("[[error:529]][[text:never]]", ENTER)
    assert stage.hooks[2:] == ["StopFailure"]
    assert stage.calls[2].fields["error"] == "API Error: 529"
    assert stage.told("turn-end") == [{"how": "failed"}]


def test_a_prompt_may_end_the_program():
    stage = Stage()
    stage.do("[[exit:3]]", ENTER)
    assert stage.agent.player.status == 3
    assert "Stop" not in stage.hooks


def test_context_of_hooks_is_shown_and_recorded():
    told = {event: Outcome((event,)) for event in ("SessionStart", "UserPromptSubmit")}
    stage = Stage(says=told)
    stage.do("x", ENTER)
    assert stage.told("context") == [{"hook": event, "text": event} for event in told]
    assert "⎿ context: SessionStart" in stage.shown


def test_a_hook_may_block_a_prompt_and_a_tool():
    stage = Stage(says={"UserPromptSubmit": Outcome(block="no")})
    stage.do("x", ENTER)
    assert stage.told("turn-end") == [{"how": "blocked"}]
    stage = Stage(says={"PreToolUse": Outcome(block="no")})
    stage.do("[[tool:Bash]][[text:on]]", ENTER)
    assert stage.events == ["turn-end"]
    assert stage.shown[-2:] == ["● Bash blocked by a hook: no", "● on"]


def test_a_failed_hook_is_reported_and_harms_nothing():
    stage = Stage(says={"Stop": Outcome(failures=("exit 1",))})
    stage.do("x", ENTER)
    assert stage.told("hook-failed") == [{"hook": "Stop", "why": "exit 1"}]
    assert stage.told("turn-end") == [{"how": "stop"}]


def test_stop_hooks_keep_the_turn_going_until_overridden():
    stage = Stage(says={"Stop": Outcome(block="[[text:more]]")})
    stage.do("x", ENTER)
    active = [call.fields["stop_hook_active"] for call in stage.calls if call.event == "Stop"]
    assert active == [False] + [True] * STOP_BLOCKS
    assert stage.shown.count("● more") == STOP_BLOCKS
    assert stage.told("turn-end") == [{"how": "stop"}]


def test_prompts_wait_for_the_hooks_of_the_start():
    stage = Stage(slow=True, prompt="first")
    assert stage.hooks == ["SessionStart"]
    assert stage.submitted == ["first"]
    stage.slow = False
    stage.settle()
    assert stage.hooks == ["SessionStart", "UserPromptSubmit", "Stop"]


@pytest.mark.case("A21")
def test_late_is_not_up_before_its_time():
    stage = Stage(late=3.0, prompt="-x")
    assert (stage.agent.up, stage.agent.view(stage.now).composer) == (False, None)
    assert stage.agent.next_due(stage.now) == stage.now + 3
    stage.wait(3)
    assert stage.agent.up
    assert stage.submitted == ["-x"]


@pytest.mark.case("A1")
def test_an_enter_within_the_paste_window_is_a_newline():
    stage = Stage(paste_window=0.12)
    stage.do(Paste(b"hello"))
    stage.wait(0.1)
    stage.do(ENTER)
    assert (stage.submitted, stage.draft) == ([], "hello\n")
    stage.wait(0.13)
    stage.do(ENTER)
    assert stage.submitted == ["hello\n"]


@pytest.mark.case("A4")
def test_the_first_enter_after_each_paste_may_be_dropped():
    stage = Stage(drop_first_enter=True)
    for text in (b"one", b"two"):
        stage.do(Paste(text), ENTER)
        assert stage.draft == text.decode()
        stage.do(ENTER)
    assert stage.submitted == ["one", "two"]
    assert len(stage.told("enter-dropped")) == 2


def test_a_dialog_may_open_right_after_a_paste():
    stage = Stage(dialog_on_paste=True)
    stage.do(Paste(b"wake"))
    assert stage.agent.view(stage.now).dialog is not None
    assert stage.draft == "wake"
    stage.do(ESCAPE)
    assert (stage.draft, stage.submitted, stage.events[-1]) == ("wake", [], "turn-end")
    stage.do(ENTER)
    assert stage.submitted == ["wake"]


@pytest.mark.case("A18")
def test_in_normal_mode_a_paste_lands_and_enter_is_a_motion():
    stage = Stage(vim_normal=True)
    keys = (Key("newline"), Key("backspace"), Key("clear"))
    stage.do("jk", Paste(b"text"), ENTER, *keys, ENTER)
    assert (stage.draft, stage.submitted) == ("text", [])
    assert stage.agent.view(stage.now).vim_normal


def test_a_slow_echo_brings_the_paste_after_the_enter():
    stage = Stage(slow_echo=1.0)
    stage.do(Paste(b"text"), ENTER)
    assert (stage.draft, stage.submitted) == ("", [])
    assert stage.agent.next_due(stage.now) == stage.now + 1
    stage.wait(1)
    assert stage.draft == "text"


def test_control_c_clears_then_leaves():
    stage = Stage()
    stage.do("draft", Key("interrupt"))
    assert (stage.draft, stage.agent.player.status) == ("", None)
    stage.do(Key("interrupt"))
    assert stage.agent.player.status == 0


def test_control_u_clears_the_composer_and_does_nothing_else():
    stage = Stage()
    stage.do("two", Key("newline"), Paste(b"\n" * 20), "x", Key("clear"))
    assert (stage.draft, stage.submitted, stage.agent.player.status) == ("", [], None)
    stage.do(Key("clear"), "[[slow:5:x]]", ENTER, "draft", Key("clear"))
    assert (stage.draft, stage.submitted) == ("", ["[[slow:5:x]]"])
    assert stage.agent.player.busy_since is not None


def test_control_d_leaves_only_an_empty_composer():
    stage = Stage()
    stage.do("x", Key("end"))
    assert stage.agent.player.status is None
    stage.do(Key("backspace"), Key("end"))
    assert stage.agent.player.status == 0


def test_what_was_pasted_and_submitted_is_recorded_with_its_hash():
    stage = Stage()
    stage.do(Paste("é".encode()), ENTER)
    expected = {"sha256": "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c"}
    assert stage.told("paste") == [{**expected, "bytes": 2}]
    assert stage.told("submit") == [{**expected, "bytes": 2, "text": "é", "way": "enter"}]
