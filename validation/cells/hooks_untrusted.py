"""Codex runs no hook before its user has trusted it: said at once, and over once they have."""

from __future__ import annotations

from validation.cell import Cell
from validation.stage import Answer, Launch, Stage


def _spawned(stage: Stage) -> tuple[Launch, Answer]:
    answer = stage.tongs("spawn", "agent")
    stage.show("spawned, running", (answer.code, answer["state"]) == (0, "running"), answer.words)
    return Launch(answer["launch_id"], answer["pane"]["pane_id"]), answer


def _said(answer: Answer) -> bool:
    return any("trusted" in notice for notice in answer["notices"])


def _is_untrusted(stage: Stage, launch: Launch) -> bool:
    answer = stage.status(launch)
    return any(fact["check"] == "hooks-untrusted" for fact in answer["evidence"])


def run(stage: Stage) -> None:
    stage.configure(command=("codex",))
    launch, answer = _spawned(stage)
    stage.show("spawn's notices say that the hooks are not trusted", _said(answer), answer.words)
    stage.show("and so does the status' evidence", _is_untrusted(stage, launch))
    waited = stage.wait(launch, "--timeout", "30")
    told = (waited.code, waited["reason"]) == (6, "hooks-untrusted")
    stage.show("wait: 6, reason hooks-untrusted, at once", told, waited.words)
    stage.until(launch, lambda reading: reading.dialog == "hooks", "its own question")
    sent = stage.send(launch, "never said")
    stage.show("a send into its question is refused", sent["reason"] == "dialog", sent.words)

    stage.choose(launch, "3")
    stage.until(launch, lambda reading: reading.composer == "empty", "an empty composer")
    sent = stage.send(launch, "[[text:unheard]]")
    stage.show("without trust: a send goes, and nothing proves it", sent["receipt"] == "pasted")
    stage.asked_with("unheard")
    stage.show("the status' evidence still says so", _is_untrusted(stage, launch))
    stage.tongs("close", launch.launch_id)

    launch, _ = _spawned(stage)
    stage.until(launch, lambda reading: reading.dialog == "hooks", "its own question")
    stage.choose(launch, "2")
    stage.until(launch, lambda reading: reading.composer == "empty", "an empty composer")
    stage.show("trusted by a person: no longer in the evidence", not _is_untrusted(stage, launch))
    sent = stage.send(launch, "[[text:heard]]")
    stage.show("receipt submitted", sent["receipt"] == "submitted", sent.words)
    waited = stage.wait(launch, "--timeout", "30")
    stage.show("and done", waited["status"] == "done", waited.words)
    stage.tongs("close", launch.launch_id)

    launch, answer = _spawned(stage)
    stage.show("the next launch is trusted from the start", not _said(answer), answer.words)
    stage.until(launch, lambda reading: reading.composer == "empty", "an empty composer")
    stage.show("and its user is asked nothing", not _is_untrusted(stage, launch))


CELL = Cell(
    "hooks-untrusted",
    "hooks that nobody has trusted yet: told by spawn, status and wait, until somebody does",
    ("A101",),
    run,
    ("codex",),
)
