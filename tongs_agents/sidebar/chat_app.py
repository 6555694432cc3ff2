"""Bare `tongs-agents chat`: the chat panel on its own."""

from __future__ import annotations

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Footer

from tongs_agents.sidebar.chat_panel import ChatPanel
from tongs_agents.sidebar.chat_source import ChatSource


class ChatApp(App[None]):
    """One panel, and how to leave it."""

    TITLE = "tongs-agents chat"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+q", "quit", "Quit", priority=True)]

    def __init__(self, source: ChatSource) -> None:
        super().__init__()
        self._source = source

    def compose(self) -> ComposeResult:
        """The panel, and the keys below it."""
        yield ChatPanel(self._source, id="chat")
        yield Footer(show_command_palette=False)


__all__ = ["ChatApp"]
