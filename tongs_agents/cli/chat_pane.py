"""Bare ``chat``: the chat pane."""

from __future__ import annotations

import click

from tongs_agents.cli.verb import App, Verb


@click.command("chat", cls=Verb, json=False, example="tongs-agents chat")
@click.pass_obj
def verb(app: App) -> int:
    """Read and write in the chat pane."""
    from tongs_agents.chat.panel_source import DeskSource
    from tongs_agents.cli.asking import has_terminal
    from tongs_agents.errors import Refused

    if not has_terminal():
        raise Refused(
            "the chat pane takes a terminal",
            reason="no-terminal",
            hint="`tongs-agents chat read` and `chat post` work without one",
        )
    from tongs_agents.sidebar.chat_app import ChatApp  # here: Textual takes 400 ms

    ChatApp(DeskSource(app.services)).run()
    return 0


__all__ = ["verb"]
