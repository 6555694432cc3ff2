"""Events as facts, prompts as hashes, JSON by C parts: all pure."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tongs_agents.hooks import events, wire
from tongs_agents.hooks.prompts import digest, digests, is_person, unwrapped
from tongs_mux.text import fingerprint, prepare, sha256

COMMON = {"session_id": "11-22", "cwd": "/project", "transcript_path": "/t.jsonl"}


def fact(event: str, harness: str = "claude", **fields: Any) -> events.Fact | None:
    return events.fact_of(harness, event, {**COMMON, **fields})


def known(event: str, harness: str = "claude", **fields: Any) -> events.Fact:
    found = fact(event, harness, **fields)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("event", "fields", "kind"),
    [
        ("SessionStart", {"source": "startup"}, "session-start"),
        ("SessionStart", {"source": "clear"}, "session-start"),
        ("SessionStart", {"source": "compact"}, "compacted"),
        ("SessionEnd", {"reason": "clear"}, "session-end"),
        ("UserPromptSubmit", {"prompt": "go"}, "prompt"),
        ("UserPromptSubmit", {"prompt": "<task-notification>x"}, "notified"),
        ("UserPromptSubmit", {"prompt": "\n <task-notification>x"}, "notified"),
        ("UserPromptSubmit", {}, "prompt"),
        ("PermissionRequest", {"tool_name": "Bash"}, "needs"),
        ("Notification", {"notification_type": "permission_prompt"}, "needs"),
        ("Notification", {"notification_type": "idle_prompt"}, "idle"),
        ("Stop", {}, "stop"),
        ("StopFailure", {"error": "529"}, "failure"),
        ("Interrupt", {}, "interrupt"),
    ],
)
@pytest.mark.parametrize("harness", ["claude", "codex"])
@pytest.mark.requirement("7.9")
def test_an_event_is_a_fact(harness: str, event: str, fields: dict[str, Any], kind: str):
    assert known(event, harness, **fields).kind == kind


@pytest.mark.parametrize(
    ("event", "fields", "kind"),
    [
        ("session_start", {"source": "startup"}, "session-start"),
        ("session_start", {"source": "new"}, "session-start"),
        ("session_shutdown", {"reason": "quit"}, "session-end"),
        ("before_agent_start", {"prompt": "go"}, "prompt"),
        ("message_start", {"prompt": "and then"}, "prompt"),
        ("agent_start", {}, "notified"),
        ("agent_settled", {"aborted": False, "error": ""}, "stop"),
        ("agent_settled", {"aborted": True, "error": "x"}, "interrupt"),
        ("agent_settled", {"aborted": False, "error": "529"}, "failure"),
        ("ui_prompt_start", {"kind": "confirm"}, "needs"),
        ("ui_prompt_end", {}, "answered"),
    ],
)
@pytest.mark.requirement("7.9", "A68")
def test_an_event_of_pi_s_is_a_fact(event: str, fields: dict[str, Any], kind: str):
    assert known(event, "pi", **fields).kind == kind


@pytest.mark.parametrize(
    ("event", "fields"),
    [("session_start", {"source": "reload"}), ("session_shutdown", {"reason": "reload"})],
)
def test_a_session_of_pi_s_that_is_reloaded_goes_on_as_it_was(event: str, fields: dict[str, Any]):
    assert fact(event, "pi", **fields) is None


def test_an_end_of_pi_s_says_what_it_was():
    assert known("agent_settled", "pi", error="529 overloaded").detail == "529 overloaded"
    assert known("agent_settled", "pi", aborted=True).needs == "prompt"
    asked = known("ui_prompt_start", "pi", kind="confirm")
    assert (asked.needs, asked.detail) == ("question", "confirm")


def test_a_prompt_is_known_by_what_was_typed_too_where_a_template_made_another_text_of_it():
    found = known("before_agent_start", "pi", prompt="Review: the diff", typed="/review the diff")
    for text in ("Review: the diff", "/review the diff"):
        assert sha256(prepare(text)) in found.prompts
    same = known("before_agent_start", "pi", prompt="go", typed="go")
    assert same.prompts == known("UserPromptSubmit", "pi", prompt="go").prompts


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("PreToolUse", {}),
        ("SubagentStop", {}),
        ("Notification", {}),
        ("Notification", {"notification_type": "auth_success"}),
        ("Notification", {"notification_type": ["idle_prompt"]}),
        ("SomethingNew", {}),
        ("Stop", {"session_id": ""}),
        ("Stop", {"session_id": 7}),
        ("Stop", {"session_id": None}),
        ("Stop", {"session_id": "x" * 513}),
        ("Stop", {"session_id": "é" * 257}),
        ("Stop", {"session_id": "a\nb"}),
        ("Stop", {"session_id": "a\ud800"}),
    ],
)
@pytest.mark.requirement("4.17", "7.8")
def test_what_is_unknown_or_garbled_says_nothing(event: str, fields: dict[str, Any]):
    assert fact(event, **fields) is None


@pytest.mark.parametrize("payload", [None, [], "x", 7, {}, {"cwd": "/"}])
def test_what_is_no_payload_says_nothing(payload: Any):
    assert events.fact_of("claude", "Stop", payload) is None


@pytest.mark.parametrize("event", ["Stop", "PermissionRequest", "UserPromptSubmit", "StopFailure"])
@pytest.mark.requirement("A83")
def test_an_event_that_names_a_subagent_says_nothing_of_the_launch(event: str):
    assert fact(event, agent_id="a1", agent_type="general-purpose") is None


def test_what_it_waits_for_is_named():
    asked = known("PermissionRequest", tool_name="Bash", tool_input={"command": "rm"})
    assert (asked.needs, asked.tool) == ("permission", "Bash")
    assert known("Notification", notification_type="elicitation_dialog").needs == "question"
    assert known("Stop", background_tasks=[{"id": 1}]).detail == "background tasks: 1"
    assert known("Stop", background_tasks="x").detail == ""


@pytest.mark.requirement("7.8", "7.13")
def test_texts_of_the_harness_are_bounded_and_safe_to_show():
    found = known("PermissionRequest", tool_name="a\x1b[31m\n\ud800\u202eb" + "é" * 300)
    assert found.tool.startswith("a?[31m???b")
    assert len(found.tool.encode("utf-8")) <= events.MAX_TOOL
    assert len(known("Stop", cwd="/" + "x" * 9999).cwd) == events.MAX_PATH
    assert known("Stop", cwd=["/"]).cwd == ""
    assert len(known("StopFailure", error="x" * 999).detail) == events.MAX_DETAIL


@pytest.mark.requirement("7.13")
def test_nothing_of_a_prompt_or_a_tool_is_in_a_fact():
    for event in ("UserPromptSubmit", "PermissionRequest", "Stop", "Notification", "StopFailure"):
        found = known(
            event,
            prompt="SECRET",
            tool_input={"x": "SECRET"},
            message="SECRET",
            last_assistant_message="SECRET",
            tool_response="SECRET",
            notification_type="permission_prompt",
        )
        values = [getattr(found, name) for name in events.Fact.__slots__]
        assert "SECRET" not in repr(values)


# ---------------------------------------------------------------- prompts


def wrapped(text: str, name: str = "cf4c", blank: str = "") -> str:
    """As Claude Code hands a large paste to its hook."""
    return f'<pasted_content id="{name}">{blank}{text}{blank}</pasted_content id="{name}">'


sendable = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t"), min_size=1
).filter(lambda text: text.strip("\n") and not set(text) & {"\u2028", "\u2029"})


@given(sendable, st.sampled_from(["", "\n"]))
@pytest.mark.requirement("receipt")
def test_a_prompt_has_the_hash_of_what_was_sent(text: str, blank: str):
    sent = sha256(prepare(text))
    assert sent in digests("claude", text)
    assert sent in digests("codex", text)
    assert sent in digests("claude", wrapped(text, blank=blank))
    assert sent in digests("claude", wrapped(text.replace("\n", "\r\n"), blank=blank))


def test_the_likeliest_hash_comes_first():
    text = "one\ntwo\nthree\nfour"
    real = "\n\n" + wrapped(text, blank="\n") + "\n"
    for prompt in (text, wrapped(text), wrapped(text, blank="\n"), wrapped(text) + "\n", real):
        assert digests("claude", prompt)[0] == sha256(prepare(text))


@pytest.mark.parametrize(
    "prompt",
    [
        "see " + wrapped("x"),
        wrapped("x") + " and more",
        '<pasted_content id="a">x</pasted_content id="b">',
        '<pasted_content id="a',
        f'<pasted_content id="{"a" * 65}">x</pasted_content id="{"a" * 65}">',
        "",
    ],
)
def test_the_words_of_a_wrapping_inside_a_text_are_text(prompt: str):
    assert unwrapped("claude", prompt) is None
    forms = dict.fromkeys((digest(prompt), fingerprint(prompt)))
    assert digests("claude", prompt) == tuple(forms)


@pytest.mark.requirement("receipt")
@pytest.mark.parametrize(
    ("sent", "taken"),
    [
        ("a\tb", "a    b"),
        ("ends in blanks  ", "ends in blanks"),
        ("cafe\u0301", "caf\u00e9"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
    ],
    ids=["tab", "blanks", "composed", "unseen"],
)
def test_a_prompt_that_the_harness_altered_is_known_by_what_stays(sent: str, taken: str):
    assert sha256(prepare(sent)) not in digests("claude", taken)
    assert fingerprint(sent) in digests("claude", taken)
    assert fingerprint(sent) in digests("claude", "\n\n" + wrapped(taken, blank="\n") + "\n")


def test_only_claude_wraps():
    assert unwrapped("codex", wrapped("x")) is None
    assert unwrapped("claude", wrapped(wrapped("x", "inner"))) == wrapped("x", "inner")


def test_a_lone_surrogate_has_a_hash():
    assert digest("\ud800") == hashlib.sha256(b"\xed\xa0\x80").hexdigest()


@pytest.mark.requirement("A90")
def test_what_the_harness_or_another_session_says_is_no_persons_prompt():
    assert is_person("please read <task-notification>")
    assert not is_person("<task-notification>\n<task-id>1")
    assert not is_person('<cross-session-message from="uds:x">hi')


# ---------------------------------------------------------------- JSON

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)  # fmt: skip


@given(plain)
def test_json_is_read_and_written_as_the_standard_library_does_it(value: Any):
    assert wire.loads(json.dumps(value)) == value
    assert json.loads(wire.dumps(value)) == value
    assert wire.loads(f" \r\n\t{wire.dumps(value)}\n") == value
    assert wire.dumps(value).isascii()


@pytest.mark.parametrize(
    "text",
    ["", " ", "{", "nul", "[1] x", '{"a"}', "\x00", '"\\ud8', "]", "9" * 5000, "[" * 100_000],
)
def test_what_is_no_json_is_an_error(text: str):
    with pytest.raises((ValueError, RecursionError)):
        wire.loads(text)


def test_a_lone_surrogate_survives():
    assert wire.loads('"\\ud800"') == "\ud800"
    assert wire.dumps("\ud800") == '"\\ud800"'


def test_a_record_holds_json_only():
    with pytest.raises(TypeError):
        wire.dumps({"x": b""})
