"""A first prompt goes with the start, where no dialog and no draft can be in its way."""

from __future__ import annotations

from validation.cell import Cell
from validation.stage import Launch, Stage

TEXTS = {
    "one line that begins with a dash": "-v is missing: [[text:answer to the dash]]",
    "five lines": "one\ntwo\n\n  four\n[[text:answer to five lines]]",
    "801 characters": f"{'word ' * 200}"[:770] + "[[text:answer to a long one]]..",
}

_SENT = {"one that begins with a file's sign": "@nobody is meant: [[text:answer to the sign]]"}
"""Pi takes it at its start for a file: it is sent once the composer is ready."""


def run(stage: Stage) -> None:
    more = _SENT if stage.kind.name == "pi" else {}
    for name, text in {**TEXTS, **more}.items():
        answer = stage.tongs("spawn", "agent", "--prompt", "-", stdin=text)
        submitted = (answer["state"], answer["prompt"]) == ("running", "submitted")
        stage.show(f"{name}: spawned, prompt submitted", submitted, answer.words)
        launch = Launch(answer["launch_id"], answer["pane"]["pane_id"])
        request = stage.asked_with(text)
        plain = not request.holds(text, "<pasted_content")
        stage.show(f"{name}: the model was asked with the whole text, not wrapped", plain)
        waited = stage.wait(launch, "--timeout", "30")
        stage.show(f"{name}: done", waited["status"] == "done", waited.words)
        stage.tongs("close", launch.launch_id)


CELL = Cell(
    "first-prompt", "a prompt at spawn goes with the start and is submitted", ("A91", "A73"), run
)
