"""The chat panel: real widgets over a real chat file, driven by keys."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, RichLog, Static

from tongs_agents.chat.panel_source import DeskSource
from tongs_agents.services import Services
from tongs_agents.sidebar.chat_app import ChatApp
from tongs_agents.sidebar.chat_input import (
    NewChannel,
    Post,
    Reply,
    Unclear,
    completed,
    meant,
)
from tongs_chat import channels, grants, messages
from tongs_chat.creation import open_maintainer

DEADLINE = 15.0
HOSTILE = "[bold]x[/bold] \u202egnp.exe [link=file:///etc]y[/link] \x9b tail"


@pytest.fixture
def services(world: Path) -> Services:
    """An empty home with a state dir."""
    made = Services(dict(os.environ), home=world, cwd=world, uid=os.getuid(), pid=os.getpid())
    made.auditing()
    return made


@pytest.fixture
def chat(services: Services) -> Services:
    """A chat file with one agent, @worker, in it."""
    with open_maintainer(services.places.chat_db, clock=services.clock, create=True) as database:
        grants.give(
            database, launch_id="0123456789ab", profile="worker", level="chat",
            pid=1, start_token="boot:1", now=services.clock(),  # noqa: S106 - when a process began
        )  # fmt: skip
    return services


Script = Callable[[Pilot[None], ChatApp], Awaitable[None]]


def play(services: Services, script: Script, size: tuple[int, int] = (100, 24)) -> None:
    """Run the app headless, and the script in it."""

    async def run() -> None:
        app = ChatApp(DeskSource(services))
        async with app.run_test(size=size) as pilot:
            await script(pilot, app)

    asyncio.run(run())


async def until(pilot: Pilot[None], fact: Callable[[], bool], what: str) -> None:
    """Until ``fact``, with a deadline."""
    end = asyncio.get_running_loop().time() + DEADLINE
    while not fact():
        assert asyncio.get_running_loop().time() < end, f"waited for {what}"
        await pilot.pause(0.02)


def shown(app: ChatApp) -> str:
    """What the messages' part shows."""
    return "\n".join(strip.text.rstrip() for strip in app.query_one("#messages", RichLog).lines)


def said(app: ChatApp) -> str:
    return str(app.query_one("#said", Static).render())


def _is_said(app: ChatApp, words: str) -> bool:
    return words in said(app)


def bodies(services: Services, channel: str = "general") -> list[str]:
    return [it.body for it in DeskSource(services).messages(channel, 50)]


async def write(pilot: Pilot[None], app: ChatApp, line: str) -> None:
    app.query_one("#line", Input).value = line
    await pilot.press("enter")


def test_a_line_is_posted_as_the_maintainer_and_shown(chat: Services):
    async def script(pilot: Pilot[None], app: ChatApp) -> None:
        await until(pilot, lambda: app.query_one("#channels", OptionList).option_count == 1, "it")
        await write(pilot, app, "hello @worker")
        await until(pilot, lambda: "@maintainer hello @worker" in shown(app), "the message")
        await until(pilot, lambda: "mentions @worker" in said(app), "whom it reached")
        assert app.query_one("#line", Input).value == ""

    play(chat, script)
    assert bodies(chat) == ["hello @worker"]


@pytest.mark.requirement("8.3")
def test_a_reply_goes_into_the_thread_of_any_of_its_messages(chat: Services):
    desk = DeskSource(chat)
    desk.post("general", "root")

    async def script(pilot: Pilot[None], app: ChatApp) -> None:
        await until(pilot, lambda: "root" in shown(app), "the root")
        await write(pilot, app, "/reply 1 first")
        await until(pilot, lambda: "first" in shown(app), "the first reply")
        await write(pilot, app, "/reply 2 second")
        await until(pilot, lambda: "second" in shown(app), "the second reply")

    play(chat, script)
    assert [(it.body, it.thread) for it in desk.messages("general", 50)] == [
        ("root", 1),
        ("first", 1),
        ("second", 1),
    ]


@pytest.mark.requirement("8.4")
def test_new_makes_a_channel_which_can_be_opened(chat: Services):
    async def script(pilot: Pilot[None], app: ChatApp) -> None:
        await write(pilot, app, "/new reviews")
        listed = app.query_one("#channels", OptionList)
        await until(pilot, lambda: listed.option_count == 2, "the channel")
        listed.focus()
        await pilot.press("down", "enter")
        await write(pilot, app, "in there")
        await until(pilot, lambda: "in there" in shown(app), "the message there")

    play(chat, script)
    assert (bodies(chat), bodies(chat, "reviews")) == ([], ["in there"])


def test_what_can_not_be_is_said_and_stays_on_the_line(chat: Services):
    async def script(pilot: Pilot[None], app: ChatApp) -> None:
        await until(pilot, lambda: app.query_one("#channels", OptionList).option_count == 1, "it")
        for line, words in (
            ("/reply 99 x", "no message 99"),
            ("/unknown", "/new NAME"),
            ("/new Not-A-Name", "Not-A-Name"),
        ):
            await write(pilot, app, line)
            await until(pilot, partial(_is_said, app, words), words)
            assert app.query_one("#line", Input).value == line

    play(chat, script)
    assert bodies(chat) == []


@pytest.mark.requirement("1.31")
def test_a_hostile_body_is_shown_as_the_text_that_it_is(chat: Services):
    with open_maintainer(chat.places.chat_db, clock=chat.clock) as database:
        messages.post(database, "general", HOSTILE.replace("\x9b", ""), now=chat.clock())
        messages.post(database, "general", "x" * 8000, now=chat.clock())

    async def script(pilot: Pilot[None], app: ChatApp) -> None:
        await until(pilot, lambda: "tail" in shown(app), "the message")
        assert "[bold]x[/bold]" in shown(app)
        assert "[link=file:///etc]y[/link]" in shown(app)
        assert "\u202e" not in shown(app)

    play(chat, script)


def test_before_the_first_grant_it_says_how_to_begin(services: Services):
    async def script(pilot: Pilot[None], app: ChatApp) -> None:
        await write(pilot, app, "hello")
        await until(pilot, lambda: "grant" in said(app), "the hint")
        assert app.query_one("#line", Input).value == "hello"

    play(services, script)
    assert not services.places.chat_dir.exists()


def test_it_goes_on_where_the_file_can_not_be_read(chat: Services):
    chat.places.chat_db.chmod(0o644)

    async def script(pilot: Pilot[None], app: ChatApp) -> None:
        await until(pilot, lambda: "chat.db" in said(app), "what is wrong")
        chat.places.chat_db.chmod(0o600)
        await until(
            pilot, lambda: app.query_one("#channels", OptionList).option_count == 1, "it again"
        )

    play(chat, script)


def test_a_handle_is_completed_and_an_archived_channel_is_not_listed(chat: Services):
    with open_maintainer(chat.places.chat_db, clock=chat.clock) as database:
        channels.create(database, "old", now=chat.clock())
        channels.archive(database, "old", now=chat.clock())

    async def script(pilot: Pilot[None], app: ChatApp) -> None:
        await until(pilot, lambda: app.query_one("#channels", OptionList).option_count == 1, "it")
        await pilot.press(*"hi @wo")
        await pilot.pause()
        await pilot.press("right")
        assert app.query_one("#line", Input).value == "hi @worker"

    play(chat, script)


def test_a_narrow_panel_shows_messages_alone(chat: Services):
    async def script(pilot: Pilot[None], app: ChatApp) -> None:
        await until(pilot, lambda: bool(app.query_one("#chat").has_class("-narrow")), "narrow")
        assert not app.query_one("#channels", OptionList).display

    play(chat, script, size=(34, 30))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", None),
        ("   ", None),
        ("hello", Post("hello")),
        ("//etc/hosts is wrong", Post("/etc/hosts is wrong")),
        ("/reply 12 yes, do", Reply(12, "yes, do")),
        ("/reply #12 yes", Reply(12, "yes")),
        ("/new reviews", NewChannel("reviews")),
    ],
)
def test_what_a_line_means(line: str, expected: object):
    assert meant(line) == expected


@pytest.mark.parametrize("line", ["/", "/reply", "/reply x y", "/new", "/new a b", "/clear"])
def test_what_can_not_be_meant_says_how_it_is_written(line: str):
    assert isinstance(meant(line), Unclear)


def test_only_a_handle_at_the_end_is_completed():
    handles = ("lead", "worker", "worker-2")
    assert completed("ask @w", handles) == "ask @worker"
    assert completed("@worker", handles) == "@worker-2"
    assert completed("a@l", handles) is None
    assert completed("@x", handles) is None
    assert completed("@lead ", handles) is None
