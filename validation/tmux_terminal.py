"""A person's hands on tmux, on the world's private socket."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass

from tongs_mux.backend import Backend
from tongs_mux.backends.tmux import TmuxBackend
from tongs_mux.process import system_processes
from validation.terminal import SESSION, Terminal
from validation.troubles import NotHeld


@dataclass(frozen=True, slots=True)
class TmuxTerminal(Terminal):
    """Opens panes as well: the terminals of a person who looks at something else."""

    multiplexer = "tmux"
    hidden_cursor = True

    def workspace(self) -> tuple[str, ...]:
        """The world's own server."""
        return ('multiplexer = "tmux"', f"socket = {json.dumps(self.world.socket)}")

    def attach_command(self) -> str:
        """``tmux attach`` on its socket."""
        return f"tmux -S {self.world.socket} attach -t {SESSION}"

    def tmux(self, *words: str, stdin: bytes | None = None) -> str:
        """One tmux command; its output. Raises NotHeld where tmux says no."""
        done = self.ran("tmux", "-S", self.world.socket, "-f", os.devnull, *words, stdin=stdin)
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
        """``send-keys``."""
        self.tmux("send-keys", "-t", pane, *keys)

    def type(self, pane: str, text: str) -> None:
        """``send-keys -l``."""
        self.tmux("send-keys", "-t", pane, "-l", "--", text)

    def paste(self, pane: str, text: str) -> None:
        """A bracketed paste."""
        paste = ("paste-buffer", "-d", "-p", "-r", "-b", "v", "-t", pane)
        self.tmux("load-buffer", "-b", "v", "-", ";", *paste, stdin=text.encode())

    def resize(self, pane: str, columns: int, rows: int) -> None:
        """``resize-window``."""
        self.tmux("resize-window", "-t", pane, "-x", str(columns), "-y", str(rows))

    def backend(self) -> Backend:
        """On the world's socket."""
        environ = self.world.environ
        return TmuxBackend(self.world.socket, processes=system_processes(), environ=environ)


__all__ = ["TmuxTerminal"]
