"""Cases A of the field: paste and submit."""

# ruff: noqa: N802 - a test is named after its case

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.stories.rig import END, ENTER, QUICK, RAW, START, Agent, Rig, failed, pasted
from tests.waiting import wait_for
from tongs_agents.harness.registry import HARNESSES
from tongs_mux.send import Pauses
from tongs_mux.text import MAX_BYTES, sha256

CONTROLS = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"]


def evidence(agent: Agent, text: str, *, settle: float = 5.0) -> dict[str, str]:
    """Send ``text``; the receipt never claims more than `pasted`, as there is no hook."""
    receipt = agent.send(text, replace(agent.rig.control, pauses=replace(QUICK, settle=settle)))
    assert receipt.receipt == "pasted"
    return {fact.check: fact.seen for fact in receipt.evidence}


@pytest.mark.case("A1")
def test_A1_enter_does_not_fall_into_the_paste_window(rig: Rig):
    raw = rig.start("--newline-within", "0.12", raw=True)
    raw.send("hello", replace(rig.control, pauses=Pauses()))
    raw.journal.wait("submit")
    assert raw.journal.submitted() == [b"hello"]
    assert raw.journal.typed() == pasted("hello")


@pytest.mark.case("A1")
def test_A1_the_gap_before_enter_is_longer_than_every_paste_window_we_know(rig: Rig):
    raw = rig.start(raw=True)
    waits: list[tuple[float, bytes]] = []
    note = replace(
        rig.control,
        pauses=Pauses(),
        pause=lambda seconds: waits.append((seconds, raw.journal.typed())),
    )
    raw.send("hello", note)
    raw.journal.wait_typed(pasted("hello"))
    assert waits[-1][0] > 0.15
    assert ENTER not in waits[-1][1]


@pytest.mark.case("A2", "A5")
@pytest.mark.parametrize(
    "text",
    ["\n".join(["z" * 300] * 4), "y" * 8192, "x"],
    ids=["four lines of 1.2 KB", "one line of 8 KB", "one letter"],
)
def test_A2_A5_a_text_is_one_bracketed_paste_and_one_enter(rig: Rig, text: str):
    raw = rig.start("--chunk", "256", raw=True)
    raw.send(text)
    raw.journal.wait_typed(START + text.encode() + END + ENTER)
    raw.journal.wait("submit")
    assert raw.journal.submitted() == [text.encode()]


@pytest.mark.case("A6")
@pytest.mark.parametrize("tail", ["\n", "\n\n", "\r\n", "\r\n\n\r\n"])
def test_A6_trailing_newlines_stay_out_of_the_bracket(rig: Rig, tail: str):
    raw = rig.start(raw=True)
    receipt = raw.send("do\r\nit" + tail)
    raw.journal.wait_typed(START + b"do\nit" + END + ENTER)
    assert (receipt.bytes, receipt.sha256) == (5, sha256(b"do\nit"))


@pytest.mark.case("A7")
@pytest.mark.parametrize("text", ["line1\nline2", "\n".join("abcdefghijkl")], ids=["2", "12"])
def test_A7_lines_are_submitted_once_whether_or_not_the_program_shows_them(rig: Rig, text: str):
    agent = rig.start()
    assert evidence(agent, text)["composer"] == "let go of the text"
    agent.journal.wait_typed(pasted(text))
    assert agent.journal.submitted() == [text.encode()]


@pytest.mark.case("A7")
def test_A7_a_stand_in_that_names_another_size_is_not_our_text(rig: Rig):
    agent = rig.start()
    paste = b"\n".join([b"theirs"] * 15)
    text = "\n".join(["ours"] * 12)
    rig.tmux("set-buffer", "-b", "person", paste.decode())
    rig.tmux("paste-buffer", "-p", "-r", "-b", "person", "-t", agent.pane)
    agent.wait_screen("[Pasted text #1 +14 lines]")
    with agent.untouched():
        agent.refused("draft", text)
        agent.refused("draft", paste.decode())


@pytest.mark.case("A7")
def test_A7_the_text_on_the_screen_proves_nothing(rig: Rig):
    agent = rig.start("--drop-first-enter")
    text = "/hello"
    assert evidence(agent, text, settle=0.3)["composer"].endswith("not submitted")
    assert text in agent.screen()
    assert agent.journal.submitted() == []
    assert agent.journal.typed() == pasted(text)


@pytest.mark.case("A10")
def test_A10_the_markers_are_tmuxs_own(rig: Rig):
    asks, does_not = rig.start(raw=True), rig.start("--no-markers", raw=True)
    for raw, expected in ((asks, pasted("hi")), (does_not, b"hi" + ENTER)):
        raw.send("hi")
        raw.journal.wait_typed(expected)
        assert b"^[" not in raw.journal.typed()


BREAKOUTS = [
    "x\x1b[201~\rtouch /tmp/pwn\r",
    "\x1b[20\x1b[201~1~",
    "\x9b201~",
    "a\rb",
    "\x1b",
    "\udc9b201~",
    "a\u2028b",
    "a\u2029b",
]


@pytest.mark.case("A11")
def test_A11_no_control_character_is_ever_typed(rig: Rig):
    raw = rig.start(raw=True)
    texts = [*BREAKOUTS, *CONTROLS, *(f"a{char}b" for char in CONTROLS if char != "\r")]
    with raw.untouched():
        for text in texts:
            found = failed(raw.send, text)
            assert (found.exit_code, found.reason) == (5, "bad-text"), ascii(text)
    assert len(rig.audit()) == 2 + len(texts)
    for line, text in zip(rig.audit()[2:], texts, strict=True):
        assert (line["phase"], line["reason"]) == ("outcome", "bad-text")
        assert line["sha256"] == sha256(text.encode("utf-8", "surrogatepass"))


@pytest.mark.case("A11", "A14")
def test_A11_A14_a_first_prompt_is_refused_before_anything_is_started(rig: Rig):
    rig.start(raw=True)
    before = rig.panes(), rig.control.store.ids()
    for text, reason in ((BREAKOUTS[0], "bad-text"), ("x" * 200_000, "too-large")):
        found = failed(lambda words: rig.start(prompt=words), text)
        assert (found.exit_code, found.reason) == (5, reason)
    assert (rig.panes(), rig.control.store.ids()) == before
    assert list((rig.places.runtime_dir / "parcels").iterdir()) == []


@pytest.mark.case("A12")
def test_A12_no_character_is_a_separator_for_tmux(rig: Rig):
    raw = rig.start(raw=True)
    texts = ["go;", ";", "a\\;", "for(;;);", ";;", "\\", "a\\", "{", "}", "#{pid}", "-t %9 x"]
    for text in texts:
        raw.send(text)
    raw.journal.wait_typed(b"".join(map(pasted, texts)))


@pytest.mark.case("A14")
def test_A14_20_KB_arrive_whole_and_200_KB_are_too_large(rig: Rig):
    raw = rig.start(raw=True)
    text = "0123456789abcde\n" * 1280 + "end"
    raw.send(text)
    raw.journal.wait_typed(pasted(text))
    with raw.untouched():
        raw.refused("too-large", "z" * 200_000)
        raw.refused("too-large", "z" * (MAX_BYTES + 1))


@pytest.mark.case("A14")
def test_A14_20_KB_arrive_whole_as_a_first_prompt(rig: Rig):
    text = "-x;\n" * 5120 + "{end}"
    agent = rig.start(prompt=text)
    submit = agent.journal.wait("submit")
    assert (submit["text"], submit["way"]) == (text, "argument")


@pytest.mark.case("A17")
def test_A17_nothing_of_a_text_is_typed_outside_the_markers(rig: Rig):
    raw = rig.start(raw=True)
    texts = ["A != B", "!ls", "/clear", "@file", "# heading", "? help"]
    for text in texts:
        raw.send(text)
    raw.journal.wait_typed(b"".join(map(pasted, texts)))


@pytest.mark.case("A21")
def test_A21_a_first_prompt_is_taken_by_a_program_that_is_deaf_at_first(rig: Rig):
    agent = rig.start("--late", "0.7", prompt="first")
    assert agent.journal.wait("submit")["text"] == "first"
    assert agent.journal.typed() == b""


@pytest.mark.case("A21")
def test_A21_where_no_argument_takes_it_the_first_prompt_waits_for_the_composer(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
):
    typed_only = replace(HARNESSES["scripted"], with_prompt=None)
    monkeypatch.setitem(HARNESSES, "scripted", typed_only)
    agent = rig.start("--late", "0.7", prompt="first")
    agent.journal.wait_typed(pasted("first"))
    agent.journal.wait("submit")
    assert agent.journal.submitted() == [b"first"]


@pytest.mark.case("A21", "A15")
def test_A21_a_program_that_nobody_can_read_is_sent_its_first_prompt_once_it_is_still(rig: Rig):
    log = rig.log()
    late = f"import os, time; time.sleep(0.7); os.execv({RAW[0]!r}, {[*RAW, '--log', str(log)]!r})"
    profile = rig.profile((RAW[0], "-I", "-S", "-c", late), multiline=True)
    text = "0123456789abcde\n" * 1250 + "end"
    raw = rig.spawn(profile, log, prompt=text)
    raw.journal.wait_typed(pasted(text))


@pytest.mark.case("A21")
def test_A21_a_send_to_a_program_that_still_starts_is_refused(rig: Rig):
    agent = rig.start("--late", "1.5", wait=False)
    agent.wait_screen("Starting")
    agent.refused("busy-start")
    agent.wait_composer("empty")
    agent.send("now")
    agent.journal.wait_typed(pasted("now"))
    agent.journal.wait("submit")
    assert agent.journal.submitted() == [b"now"]


@pytest.mark.case("A21")
def test_A21_enter_waits_until_the_composer_shows_the_text(rig: Rig):
    agent = rig.start("--slow-echo", "0.5")
    assert evidence(agent, "slow")["composer"] == "let go of the text"
    assert agent.journal.submitted() == [b"slow"]
    assert agent.journal.typed() == pasted("slow")


@pytest.mark.case("A21")
def test_A21_enter_is_not_pressed_where_the_text_never_shows(rig: Rig):
    agent = rig.start("--slow-echo", "600")
    control = replace(rig.control, pauses=replace(QUICK, echo=0.2))
    found = failed(agent.send, "lost", control)
    assert (found.exit_code, found.reason, found.effect) == (1, "unknown", "partial")
    agent.journal.wait_typed(START + b"lost" + END)


@pytest.mark.case("A22")
@pytest.mark.parametrize("locale", [{}, {"LC_ALL": "C"}, {"LANG": "POSIX"}], ids=str)
def test_A22_without_a_utf8_locale_nothing_is_misread(rig: Rig, locale: dict[str, str]):
    for name in ("LANG", "LC_ALL", "LC_CTYPE", "TMUX"):
        rig.environ.pop(name, None)
    rig.environ |= locale
    rig.control = rig.controller()
    agent, raw = rig.start("--name", "⠋ work ␞ 5"), rig.start(raw=True)
    rig.tmux("rename-session", "-t", "=agents", "项目")
    for seen in rig.control.list(rig.control.store.all()):
        assert seen.verdict.state == "running"
        assert seen.pane is not None
        assert seen.pane.session == "项目"
    first = rig.control.verify(agent.record)
    assert first.pane is not None
    # what stands between fields is replaced in a title, so that it shifts none
    assert first.pane.title == "✳ ⠋ work   5"
    for each in (agent, raw):
        each.send("⠋ 项目\tend")
        each.journal.wait_typed(pasted("⠋ 项目\tend"))
    wait_for(lambda: "⠋ 项目" in "".join(rig.control.capture(agent.record)), what="the prompt")
