"""Text that the harness alters: what the receipt says of it is true."""

from __future__ import annotations

from validation.cell import Cell
from validation.stage import Launch, Stage

ALTERED = {
    "a tab, which becomes four blanks": ("all:\n\tmake [[text:A]]", "    make [[text:A]]"),
    "blanks at the end, which are dropped": ("B [[text:B]]  ", "B [[text:B]]"),
    "a combining accent, which is composed": ("e\u0301 C [[text:C]]", "\u00e9 C [[text:C]]"),
    "a zero-width space, which is dropped": ("a\u200bb D [[text:D]]", "ab D [[text:D]]"),
    "joined emoji": ("\U0001f468\u200d\U0001f469\u200d\U0001f467 E [[text:E]]", "E [[text:E]]"),
}
"""What is sent, and what reaches the model."""

NOT_TAKEN = {
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
        return
    left = stage.reading(launch).composer == "draft"
    let_go = any("let go" in str(fact["seen"]) for fact in answer["evidence"] or [])
    stage.show(f"{name}: what lies in the composer is not said to be gone", not (left and let_go))
    if left:
        other = stage.send(launch, "another text")
        stage.show(f"{name}: it is known as ours", "ours" in str(other["error"]), other.words)
        for _ in range(3):
            stage.terminal.press(launch.pane, "C-u", "BSpace")
    stage.until(launch, lambda reading: reading.composer == "empty", "an empty composer")


def run(stage: Stage) -> None:
    launch = stage.spawn_ready()
    for name, (text, asked) in ALTERED.items():
        _taken(stage, launch, name, text, asked)
    for name, text in NOT_TAKEN.items():
        _told(stage, launch, name, text)
    stage.show("text that it does not take by one Enter is never said to be taken", True)


CELL = Cell("odd-text", "what is said of a text that the harness alters is true", ("A4", "A3"), run)
