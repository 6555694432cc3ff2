"""The multiplexer as a person at the keyboard has it, whichever it is."""

from __future__ import annotations

import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from tongs_mux.backend import Backend
from tongs_mux.model import Look
from validation.troubles import NotHeld
from validation.world import World

T = TypeVar("T")

SESSION = "agents"
"""The workspace session of every cell."""

STEP = 0.05


@dataclass(frozen=True, slots=True)
class Terminal(ABC):
    """Presses keys, looks. Nothing here is guarded: it plays the person."""

    world: World

    multiplexer: ClassVar[str]
    hidden_cursor: ClassVar[bool]
    """Whether it tells where the cursor of a program is that hides it."""

    @abstractmethod
    def workspace(self) -> tuple[str, ...]:
        """The lines of ``[workspace]`` that name the multiplexer and where it is."""

    @abstractmethod
    def attach_command(self) -> str:
        """How somebody looks at a world that was kept."""

    @abstractmethod
    def press(self, pane: str, *keys: str) -> None:
        """Keys by tmux's names."""

    @abstractmethod
    def type(self, pane: str, text: str) -> None:
        """Text as a person types it: key by key, no paste."""

    @abstractmethod
    def resize(self, pane: str, columns: int, rows: int) -> None:
        """Give the pane this size, as a person who makes the window smaller."""

    @abstractmethod
    def backend(self) -> Backend:
        """The product's own, through which the screen is read."""

    def look(self, pane: str) -> Look:
        """The pane's facts and its screen. Raises NotHeld where the pane is gone."""
        look = self.backend().look(pane)
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

    def still(self, pane: str) -> str:
        """The screen once it stays the same for half a second. Raises NotHeld at the deadline."""

        def found() -> str | None:
            text = self.text(pane)
            time.sleep(0.5)
            return text if self.text(pane) == text else None

        return wait_for(found, "the screen to be drawn whole")

    def ran(self, *argv: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
        """One command of the person's, in the world and nowhere else."""
        return subprocess.run(
            argv,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            env=dict(self.world.environ),
            cwd=self.world.project,
            timeout=20,
        )


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


__all__ = ["SESSION", "STEP", "Terminal", "wait_for"]
