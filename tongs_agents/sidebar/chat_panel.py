"""The chat panel: channels, the newest messages of one, and a line to write on (8.1)."""

from __future__ import annotations

import time
from typing import ClassVar

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.suggester import Suggester
from textual.widgets import Input, OptionList, RichLog, Static
from textual.widgets.option_list import Option

from tongs_agents.harmless import harmless
from tongs_agents.sidebar.chat_input import NewChannel, Post, Reply, Unclear, completed, meant
from tongs_agents.sidebar.chat_source import Channel, ChatSource, Message
from tongs_agents.sidebar.shown import sentence

NEWEST = 50
"""How many messages are shown (8.1)."""

REFRESH_SECONDS = 1.0
"""Time between two looks at the store."""


class Handles(Suggester):
    """Completes an @handle at the end of the line."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self.handles: tuple[str, ...] = ()

    async def get_suggestion(self, value: str) -> str | None:
        """The line completed, None where nothing fits."""
        return completed(value, self.handles)


class ChatPanel(Vertical):
    """Reads and writes through a ``ChatSource``; shows bodies as the text that they are."""

    DEFAULT_CSS: ClassVar[str] = """
    ChatPanel > Horizontal { height: 1fr; }
    ChatPanel #channels { width: 22; height: 1fr; border: none; border-right: solid $primary; }
    ChatPanel #messages { width: 1fr; height: 1fr; padding: 0 1; }
    ChatPanel #said { height: auto; max-height: 4; padding: 0 1; color: $text-muted; }
    ChatPanel.-narrow #channels { display: none; }
    """

    def __init__(self, source: ChatSource, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._source = source
        self._suggester = Handles()
        self._channels: tuple[Channel, ...] = ()
        self._messages: tuple[Message, ...] = ()
        self.channel = ""
        """The channel that is open, empty before the first look."""

    def compose(self) -> ComposeResult:
        """Channels at the left, messages beside them, the line below."""
        with Horizontal():
            yield OptionList(id="channels", markup=False)
            yield RichLog(id="messages", wrap=True, markup=False, highlight=False)
        yield Static(id="said", markup=False)
        yield Input(
            id="line",
            placeholder="a message · /reply ID text · /new NAME",
            suggester=self._suggester,
        )

    def on_mount(self) -> None:
        """Look at once, then again and again."""
        self.query_one("#line", Input).focus()
        self.look()
        self.set_interval(REFRESH_SECONDS, self.look)

    def on_resize(self) -> None:
        """A narrow panel has no room for the list of channels."""
        self.set_class(self.size.width < 60, "-narrow")

    @work(thread=True, exclusive=True, group="look")
    def look(self) -> None:
        """Read what there is, in a thread; what can't be read is said, and tried again."""
        try:
            channels = self._source.channels()
            names = [each.name for each in channels]
            channel = self.channel if self.channel in names else next(iter(names), "")
            messages = self._source.messages(channel, NEWEST) if channel else ()
            handles = self._source.handles()
        except Exception as error:  # noqa: BLE001 - whatever it is, the panel goes on
            self.app.call_from_thread(self._say, sentence(error))
            return
        self.app.call_from_thread(self._show, channels, channel, messages, handles)

    def _show(
        self,
        channels: tuple[Channel, ...],
        channel: str,
        messages: tuple[Message, ...],
        handles: tuple[str, ...],
    ) -> None:
        self._suggester.handles = handles
        if channels != self._channels or channel != self.channel:
            self._show_channels(channels, channel)
        if messages != self._messages:
            log = self.query_one("#messages", RichLog)
            log.clear()
            for each in messages:
                log.write(as_text(each))
            self._messages = messages

    def _show_channels(self, channels: tuple[Channel, ...], channel: str) -> None:
        listed = self.query_one("#channels", OptionList)
        listed.clear_options()
        listed.add_options(Option(_labelled(each), id=each.name) for each in channels)
        names = [each.name for each in channels]
        listed.highlighted = names.index(channel) if channel in names else None
        self._channels, self.channel = channels, channel

    @on(OptionList.OptionSelected, "#channels")
    def open_channel(self, event: OptionList.OptionSelected) -> None:
        """Another channel was chosen."""
        self.channel = event.option.id or self.channel
        self.query_one("#line", Input).focus()
        self.look()

    @on(Input.Submitted, "#line")
    def submit(self, event: Input.Submitted) -> None:
        """Enter: what was meant is done; what can't be is said, and stays on the line."""
        found = meant(event.value)
        if found is None:
            return
        if isinstance(found, Unclear):
            self._say(found.hint)
            return
        self.write(found, event.value)

    @work(thread=True, exclusive=True, group="write")
    def write(self, found: Post | Reply | NewChannel, line: str) -> None:
        """Write what was meant, in a thread; the line is emptied only once that went well."""
        try:
            said = self._written(found)
        except Exception as error:  # noqa: BLE001 - a refusal loses nothing that was typed
            self.app.call_from_thread(self._say, sentence(error))
            return
        self.app.call_from_thread(self._done, said, line)

    def _written(self, found: Post | Reply | NewChannel) -> tuple[str, ...]:
        if isinstance(found, NewChannel):
            self._source.create(found.name)
            return (f"made #{found.name}",)
        if isinstance(found, Reply):
            return self._source.reply(found.to, found.body)
        return self._source.post(self.channel, found.body)

    def _done(self, said: tuple[str, ...], line: str) -> None:
        field = self.query_one("#line", Input)
        if field.value == line:
            field.value = ""
        self._say(" · ".join(said))
        self.look()

    def _say(self, text: str) -> None:
        self.query_one("#said", Static).update(Text(harmless(text)))


def _labelled(channel: Channel) -> Text:
    count = f" ({channel.unread})" if channel.unread else ""
    return Text(f"#{channel.name}{count}", style="bold" if channel.unread else "")


def as_text(message: Message) -> Text:
    """A message as it is shown: head and body, without a meaning to the terminal."""
    clock = time.strftime("%H:%M", time.localtime(message.ts))
    reply = "" if message.thread == message.id else f" ↳{message.thread}"
    text = Text()
    text.append(f"{clock} #{message.id}{reply} ", style="dim")
    text.append(f"@{harmless(message.author)}", style="bold")
    text.append(f" {harmless(message.body, newlines=True)}")
    return text


__all__ = ["NEWEST", "REFRESH_SECONDS", "ChatPanel", "Handles", "as_text"]
