"""Spawn, send, capture, close: what arrives is what was sent, byte for byte."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.stories.both import ON_BOTH
from tests.stories.rig import PERSON, Rig, failed, pasted
from tests.waiting import wait_for
from tongs_mux.text import MAX_BYTES, sha256

BODIES = {
    "a word": "hello",
    "32 KiB": "0123456789abcde\n" * 2047 + "0123456789abcdef",
    "32 KiB in one line": "x" * MAX_BYTES,
    "32 KiB of wide characters": "漢" * (MAX_BYTES // 3),
    "40 lines": "\n".join(f"line {number}" for number in range(40)),
    "empty lines": "a\n\n\nb",
    "leading newlines": "\n\na",
    "emoji": "🚀🎉✅❤️ 👍🏽 🇪🇺",
    "joined emoji": "👩\u200d🚀 👨\u200d👩\u200d👧\u200d👦 🏳️\u200d🌈",
    "wide": "漢字 かな 한글 ｆｕｌｌ",
    "combining": "e\u0301 o\u0308\u0323 ก\u0e33 ﷽ Z\u0351\u036b\u0343",
    "from right to left": "שלום \u202eabc\u202c مرحبا",
    "invisible": "a\u200bb\u00adc\ufeffd\u2060e",
    "leading dash": "-x --help -t %0",
    "one dash": "-",
    "trailing semicolon": "go;",
    "only a semicolon": ";",
    "trailing backslash": "a\\",
    "backslashes": "\\\\ \\n \\; \\x1b \\033",
    "formats": "#{pane_id} #(touch x) #S #[fg=red] %0 %% @1 $1",
    "braces": "{} }{ {last}",
    "quotes": "'a' \"b\" `c` '\"'\"'",
    "shell": "$HOME $(id) ${x} ~ * ? ! & | < > && ;; # !!",
    "tabs": "a\tb\t\tc",
    "blanks": "  a  b  ",
    "escapes in letters": "^[[200~ \\e[201~ ^C ^D",
    "names of keys": "Enter C-c Up Escape",
    "a rule and a glyph": "────────────\n❯ not mine\n────────────",
    "words of a dialog": "Do you want to proceed?\n❯ 1. Yes\nEsc to cancel",
    "only blanks": "   ",
}
MAX_SHOWN = 200
SOME = (
    *("32 KiB", "32 KiB in one line", "40 lines", "emoji", "joined emoji", "leading dash"),
    *("combining", "one dash", "trailing semicolon", "trailing backslash", "formats"),
)
"""The ones that Zellij gets too: it takes each as an argument, and one process a step."""


@pytest.mark.case("A2", "A12", "A14")
@pytest.mark.parametrize(
    ("rig", "raw", "names"),
    [
        pytest.param("tmux", True, tuple(BODIES), id="raw"),
        pytest.param("tmux", False, tuple(BODIES), id="scripted"),
        pytest.param("zellij", False, SOME, id="scripted on zellij"),
    ],
    indirect=["rig"],
)
def test_every_body_arrives_once_and_whole(rig: Rig, raw: bool, names: tuple[str, ...]):
    agent = rig.start(raw=raw)
    expected, sent = b"", list[bytes]()
    for name in names:
        text = BODIES[name]
        if not raw and not text.strip():
            continue  # no composer submits blanks
        if not raw:
            agent.wait_composer("empty")
        receipt = agent.send(text)
        assert (receipt.bytes, receipt.sha256) == (len(text.encode()), sha256(text.encode())), name
        expected += pasted(text)
        agent.journal.wait_typed(expected)
        sent.append(text.encode())
        agent.journal.wait("submit", len(sent))
        assert agent.journal.submitted() == sent, name
    lines = [line for line in rig.audit() if line["action"] == "send"]
    assert {line["bytes"] for line in lines} <= {len(text.encode()) for text in BODIES.values()}


def test_a_pane_too_small_to_see_the_text_in_is_refused_beforehand(rig: Rig):
    agent = rig.start()
    rig.tmux("resize-window", "-t", agent.pane, "-x", "25", "-y", "5")
    wait_for(lambda: "─" * 25 in agent.screen().splitlines(), what="the new size")
    agent.wait_composer("empty")
    found = agent.refused("unknown", "words that wrap " * 5)
    assert "too small" in found.error
    assert agent.journal.typed() == b""


@pytest.mark.parametrize("size", [(25, 12), (80, 24), (300, 80)], ids=str)
def test_a_body_is_known_in_the_composer_of_every_size(rig: Rig, size: tuple[int, int]):
    agent = rig.start()
    width, height = map(str, size)
    rig.tmux("resize-window", "-t", agent.pane, "-x", width, "-y", height)
    wait_for(lambda: "─" * size[0] in agent.screen().splitlines(), what="the new size")
    expected = b""
    for name, text in BODIES.items():
        if len(text) < MAX_SHOWN and text.strip():
            agent.wait_composer("empty")
            seen = {fact.check: fact.seen for fact in agent.send(text).evidence}
            assert seen["composer"] == "let go of the text", name
            expected += pasted(text)
    agent.journal.wait_typed(expected)


@ON_BOTH
def test_spawn_send_capture_close(rig: Rig):
    agent = rig.start()
    agent.send("Say [[text:hello from the agent]]")
    wait_for(
        lambda: "hello from the agent" in "\n".join(rig.control.capture(agent.record)),
        what="the answer",
    )
    agent.journal.wait("turn-end")
    agent.wait_screen("? for shortcuts")  # from here on nothing is drawn any more
    shown = rig.control.capture(agent.record, 100)
    assert shown[-len(rig.control.capture(agent.record)) :] == rig.control.capture(agent.record)
    rig.control.close(agent.record, PERSON)
    assert agent.gone()
    found = failed(rig.control.capture, agent.record)
    assert found.reason == "exited"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "bad-text"),
        ("\n\r\n\n", "bad-text"),
        ("a\x00b", "bad-text"),
        ("a\x03b", "bad-text"),
        ("a\x7f", "bad-text"),
        ("a\x85b", "bad-text"),
        ("a\rb", "bad-text"),
        ("a\ud800b", "bad-text"),
        ("a\u2028b", "bad-text"),
        ("x" * (MAX_BYTES + 1), "too-large"),
        ("漢" * (MAX_BYTES // 3 + 1), "too-large"),
        ("x" * 200_000, "too-large"),
        ("x" * 200_000 + "\x1b", "bad-text"),
    ],
    ids=lambda value: ascii(value[:12]),
)
def test_what_may_not_be_typed_is_refused_as_a_send_and_as_a_first_prompt(
    rig: Rig, text: str, reason: str
):
    raw = rig.start(raw=True)
    before = rig.panes()
    with raw.untouched():
        for act in (raw.send, lambda text: rig.start(prompt=text)):
            found = failed(act, text)
            assert (found.exit_code, found.reason) == (5, reason)
    assert rig.panes() == before
    refused = rig.audit()[-2] if rig.audit()[-1]["action"] == "spawn" else rig.audit()[-1]
    assert (refused["phase"], refused["reason"]) == ("outcome", reason)


PROMPTS = {
    "20 KB": "0123456789abcde\n" * 1250 + "end",
    "32 KiB": "x" * MAX_BYTES,
    "awkward": "-x; #{pane_id} {} 'q' \"q\" $HOME \\ 漢 e\u0301 👩\u200d🚀\n\tlast;",
    "a dash": "--help",
    "two dashes": "--",
    "nothing but a semicolon": ";",
}


@pytest.mark.case("A12", "A14")
@pytest.mark.parametrize("name", PROMPTS)
@pytest.mark.parametrize("raw", [True, False], ids=["typed", "argument"])
def test_a_first_prompt_arrives_whole(rig: Rig, name: str, raw: bool):
    agent = rig.start(raw=raw, prompt=PROMPTS[name])
    if raw:
        wait_for(lambda: PROMPTS[name].encode() in agent.journal.typed(), what="the prompt")
    else:
        submit = agent.journal.wait("submit")
        assert (submit["text"], submit["way"]) == (PROMPTS[name], "argument")
        assert agent.journal.typed() == b""


def _allowed(char: str) -> bool:
    return char in "\t\n" or unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")


TEXTS = st.text(st.characters(codec="utf-8").filter(_allowed), max_size=400).filter(
    lambda text: bool(text.rstrip("\n"))
)


def test_any_allowed_text_arrives_byte_for_byte(rig: Rig):
    raw = rig.start(raw=True)
    expected = b""

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(TEXTS)
    @example("\x20")
    @example(";\n\n")
    def arrives(text: str) -> None:
        nonlocal expected
        raw.send(text)
        expected += pasted(text.rstrip("\n"))
        raw.journal.wait_typed(expected)

    arrives()


def test_any_text_with_a_forbidden_character_is_refused(rig: Rig):
    raw = rig.start(raw=True)
    forbidden = st.characters(categories=["Cc", "Cs", "Zl", "Zp"], exclude_characters="\t\n\r")

    @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(TEXTS, forbidden, TEXTS)
    def refused(before: str, char: str, after: str) -> None:
        assert failed(raw.send, before + char + after).reason == "bad-text"

    with raw.untouched():
        refused()
