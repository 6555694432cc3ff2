"""A person's hands on Zellij, in the world's own socket directory."""

from __future__ import annotations

from dataclasses import dataclass

from tongs_mux.backend import Backend
from tongs_mux.backends.zellij import ZellijBackend
from tongs_mux.process import system_processes
from validation.terminal import SESSION, Terminal, wait_for
from validation.tmux_terminal import TmuxTerminal
from validation.troubles import NotHeld

_KEYS = {"Escape": "Esc", "BSpace": "Backspace"}
_OVERLOOKED = "no active session"
"""Zellij at times misses its own session's answer, and has then sent nothing."""

_FRAME = (2, 4)
"""What Zellij's bars and frame take, about; measured once a client is attached."""


@dataclass(frozen=True, slots=True)
class ZellijTerminal(Terminal):
    """Every key goes by ``zellij action`` to a pane that is named."""

    multiplexer = "zellij"
    hidden_cursor = False

    def workspace(self) -> tuple[str, ...]:
        """The world's environment names the socket directory."""
        return ('multiplexer = "zellij"',)

    def attach_command(self) -> str:
        """``zellij attach`` with its directories."""
        names = ("HOME", "TMPDIR", "ZELLIJ_SOCKET_DIR")
        environ = " ".join(f"{name}={self.world.environ[name]}" for name in names)
        return f"{environ} {self.world.zellij} attach {SESSION}"

    def action(self, *words: str) -> str:
        """One action; its output. Raises NotHeld where Zellij says no."""

        def answered() -> str | None:
            done = self.ran(self.world.zellij, "--session", SESSION, "action", *words)
            error = done.stderr.decode(errors="replace").strip()
            if _OVERLOOKED in error:
                return None
            if done.returncode:
                raise NotHeld(f"zellij action {words[0]}: {error}")
            return f"{done.stdout.decode(errors='replace')}\n"

        return wait_for(answered, f"zellij action {words[0]}").rstrip("\n")

    def press(self, pane: str, *keys: str) -> None:
        """``send-keys``."""
        self.action("send-keys", "--pane-id", pane, *map(_key, keys))

    def type(self, pane: str, text: str) -> None:
        """``write-chars``."""
        self.action("write-chars", "--pane-id", pane, "--", text)

    def resize(self, pane: str, columns: int, rows: int) -> None:
        """A small terminal of the person's is attached: its size is then the session's."""
        if self._size(pane) == (columns, rows):
            return
        person = TmuxTerminal(self.world)
        size = (columns + _FRAME[0], rows + _FRAME[1])
        argv = (self.world.zellij, "attach", SESSION)
        window = person.open(("env", "-u", "TMUX", "-u", "TMUX_PANE", *argv), size=size)
        # drawn first: Zellij can cut off who attaches while others ask it something
        wait_for(lambda: person.text(window).strip() or None, "the person's terminal to be drawn")
        wait_for(lambda: self._clients() or None, "the person's terminal to be attached")
        wait_for(lambda: self._size(pane)[0] <= size[0], "the pane to follow the terminal")
        wider, higher = (
            have - want for have, want in zip(self._size(pane), (columns, rows), strict=True)
        )
        person.resize(window, size[0] - wider, size[1] - higher)
        wait_for(lambda: self._size(pane) == (columns, rows), "the pane to have its size")

    def _clients(self) -> list[str]:
        return self.action("list-clients").splitlines()[1:]

    def _size(self, pane: str) -> tuple[int, int]:
        facts = self.look(pane).pane
        assert facts is not None
        return facts.width, facts.height

    def backend(self) -> Backend:
        """For the workspace session."""
        return ZellijBackend(
            SESSION,
            processes=system_processes(),
            environ=self.world.environ,
            zellij_bin=self.world.zellij,
        )


def _key(name: str) -> str:
    """As Zellij calls a key that tmux calls ``name``."""
    control, found, letter = name.partition("C-")
    return f"Ctrl {letter}" if found and not control else _KEYS.get(name, name)


__all__ = ["ZellijTerminal"]
