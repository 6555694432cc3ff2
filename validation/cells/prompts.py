"""Prompts of every size reach the model whole, each with its receipt."""

from __future__ import annotations

from validation.cell import Cell
from validation.stage import Launch, Stage

LIMIT = 32 * 1024
_WRAPPER = "<pasted_content"


def _lines(count: int, name: str) -> str:
    body = [f"line {number} of {name}, mit ümläüts und 漢字" for number in range(1, count)]
    return "\n".join([*body, f"[[text:answer to {name}]]"])


def _of(size: int, name: str, *, line: int) -> str:
    """A text of exactly ``size`` bytes, in lines of ``line`` bytes at most, 0 for one line."""
    end = f" [[text:answer to {name}]]"
    words = f"{name} ".ljust(11, ".") + " "
    text = (words * (size // len(words) + 1))[: size - len(end)]
    if line:
        text = "\n".join(text[at : at + line - 1] for at in range(0, len(text), line))
    return text.ljust(size - len(end), "x")[: size - len(end)] + end


TEXTS = {
    "1 line": _lines(1, "one"),
    "3 lines": _lines(3, "three"),
    "4 lines": _lines(4, "four"),
    "40 lines": _lines(40, "forty"),
    "800 characters": _of(800, "eighty", line=0),
    "801 characters": _of(801, "longer", line=0),
    "32 KiB in lines": _of(LIMIT, "largest", line=100),
    "32 KiB in one line": _of(LIMIT, "widest", line=0),
}


def deliver(stage: Stage, launch: Launch, name: str, text: str) -> None:
    """Send it, and show receipt, request and the end of its turn."""
    answer = stage.send(launch, text)
    receipt = (answer["receipt"], answer["bytes"])
    stage.show(
        f"{name}: receipt submitted, {len(text.encode())} bytes",
        receipt == ("submitted", len(text.encode())),
        answer.words,
    )
    request = stage.asked_with(text)
    wrapped = " inside the harness's own wrapping" if request.holds(text, _WRAPPER) else ""
    stage.show(f"{name}: the model was asked with the whole text{wrapped}", True)
    waited = stage.wait(launch, "--timeout", "30")
    stage.show(f"{name}: its turn ended, status done", waited["status"] == "done", waited.words)


def run(stage: Stage) -> None:
    launch = stage.spawn_ready()
    for name, text in TEXTS.items():
        deliver(stage, launch, name, text)
    count = len(TEXTS)
    answers = [stage.all_asked_with(text) for text in TEXTS.values()]
    # each later request repeats the whole conversation: the first ones are one a prompt
    first = {requests[0].number for requests in answers}
    stage.show(f"{count} sends were {count} turns, none doubled or joined", len(first) == count)


CELL = Cell(
    "prompts",
    "a prompt of 1 to 40 lines, of 800 and 801 characters, of 32 KiB is submitted whole",
    ("A1", "A4", "A18"),
    run,
)
