"""What Codex writes down of its turns, and what is made of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tongs_agents.harness.codex_rollout import TAIL, Ended, last_ended, tail_of


def line(kind: str, at: str = "2026-12-01T13:56:41.774Z", **event: Any) -> str:
    """As the real program writes it."""
    return json.dumps({"timestamp": at, "type": "event_msg", "payload": {"type": kind, **event}})


AT = 1796133401.774
STARTED = line("task_started", turn_id="1")
OTHER = line("token_count")
ERROR = {"message": "scripted\nerror", "codex_error_info": "bad_request"}
ENDS = {
    "an error": (line("task_complete", error=ERROR), Ended("failure", AT, "scripted error")),
    "an end": (line("task_complete", last_agent_message="fine"), Ended("stop", AT)),
    "an interrupt": (
        line("turn_aborted", reason="interrupted"),
        Ended("interrupt", AT, "interrupted"),
    ),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
@pytest.mark.requirement("A68")
def test_the_last_turns_end_is_told(end: tuple[str, Ended]):
    text, ended = end
    assert last_ended(f"{STARTED}\n{OTHER}\n{text}") == ended
    assert last_ended(f"{STARTED}\n{OTHER}\n{text}\n{OTHER}\n") == ended
    assert last_ended(f"{text}\n{STARTED}\n{OTHER}") is None


@pytest.mark.parametrize(
    "tail",
    ["", "x", '"event_msg"', "[]", STARTED[:-9], '{"payload": [1], "type": "event_msg"}'],
)
def test_what_is_no_line_of_it_tells_nothing(tail: str):
    assert last_ended(tail) is None
    assert last_ended(f"{ENDS['an end'][0]}\n{tail}") is not None


def test_a_line_that_only_quotes_an_event_is_none():
    quoted = json.dumps({"type": "response_item", "payload": {"text": ENDS["an end"][0]}})
    assert last_ended(f"{STARTED}\n{quoted}") is None


def test_the_end_of_a_long_file_is_read(tmp_path: Path):
    file = tmp_path / "rollout.jsonl"
    file.write_text("x" * TAIL + "\n" + ENDS["an end"][0] + "\n", encoding="utf-8")
    assert last_ended(tail_of(str(file))) == Ended("stop", AT)


def test_nothing_is_read_through_a_link_or_from_what_is_no_file(tmp_path: Path):
    file, link, pipe = (tmp_path / name for name in ("file", "link", "pipe"))
    file.write_text("text", encoding="utf-8")
    link.symlink_to(file)
    os.mkfifo(pipe)
    assert tail_of(str(file)) == "text"
    for place in (link, pipe, tmp_path, tmp_path / "missing", "", "a\0b"):
        assert tail_of(str(place)) == ""
