"""The scripted agent itself, without a terminal: keys and time in, a view and facts out."""

from __future__ import annotations

import hashlib
import math
from collections import deque

from tongs_agents.scripted_agent import composer, keys, screen
from tongs_agents.scripted_agent.hooks import Outcome
from tongs_agents.scripted_agent.mcp_client import ToolReply
from tongs_agents.scripted_agent.options import Options
from tongs_agents.scripted_agent.player import Player, Ports, described

QUEUED_HINT = "Press up to edit queued messages"
"""What the empty composer shows, dim, while prompts are queued."""


class Agent:
    """What the program does with what it is told, faults of ``options`` included.

    Every method takes the time (of a clock that never goes back) as ``now``.
    """

    def __init__(self, options: Options, ports: Ports, *, now: float) -> None:
        self.player = Player(ports)
        self._options = options
        self._record = ports.record
        self._composer = composer.Composer()
        self._coming: deque[tuple[float, str]] = deque()
        self._up_at = now + options.late
        self._up = False
        self._last_input = -math.inf
        self._drops_enter = False

    @property
    def up(self) -> bool:
        """False while it is still starting (``--late``): input must not reach it then."""
        return self._up

    def tick(self, now: float) -> None:
        """What time alone brings about."""
        if not self._up and now >= self._up_at:
            self._up = True
            self.player.open(now)
            if self._options.prompt is not None:
                self._submit(self._options.prompt, now, way="argument")
        while self._coming and now >= self._coming[0][0]:
            self._composer = composer.pasted(self._composer, self._coming.popleft()[1])
        self.player.tick(now)

    def next_due(self, now: float) -> float | None:
        """When ``tick`` or a repaint is due next; None where only input changes anything."""
        due = [self._up_at] if not self._up else []
        due += [self._coming[0][0]] if self._coming else []
        due += [self.player.due] if self.player.due is not None else []
        if self.player.busy_since is not None and self.player.dialog is None:
            due.append(self.player.busy_since + _elapsed(self.player.busy_since, now) + 1)
        return min(due, default=None)

    def hook_done(self, token: int, outcome: Outcome, now: float) -> None:
        """Takes what came of a hook."""
        self.player.hook_done(token, outcome, now)

    def tool_done(self, token: int, answer: bool | ToolReply, now: float) -> None:
        """Takes what an MCP server said."""
        self.player.tool_done(token, answer, now)

    def take(self, event: keys.Event, now: float) -> None:
        """Takes what was typed or pasted."""
        if isinstance(event, keys.Paste):
            self._record("paste", {"sha256": _sha256(event.data), "bytes": len(event.data)})
        if self.player.dialog is not None:
            self._decide(event, now)
        elif isinstance(event, keys.Paste):
            self._pasted(event, now)
        elif isinstance(event, keys.Key):
            self._pressed(event.name, now)
        elif not self._options.vim_normal:
            self._composer = composer.typed(self._composer, event.text)
            self._last_input = now

    def view(self, now: float) -> screen.View:
        """What the screen is to show."""
        player, options = self.player, self._options
        dialog = described(player.dialog) if player.dialog is not None else None
        busy = player.busy_since
        return screen.View(
            name=options.name,
            transcript=tuple((line.mark, line.text) for line in player.transcript),
            composer=self._composer if self._up and not options.hidden_composer else None,
            hint=QUEUED_HINT if player.queued else options.hint,
            busy_for=None if busy is None else _elapsed(busy, now),
            queued=tuple(player.queued),
            dialog=dialog,
            vim_normal=options.vim_normal,
            starting=not self._up,
        )

    def _decide(self, event: keys.Event, now: float) -> None:
        """A dialog takes Enter, Escape, 1 and 2; what else is typed is lost."""
        if event in {keys.Key("enter"), keys.Char("1")}:
            self.player.decide(True, now)
        elif event in {keys.Key("escape"), keys.Key("interrupt"), keys.Char("2")}:
            self.player.decide(False, now)

    def _pasted(self, event: keys.Paste, now: float) -> None:
        self._last_input = now
        self._drops_enter = self._options.drop_first_enter
        if self._options.slow_echo > 0:
            self._coming.append((now + self._options.slow_echo, event.text))
        else:
            self._composer = composer.pasted(self._composer, event.text)
        if self._options.dialog_on_paste:
            self.player.surprise("Bash", now)

    def _pressed(self, name: keys.KeyName, now: float) -> None:
        match name:
            case "enter":
                self._entered(now)
            case "newline" | "backspace" | "clear":
                self._edited(name, now)
            case "escape":
                self.player.interrupt(now)
            case "interrupt":
                self._cancelled(now)
            case "end" if self._composer.empty:
                self.player.status = 0

    def _edited(self, name: keys.KeyName, now: float) -> None:
        if self._options.vim_normal:
            return
        self._last_input = now
        if name == "newline":
            self._composer = composer.typed(self._composer, "\n")
        elif name == "clear":
            self._composer = composer.cleared(self._composer)
        else:
            self._composer = composer.erased(self._composer)

    def _entered(self, now: float) -> None:
        if self._options.vim_normal:
            return
        if now - self._last_input < self._options.paste_window:
            self._edited("newline", now)
        elif self._drops_enter:
            self._drops_enter = False
            self._record("enter-dropped", {})
        elif self._composer.text.strip():
            text = self._composer.text
            self._composer = composer.cleared(self._composer)
            self._submit(text, now, way="enter")

    def _cancelled(self, now: float) -> None:
        """Ctrl-C: ends the turn, else empties the composer, else ends the program."""
        if self.player.busy_since is not None:
            self.player.interrupt(now)
        elif not self._composer.empty:
            self._composer = composer.cleared(self._composer)
        else:
            self.player.status = 0

    def _submit(self, text: str, now: float, *, way: str) -> None:
        data = text.encode("utf-8", "surrogateescape")
        fields = {"text": text, "sha256": _sha256(data), "bytes": len(data), "way": way}
        self._record("submit", fields)
        self.player.submit(text, now)


def _elapsed(since: float, now: float) -> int:
    return max(0, math.floor(now - since))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


__all__ = ["QUEUED_HINT", "Agent"]
