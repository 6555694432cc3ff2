"""Runs the scenes one after the other, in the open, and says what was proved."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping
from typing import Any

from tongs_agents.demo.scenes import SCENES, Play
from tongs_agents.demo.stage import (
    SceneFailed,
    Stage,
    attach_command,
    environment_lines,
    staged,
)


def run(
    environ: Mapping[str, str],
    say: Callable[[str], None],
    *,
    keep: bool = False,
    monotonic: Callable[[], float] = time.monotonic,
) -> dict[str, Any]:
    """The demo's reply: ``{"ok", "steps": [{name, ok, seconds, detail, audit}]}``.

    ``say`` takes each line for people. It stops at the first step that does
    not hold, since the next ones stand on it.
    """
    say("tongs-agents demo: real tmux, real panes, a scripted agent; no account, no network")
    with staged(environ, say, keep=keep) as stage:
        steps = _play(Play(stage), say, monotonic)
        if keep:
            _kept(stage, say)
    ok = len(steps) == len(SCENES) and all(step["ok"] for step in steps)
    say("")
    if ok:
        say(f"proved: {len(steps)} steps, each by the audit line that it names")
    else:
        say(f"NOT proved: {steps[-1]['name']}: {steps[-1]['detail']}")
    return {"ok": ok, "steps": steps}


def _play(
    play: Play, say: Callable[[str], None], monotonic: Callable[[], float]
) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []
    for scene in SCENES:
        title = (scene.__doc__ or scene.__name__).strip()
        say(f"\n{len(steps) + 1:2d}. {title}")
        start, play.proof = monotonic(), {}
        try:
            detail, ok = scene(play), True
        except (SceneFailed, subprocess.SubprocessError, OSError, KeyError) as error:
            detail, ok = f"{error}", False
        seconds = round(monotonic() - start, 2)
        audit = play.proof or None
        name = scene.__name__.replace("_", "-")
        steps.append({"name": name, "ok": ok, "seconds": seconds, "detail": detail, "audit": audit})
        say(f"    {'ok' if ok else 'FAILED'}  {detail}  ({seconds:.1f} s)")
        if audit is not None:
            say(f"    audit  {_line(audit)}")
        if not ok:
            break
    return steps


def _line(audit: dict[str, Any]) -> str:
    names = ("action", "target", "outcome", "exit_code", "reason", "bytes")
    return "  ".join(f"{name}={audit[name]}" for name in names if name in audit)


def _kept(stage: Stage, say: Callable[[str], None]) -> None:
    say("\nkept for a look:")
    say(f"    {attach_command(stage)}")
    for line in environment_lines(stage):
        say(f"    {line}")
    say(f"    and afterwards: tmux -S {stage.socket} kill-server; rm -r {stage.directory}")


__all__ = ["run"]
