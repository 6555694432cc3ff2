"""Sent 0.1 s after the start: submitted, or refused with nothing typed; never left lying."""

from __future__ import annotations

import time

from validation.cell import Cell
from validation.stage import Stage


def run(stage: Stage) -> None:
    for attempt in range(1, 4):
        launch = stage.spawn()
        time.sleep(0.1)
        text = f"[[text:said early, {attempt}]]"
        answer = stage.send(launch, text)
        early = (answer.code, answer["reason"]) == (5, "busy-start")
        ok = early or answer["receipt"] == "submitted"
        stage.show("sent 0.1 s after start: submitted, or refused as busy-start", ok, answer.words)
        stage.until(launch, lambda reading: reading.composer == "empty", "an empty composer")
        if early:
            stage.show("then nothing was typed: its composer came up empty", True)
            stage.show("and the model was not asked", not stage.all_asked_with(text))
            answer = stage.send(launch, text)
            stage.show("sent again when ready", answer["receipt"] == "submitted", answer.words)
        stage.asked_with(text)
        stage.tongs("close", launch.launch_id)


CELL = Cell("early", "sent 0.1 s after start: never an unsent draft", ("A1", "A92"), run)
