"""What a conformance check needs of the world around a backend, and how it says what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from tongs_mux.backend import Backend, Guard, Opened, OpenRequest
from tongs_mux.errors import BackendError
from tongs_mux.model import PaneFacts, ProcessIdentity, Screen

Feature = Literal[
    "buffers",
    "clients",
    "control-clients",
    "copy-mode",
    "dead-panes",
    "pane-pids",
    "rearrange",
    "respawn",
    "starts-servers",
    "synchronize",
]
"""What not every multiplexer has, or not every rig can stage."""


@dataclass(frozen=True, slots=True)
class Given:
    """What the program in a pane was started with; ``words`` follow its own argv."""

    words: tuple[str, ...]
    cwd: str
    environment: Mapping[str, str]


class Rig(Protocol):
    """A backend on a multiplexer of its own, and hands to arrange it by.

    Each method returns only when what it does is so. Those below a feature are
    called only where ``has`` says yes.
    """

    @property
    def backend(self) -> Backend:
        """What is checked."""
        ...

    @property
    def hasty(self) -> Backend:
        """The same on the same server, with a deadline of ``deadline`` seconds."""
        ...

    @property
    def deadline(self) -> float:
        """A short one."""
        ...

    def has(self, feature: Feature) -> bool:
        """True where this can be staged here."""
        ...

    def request(
        self, *words: str, session: str = "one", create_session: bool = True
    ) -> OpenRequest:
        """For a program that is given ``words``, asks for bracketed paste and logs each byte."""
        ...

    def ready(self, opened: Opened) -> None:
        """Wait until that program reads its terminal."""
        ...

    def given(self, opened: Opened) -> Given:
        """What it was started with."""
        ...

    def received(self, opened: Opened) -> bytes:
        """Every byte that has reached the pane, in order, none still on its way."""
        ...

    def show(self, opened: Opened, *lines: str) -> None:
        """Clear the screen and draw these lines on it."""
        ...

    def freeze(self) -> None:
        """The server runs and answers nobody."""
        ...

    def thaw(self) -> None:
        """It answers again."""
        ...

    def end_server(self) -> None:
        """No server runs; the next pane starts another, whose pane ids start anew."""
        ...

    def kill(self, opened: Opened) -> None:
        """``dead-panes``: the program ends and its pane stays."""
        ...

    def respawn(self, opened: Opened) -> None:
        """``respawn``: another process in the same pane, the same program, ready."""
        ...

    def enter_mode(self, opened: Opened) -> str:
        """``copy-mode``: a person reads in the pane; returns the mode's name."""
        ...

    def synchronize(self, first: Opened, second: Opened) -> None:
        """``synchronize``: keys to one pane go to the other as well."""
        ...

    def rearrange(self, opened: Opened) -> None:
        """``rearrange``: the pane gets another place, index and window."""
        ...

    def attach(self, session: str) -> str:
        """``clients``: a person's terminal shows the session; returns its name."""
        ...

    def detach(self, client: str) -> None:
        """``clients``: that terminal is gone."""
        ...

    def use(self, client: str) -> None:
        """``clients``: of all terminals, this one was used last."""
        ...

    def shown(self, client: str) -> str:
        """``clients``: id of the pane that the terminal shows and types into."""
        ...

    def attach_control(self, session: str) -> None:
        """``control-clients``: a program attaches, which shows the session to nobody."""
        ...

    def buffers(self) -> tuple[str, ...]:
        """``buffers``: names of what the server keeps for anybody to paste."""
        ...


class NotApplicable(Exception):  # not an error: what is tested lacks what the check is about
    """This backend, or its rig, has no such thing; the message names the feature."""


def need(rig: Rig, *features: Feature) -> None:
    """Raise NotApplicable where one of ``features`` is missing."""
    for feature in features:
        if not rig.has(feature):
            raise NotApplicable(feature)


def expect(what: str, seen: object, wanted: object) -> None:
    """Raise AssertionError where the two differ."""
    if seen != wanted:
        raise AssertionError(f"{what}: {seen!r}, where {wanted!r} was expected")


def pane(rig: Rig, *words: str, session: str = "one") -> Opened:
    """A pane with the byte-logging program, ready."""
    opened = rig.backend.open(rig.request(*words, session=session))
    rig.ready(opened)
    return opened


def guard_of(opened: Opened, **changes: object) -> Guard:
    """The guard that holds for a pane as it was opened, with ``changes``."""
    guard = Guard(opened.server, opened.pane.pane_id, opened.pid)
    return replace(guard, **changes)  # type: ignore[arg-type]  # a wrong name raises TypeError


def another(server: ProcessIdentity) -> ProcessIdentity:
    """A server that isn't this one."""
    return ProcessIdentity(server.pid + 1, server.start_token)


def facts(rig: Rig, opened: Opened) -> PaneFacts | None:
    """The pane as the listing has it now."""
    listing = rig.backend.listing()
    return listing.panes.get(opened.pane.pane_id) if listing is not None else None


def screen(rig: Rig, opened: Opened) -> Screen:
    """The pane's screen now. Raises AssertionError where it isn't listed."""
    look = rig.backend.look(opened.pane.pane_id)
    if look is None or look.pane is None:
        raise AssertionError(f"pane {opened.pane.pane_id} is not listed")
    return look.screen


def refused(act: Callable[[], object]) -> bool:
    """True where an act on a pane was held or failed, False where it was done."""
    try:
        answer = act()
    except BackendError:
        return True
    return (answer[0] if isinstance(answer, tuple) else answer) == "held"


__all__ = [
    "Feature",
    "Given",
    "NotApplicable",
    "Rig",
    "another",
    "expect",
    "facts",
    "guard_of",
    "need",
    "pane",
    "refused",
    "screen",
]
