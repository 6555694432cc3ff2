"""Text that the harness alters: what the receipt says of it is true."""

from __future__ import annotations

from validation.cell import Cell
from validation.stage import Launch, Stage

ALTERED = {
    "a tab, which may become four blanks": ("all:\n\tmake [[text:A]]", "make [[text:A]]"),
    "blanks at the end, which are dropped": ("B [[text:B]]  ", "B [[text:B]]"),
    "a combining accent, which may be composed": ("e\u0301 C [[text:C]]", " C [[text:C]]"),
    "a zero-width space, which may be dropped": ("a\u200bb D [[text:D]]", "b D [[text:D]]"),
}
"""What is sent, and what of it reaches the model of every harness."""

PERHAPS_NOT_TAKEN = {
    "joined emoji, of which Zellij shows the first": "\U0001f468\u200d\U0001f469 E [[text:E]]",
    "a backslash at the end, which makes Enter a new line": "F [[text:F]] \\",
    "a mark of direction, after which Enter asks for a review": "a \u202e G [[text:G]]",
}


def _taken(stage: Stage, launch: Launch, name: str, text: str, asked: str) -> None:
    answer = stage.send(launch, text)
    stage.show(f"{name}: receipt submitted", answer["receipt"] == "submitted", answer.words)
    stage.asked_with(asked)
    stage.show(f"{name}: the model was asked", True)
    waited = stage.wait(launch, "--timeout", "30")
    stage.show(f"{name}: done", waited["status"] == "done", waited.words)


def _told(stage: Stage, launch: Launch, name: str, text: str) -> None:
    answer = stage.send(launch, text)
    if answer["receipt"] == "submitted":
        stage.asked_with(text[-12:].strip("\\ "))
        stage.show(f"{name}: receipt submitted, and the model was asked", True)
        stage.wait(launch, "--timeout", "30")
        return
    before = stage.reading(launch)
    left = before.composer == "draft"
    said = str(answer["evidence"])
    lies = ("not submitted" in said and "let go" not in said) or answer["effect"] == "partial"
    told = lies if left else answer.code == 0
    stage.show(f"{name}: what lies in the composer is said to lie there", told, answer.words)
    if left:
        other = stage.send(launch, "another text")
        refused = (other.code, other["reason"]) == (5, "draft")
        stage.show(f"{name}: the next send is refused, reason draft", refused, other.words)
        after = stage.reading(launch)
        stage.show(f"{name}: and what lies there is the same", after.text == before.text, after)
        for _ in range(3):
            stage.terminal.press(launch.pane, "C-u", "BSpace")
    stage.until(launch, lambda reading: reading.composer == "empty", "an empty composer")
    stage.show(f"{name}: the model was not asked", not stage.all_asked_with(text.strip("\\ ")))


def run(stage: Stage) -> None:
    launch = stage.spawn_ready()
    for name, (text, asked) in ALTERED.items():
        _taken(stage, launch, name, text, asked)
    for name, text in PERHAPS_NOT_TAKEN.items():
        _told(stage, launch, name, text)
    stage.show("text that it does not take by one Enter is never said to be taken", True)


CELL = Cell("odd-text", "what is said of a text that the harness alters is true", ("A4", "A3"), run)
