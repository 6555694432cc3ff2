"""Runs the scenes one after the other, in the open, and says what was proved."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Mapping
from typing import Any

from tongs_agents.demo.play import Play
from tongs_agents.demo.scenes import scenes_on
from tongs_agents.demo.stage import SceneFailed, Stage, environment_lines, staged
from tongs_mux.errors import MuxError


def run(
    environ: Mapping[str, str],
    say: Callable[[str], None],
    *,
    multiplexer: str = "tmux",
    keep: bool = False,
    monotonic: Callable[[], float] = time.monotonic,
) -> dict[str, Any]:
    """The demo's reply: ``{"ok", "steps": [{name, ok, seconds, detail, audit}]}``.

    ``say`` takes each line for people. It stops at the first step that does
    not hold, since the next ones stand on it. Raises Unsupported where the
    multiplexer is missing.
    """
    with staged(environ, say, multiplexer=multiplexer, keep=keep) as stage:
        say(
            f"tongs-agents demo: real {stage.hands.name}, real panes, a scripted agent; "
            "no account, no network"
        )
        scenes = scenes_on(stage)
        steps = _play(Play(stage), say, monotonic)
        if keep:
            _kept(stage, say)
    ok = len(steps) == len(scenes) and all(step["ok"] for step in steps)
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
    for scene in scenes_on(play.stage):
        title = (scene.__doc__ or scene.__name__).strip()
        say(f"\n{len(steps) + 1:2d}. {title}")
        start, play.proof = monotonic(), {}
        try:
            detail, ok = scene(play), True
        except (SceneFailed, subprocess.SubprocessError, MuxError, OSError, KeyError) as error:
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
    attach, end = stage.hands.ways()
    say(f"    {attach}")
    for line in environment_lines(stage):
        say(f"    {line}")
    say(f"    and afterwards: {end}; rm -r {stage.directory}")


__all__ = ["run"]
