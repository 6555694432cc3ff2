"""The multiplexer as a person at the keyboard has it: raw tmux on the world's private socket."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tongs_mux.backends.tmux import TmuxBackend
from tongs_mux.model import Look
from tongs_mux.process import system_processes
from validation.troubles import NotHeld
from validation.world import World

T = TypeVar("T")

STEP = 0.05


@dataclass(frozen=True, slots=True)
class Terminal:
    """Opens panes, presses keys, looks. Nothing here is guarded: it plays the person."""

    world: World

    def tmux(self, *words: str, stdin: bytes | None = None) -> str:
        """One tmux command; its output. Raises NotHeld where tmux says no."""
        done = subprocess.run(
            ["tmux", "-S", self.world.socket, "-f", os.devnull, *words],
            input=stdin,
            capture_output=True,
            env=dict(self.world.environ),
            cwd=self.world.project,
            timeout=20,
        )
        if done.returncode:
            raise NotHeld(f"tmux {words[0]}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout.decode(errors="replace").rstrip("\n")

    def open(
        self,
        argv: Sequence[str],
        *,
        size: tuple[int, int] = (80, 24),
        cwd: str | None = None,
        environ: Sequence[str] = (),
    ) -> str:
        """A new detached session with one pane of this size; the pane's id."""
        width, height = map(str, size)
        where = ("-x", width, "-y", height, "-c", cwd or str(self.world.project))
        extra = [word for setting in environ for word in ("-e", setting)]
        return self.tmux("new-session", "-dP", "-F", "#{pane_id}", *where, *extra, "--", *argv)

    def press(self, pane: str, *keys: str) -> None:
        """Keys by tmux's names."""
        self.tmux("send-keys", "-t", pane, *keys)

    def type(self, pane: str, text: str) -> None:
        """Text as a person types it: key by key, no paste."""
        self.tmux("send-keys", "-t", pane, "-l", "--", text)

    def paste(self, pane: str, text: str) -> None:
        """A bracketed paste."""
        paste = ("paste-buffer", "-d", "-p", "-r", "-b", "v", "-t", pane)
        self.tmux("load-buffer", "-b", "v", "-", ";", *paste, stdin=text.encode())

    def look(self, pane: str) -> Look:
        """The pane's facts and its screen. Raises NotHeld where the pane is gone."""
        backend = TmuxBackend(
            self.world.socket, processes=system_processes(), environ=self.world.environ
        )
        look = backend.look(pane)
        if look is None or look.pane is None:
            raise NotHeld(f"pane {pane} is gone")
        return look

    def text(self, pane: str) -> str:
        """The visible screen as plain text."""
        return "\n".join(self.look(pane).screen.lines)

    def shows(self, pane: str, *words: str, seconds: float = 20.0) -> str:
        """The screen once it shows all of ``words``. Raises NotHeld at the deadline."""

        def found() -> str | None:
            text = self.text(pane)
            return text if all(word in text for word in words) else None

        return wait_for(found, f"the screen to show {' and '.join(words)}", seconds)


def wait_for(fact: Callable[[], T | None], what: str, seconds: float = 20.0) -> T:
    """``fact()`` once it is true. Raises NotHeld at the deadline."""
    until = time.monotonic() + seconds
    while True:
        seen = fact()
        if seen:
            return seen
        if time.monotonic() > until:
            raise NotHeld(f"waited {seconds:g} s for {what}")
        time.sleep(STEP)


__all__ = ["STEP", "Terminal", "wait_for"]
