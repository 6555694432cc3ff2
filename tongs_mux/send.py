"""The one send routine: guards, paste, look, Enter, receipt (mechanisms 3 and 5)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from tongs_mux.backend import Backend, Guard
from tongs_mux.errors import BackendError, DeliveryRefused, DeliveryUncertain, Effect, MuxError
from tongs_mux.evidence import Seen, refusal
from tongs_mux.guards import (
    START_GRACE,
    Foreground,
    describe,
    first_refusal,
    foreground_check,
    pane_checks,
    reading_checks,
    room_check,
)
from tongs_mux.leftover import Leftover, holds, is_ours, lingers
from tongs_mux.model import Check, Fact, LaunchRecord
from tongs_mux.patterns import as_shown
from tongs_mux.reader import Reader, Reading
from tongs_mux.text import sha256

NEVER_AGAIN = ("/", "!", "#", "@")
"""Text that begins so gets one Enter only: a second could run a command."""

PASTE_TRIES = 3
"""How often a paste is tried while the empty composer shows one hint after the other."""


@dataclass(frozen=True, slots=True)
class Pauses:
    """The guards' deliberate waits and bounds, in seconds."""

    between_looks: float = 0.3
    """Between two looks at the composer: a person's typing shows in it (B11)."""
    before_enter: float = 0.2
    """Between paste and Enter: some programs read a quick CR as part of the paste (A1)."""
    redraw: float = 0.5
    """Longest wait for a composer that is not on the screen: it may be drawn again just now."""
    echo: float = 2.0
    """Longest wait for the pasted text to show in the composer."""
    settle: float = 1.0
    """Longest wait for the composer to let go of the text after Enter."""
    step: float = 0.02
    """Between two looks of a bounded wait."""


@dataclass(frozen=True, slots=True)
class Sight:
    """A verified pane, as it was read: what the guards judge."""

    seen: Seen
    reading: Reading
    foreground: Foreground


@dataclass
class Sending:
    """One send on its way. ``look`` reads the pane; ``begin`` runs once, before the paste."""

    record: LaunchRecord
    reader: Reader
    backend: Backend
    text: str
    body: bytes
    pauses: Pauses
    wrapper: bool
    leftover: Leftover | None
    look: Callable[[], Sight]
    begin: Callable[[], None]
    reached: Callable[[Effect], None]
    """Told how far the act has come, so that what ends it early can say so (A97)."""
    asked: Callable[[tuple[str, ...]], bool] | None
    """Shows a person a screen that can't be read and asks; None where nobody can be asked."""
    clock: Callable[[], float]
    monotonic: Callable[[], float]
    pause: Callable[[float], None]
    facts: list[Fact] = field(default_factory=list)
    typed: bool = False
    busy: bool = False
    """The program was at work as the text was typed: it may take it up only later."""
    shown: tuple[str, ...] | None = None
    """The screen that a person looked at and said yes to."""

    def note(self, check: str, seen: str) -> None:
        """Add a line to the receipt's evidence, once."""
        if any(fact.check == check and fact.seen == seen for fact in self.facts):
            return
        self.facts.append(Fact(check, seen, self.clock()))

    def evidence(self, proved: Fact | None) -> tuple[Fact, ...]:
        """What the receipt tells; without the program's own word, that it was at work."""
        if proved is not None:
            return (*self.facts, proved)
        if self.busy:
            self.note("working", "the agent is at work: it takes the text up by itself")
        return tuple(self.facts)

    # -- the routine

    def run(self) -> bool:
        """Type the text and press Enter.

        Returns True where the composer was seen to let go of the text.

        Raises:
            DeliveryRefused: a guard said no; nothing was typed.
            DeliveryUncertain: the act had begun; ``effect`` says how far.
        """
        first = self._ready(self._drawn())
        self.busy = first.reading.busy
        if self._resumes(first.reading):
            self.begin()
            self._typed()
            self.note("leftover", "the text was in the composer already: not pasted again")
        else:
            self.pause(self.pauses.between_looks)
            self._paste(first)
            self.pause(self.pauses.before_enter)
        self._press(self._echoed())
        return self._let_go()

    def _drawn(self) -> Sight:
        """The pane, once a screen that is just being drawn again shows its composer."""
        until = self.monotonic() + self.pauses.redraw
        while True:
            sight = self.look()
            reading = sight.reading
            unseen = reading.composer == "unseen" and reading.dialog is None
            waits = unseen and self.reader.guarded and sight.seen.verdict.verified
            if not waits or self.monotonic() >= until:
                return sight
            self.pause(self.pauses.step)

    def _ready(self, sight: Sight) -> Sight:
        """``sight`` where every guard passes; asks a person where only they can see."""
        checks = self._checks(sight)
        reason = _reason(sight, checks, young=self._young()) or self._moved(sight)
        if not reason:
            if not self.reader.guarded:
                self.note("unguarded", f"harness {self.reader.name}: its screen can't be read")
            return sight
        if reason == "draft" and self._resumes(sight.reading):
            return sight
        if self.shown is None and self._may_ask(sight, checks) and self.asked:
            lines = _lines(sight)
            if self.asked(lines):
                self.shown = lines
                self.note("unguarded", "a person looked at the screen and said yes")
                return sight
            reason = "not-confirmed"
        raise self._refused(reason, checks, sight)

    def _resumes(self, reading: Reading) -> bool:
        """The composer holds our own leftover, and this send is of the same text (A3)."""
        left = self.leftover
        same = left is not None and left.sha256 == sha256(self.body)
        return same and holds(reading, self.text)

    def _moved(self, sight: Sight) -> str:
        """``not-confirmed`` where the screen is no longer the one that a person said yes to."""
        if self.shown is None or _lines(sight) == self.shown:
            return ""
        return "not-confirmed"

    def _may_ask(self, sight: Sight, checks: tuple[Check, ...]) -> bool:
        """A person may overrule that the composer is not seen, and nothing that is seen."""
        others = (check.passed is True for check in checks if check.name != "composer")
        return sight.reading.composer == "unseen" and all(others)

    def _checks(self, sight: Sight) -> tuple[Check, ...]:
        pane = sight.seen.pane
        if not sight.seen.verdict.verified or pane is None:
            return sight.seen.verdict.checks
        fore = foreground_check(pane, sight.foreground, wrapper=self.wrapper)
        # a person overrules only that the composer is not seen
        blind = not self.reader.guarded or self._overruled(sight)
        dialog = (reading_checks(sight.reading)[0],)
        reading = dialog if blind else reading_checks(sight.reading)
        room = () if blind or self.typed else (room_check(pane, self.text),)
        return (*sight.seen.verdict.checks, *pane_checks(pane), fore, *reading, *room)

    def _overruled(self, sight: Sight) -> bool:
        return self.shown is not None and sight.reading.composer == "unseen"

    def _young(self) -> bool:
        claim = self.record.claim
        return claim is not None and self.clock() - claim.at < START_GRACE

    def _refused(self, reason: str, checks: tuple[Check, ...], sight: Sight) -> MuxError:
        lost = None if sight.seen.verdict.verified else refusal(sight.seen)
        if lost is not None and not self.typed:
            return lost
        ours = is_ours(sight.reading, self.leftover)
        if ours:
            left = self.leftover
            checks = (
                *checks,
                Check("leftover", True, f"ours, sha256 {left.sha256 if left else ''}"),
            )
        sentence, hint = (
            (lost.message, lost.hint)
            if lost is not None
            else describe(reason, ours=ours, pane=self.record.pane, checks=checks)
        )
        if self.typed:
            return DeliveryUncertain(
                f"the text was pasted, and Enter was not pressed: {sentence}",
                reason=reason, effect="partial", checks=checks, hint=hint,
            )  # fmt: skip
        return DeliveryRefused(
            f"nothing was typed: {sentence}", reason=reason, checks=checks, hint=hint
        )

    def _guard(self, sight: Sight) -> Guard:
        """What the server itself must find at the moment of the act."""
        claim, pane, screen = self.record.claim, sight.seen.pane, sight.seen.screen
        if claim is None or pane is None or screen is None:
            raise ValueError("a guard is made of a verified look only")
        from_screen = [p for p in self.reader.dialogs if not _found(p, screen.lines)]
        if len(from_screen) < len(self.reader.dialogs) or not self.backend.atomic:
            self.note("window", "open")
        reading = sight.reading
        steady = reading.steady if reading.composer != "unseen" else ()
        if self._overruled(sight) and not self.typed:
            steady = as_shown(self.shown or ())
            self.note("window", "open")  # what is added to those lines can't be known
        absent = tuple(from_screen)
        return Guard(claim.server, pane.pane_id, pane.pid, absent, steady, reading.cursor)

    def _paste(self, sight: Sight) -> None:
        """The second look at the composer is the server's own, in the act of pasting."""
        for _ in range(PASTE_TRIES):
            if self._pasted(sight):
                return
            sight = self._hint_changed(sight)
        raise self._refused("draft", self._checks(sight), sight)

    def _pasted(self, sight: Sight) -> bool:
        guard = self._guard(sight)
        sure = bool(guard.steady) or guard.cursor is not None
        if not sure or not self.backend.atomic or self.shown is not None:
            again = self._ready(self.look())
            if again.reading.text != sight.reading.text:
                raise self._refused("draft", self._checks(again), again)
            guard = self._guard(again)
        self.begin()
        if self._attempt(lambda: self.backend.paste(guard, self.body), "unknown") == "held":
            self.reached("none")
            return False
        self._typed()
        self.note("paste", f"{len(self.body)} bytes, in brackets if asked for")
        return True

    def _typed(self) -> None:
        self.typed = True
        self.reached("partial")

    def _hint_changed(self, sight: Sight) -> Sight:
        """A new look where the empty composer only shows another hint; else raises why it held.

        A program changes its hint by itself, as at the end of a turn (B2). Where the
        cursor is asked for, it may have been elsewhere because the screen was being drawn.
        """
        again = self.look()
        checks = self._checks(again)
        reason = _reason(again, checks, young=self._young()) or self._moved(again)
        same = again.reading.steady == sight.reading.steady
        if reason or (same and again.reading.cursor is None):
            usual = "draft" if self.shown is None else "not-confirmed"
            raise self._refused(reason or usual, checks, again)
        self.pause(self.pauses.between_looks)
        return again

    def _attempt(self, act: Callable[[], str], effect: Effect) -> str:
        self.reached(effect)
        try:
            return act()
        except BackendError as error:
            raise DeliveryUncertain(
                f"{error.message}; it is not known what reached the pane",
                reason=error.reason, effect=effect, hint="look at the pane before you send again",
            ) from error  # fmt: skip

    def _echoed(self) -> Sight:
        """Wait until the composer shows the text, every guard still passing (A21)."""
        until = self.monotonic() + self.pauses.echo
        while True:
            sight = self.look()
            checks = self._after_paste(sight)
            reason = _reason(sight, checks)
            if not reason or (reason in ("dialog", "copy-mode", "synchronized", "shell")):
                break
            if not sight.seen.verdict.verified or self.monotonic() >= until:
                break
            self.pause(self.pauses.step)
        if reason:
            raise self._refused(reason, checks, sight)
        return sight

    def _after_paste(self, sight: Sight) -> tuple[Check, ...]:
        """The guards between paste and Enter: the composer holds our text and only that."""
        checks = tuple(check for check in self._checks(sight) if check.name != "draft")
        if not self.reader.guarded or sight.reading.composer == "unseen":
            return checks
        ours = holds(sight.reading, self.text)
        shown = (
            "the composer holds our text" if ours else "the composer does not hold our text alone"
        )
        # "draft" where a person typed into it; nothing shown yet reads the same until the deadline
        return (
            *checks,
            Check("draft" if sight.reading.composer == "draft" else "echo", ours, shown),
        )

    def _press(self, sight: Sight) -> None:
        guard = self._guard(sight)
        for attempt in (1, 2):
            if self._enter(guard) == "done":
                self.reached("unknown")  # until its word comes, what became of it
                self.note("enter", "pressed")
                return
            sight = self.look()
            checks = self._after_paste(sight)
            reason = _reason(sight, checks)
            if reason or attempt == 2:
                raise self._refused(reason or "unknown", checks, sight)
            guard = self._guard(sight)

    def _enter(self, guard: Guard) -> str:
        return self._attempt(lambda: self.backend.enter(guard), "partial")

    def _let_go(self) -> bool:
        """True once the composer no longer holds the text; one more Enter where it still does."""
        if not self.reader.guarded or self.shown is not None:
            return False
        sight = self._settled()
        if self._still_ours(sight) and not self.text.startswith(NEVER_AGAIN):
            guard = self._guard(sight)
            # held: the composer let go between look and key, which is what we want
            if self._enter(guard) == "done":
                self.note("enter", "pressed again: the composer still held the text")
            sight = self._settled()
        if not sight.seen.verdict.verified:
            self.note("verified", f"no longer: {sight.seen.verdict.state}")
            return False
        gone = not lingers(sight.reading, self.text)
        self.note(
            "composer", "let go of the text" if gone else "still holds the text: not submitted"
        )
        return gone

    def _still_ours(self, sight: Sight) -> bool:
        return not _reason(sight, self._after_paste(sight))

    def _settled(self) -> Sight:
        """The pane once the composer has let go of the text, or at the deadline."""
        until = self.monotonic() + self.pauses.settle
        while True:
            sight = self.look()
            lost = not sight.seen.verdict.verified
            if lost or not lingers(sight.reading, self.text) or self.monotonic() >= until:
                return sight
            self.pause(self.pauses.step)


def _reason(sight: Sight, checks: tuple[Check, ...], *, young: bool = False) -> str:
    """The verdict's own slug where the launch is not verified, else that of the first guard."""
    return sight.seen.verdict.reason or first_refusal(checks, young=young)


def _lines(sight: Sight) -> tuple[str, ...]:
    """The screen without the blanks that fill it up."""
    screen = sight.seen.screen
    return () if screen is None else tuple(line.rstrip() for line in screen.lines)


def _found(pattern: str, lines: tuple[str, ...]) -> bool:
    return any(re.search(pattern, line.rstrip()) for line in lines)


__all__ = ["NEVER_AGAIN", "PASTE_TRIES", "Pauses", "Sending", "Sight"]
