"""The bare multiplexers: the fewest of their own commands that do what a floor is to do."""

from __future__ import annotations

import os
import subprocess
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tongs_agents.harness.inherited import cleaned

SESSION = "bench"


@dataclass(frozen=True, slots=True)
class Bare(ABC):
    """One multiplexer with all its places below ``directory``."""

    directory: Path

    multiplexer: ClassVar[str]
    sending: ClassVar[str]
    """What the floor of a send is, for the page; ``listing`` that of a list."""
    listing: ClassVar[str]
    panes: ClassVar[tuple[int, ...]]
    """How many launches it is measured with."""

    @property
    @abstractmethod
    def setting(self) -> str:
        """Its line in ``[workspace]``; empty where there is none."""

    @property
    @abstractmethod
    def environ(self) -> dict[str, str]:
        """What everything runs in."""

    @abstractmethod
    def send(self, pane: str, text: str) -> None:
        """Paste the text and press Enter."""

    @abstractmethod
    def list(self) -> None:
        """One listing of every pane."""

    @abstractmethod
    def end(self) -> None:
        """End the server. Never fails."""

    def _run(self, *argv: str, stdin: bytes = b"", check: bool = True) -> None:
        environ = self.environ
        subprocess.run(argv, input=stdin, capture_output=True, check=check, env=environ)


@dataclass(frozen=True, slots=True)
class BareTmux(Bare):
    """A private server."""

    multiplexer = "tmux"
    sending = "one tmux process, nothing checked"
    listing = "tmux list-panes -a"
    panes = (5, 50, 200)

    @property
    def _socket(self) -> str:
        return str(self.directory / "tmux")

    @property
    def setting(self) -> str:
        """Its socket."""
        return f'socket = "{self._socket}"'

    @property
    def environ(self) -> dict[str, str]:
        """Ours."""
        return cleaned(os.environ)

    def send(self, pane: str, text: str) -> None:
        """One process."""
        words = ["load-buffer", "-b", "raw", "-", ";", "paste-buffer", "-d", "-p", "-r", "-b"]
        words += ["raw", "-t", pane, ";", "send-keys", "-t", pane, "Enter"]
        self._tmux(*words, stdin=text.encode("utf-8"))

    def list(self) -> None:
        """One process."""
        self._tmux("list-panes", "-a", "-F", "#{pane_id} #{pane_pid}")

    def end(self) -> None:
        """``kill-server``."""
        self._tmux("kill-server", check=False)

    def _tmux(self, *words: str, stdin: bytes = b"", check: bool = True) -> None:
        self._run("tmux", "-u", "-S", self._socket, *words, stdin=stdin, check=check)


@dataclass(frozen=True, slots=True)
class BareZellij(Bare):
    """A socket directory and a home of its own."""

    multiplexer = "zellij"
    sending = "zellij action paste + send-keys, nothing checked"
    listing = "zellij action list-panes --all --json"
    panes = (5, 50)

    program: Path

    @property
    def setting(self) -> str:
        """None: its environment says where."""
        return ""

    @property
    def environ(self) -> dict[str, str]:
        """Ours, with its places in it."""
        return {
            **cleaned(os.environ),
            "PATH": f"{self.program.parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.directory),
            "TMPDIR": str(self.directory),
            "ZELLIJ_SOCKET_DIR": str(self.directory / "zellij"),
        }

    def send(self, pane: str, text: str) -> None:
        """Two processes: there is no way to say both in one."""
        self._action("paste", "--pane-id", pane, "--", text)
        self._action("send-keys", "--pane-id", pane, "Enter")

    def list(self) -> None:
        """One process."""
        self._action("list-panes", "--all", "--json")

    def end(self) -> None:
        """``kill-session``."""
        self._run(str(self.program), "kill-session", SESSION, check=False)

    def _action(self, *words: str) -> None:
        self._run(str(self.program), "--session", SESSION, "action", *words)


__all__ = ["SESSION", "Bare", "BareTmux", "BareZellij"]
