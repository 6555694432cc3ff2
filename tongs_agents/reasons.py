"""The one table of reasons: each stable slug with its exit code, meaning and remedy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reason:
    """What a slug stands for: usual exit code, outcome word, and two lines for people."""

    exit_code: int
    outcome: str
    meaning: str
    remedy: str


def _error(meaning: str, remedy: str) -> Reason:
    return Reason(1, "error", meaning, remedy)


def _refused(meaning: str, remedy: str) -> Reason:
    return Reason(5, "refused", meaning, remedy)


_BROKE = {
    "ambiguous": _error("several launches match", "give more of the id"),
    "audit": _error(
        "the audit line could not be written", "make the state dir writable, free some space"
    ),
    "busy": Reason(1, "busy", "somebody else is acting on the same thing", "try again"),
    "failed": _error("the multiplexer or the system broke", "read what it says, then try again"),
    "no-chat": _error("no launch was ever granted chat", "a person begins it with the first grant"),
    "no-such-launch": _error("no launch has this id", "`tongs-agents list` shows them"),
    "start-failed": _error("the program could not be started", "check the profile's command"),
    "usage": _error(
        "the arguments or the config are wrong", "see --help, or `tongs-agents config check`"
    ),
    "exited": Reason(
        3,
        "exited",
        "the launch has ended: 3 is for a look or a wait; an act on it is `refused` with 5",
        "`tongs-agents respawn` starts it again, `tongs-agents gc` removes its record",
    ),
    "timeout": Reason(4, "error", "the time was up", "wait again, or give a longer --timeout"),
    "unsupported": Reason(
        6,
        "unsupported",
        "this platform, version or harness cannot do it",
        "the error says what is missing",
    ),
    "hooks-untrusted": Reason(
        6, "unsupported", "Codex has not been told to trust the hooks", "trust them once in Codex"
    ),
    "cancelled": Reason(7, "cancelled", "the caller went away", "call again"),
}

_NOT_VERIFIED = {
    "no-start-token": _refused(
        "the system does not tell when a process started", "this platform can't verify a launch"
    ),
    "not-claimed": _refused("the launch was never claimed", "spawn it again"),
    "not-listed": _refused("the multiplexer does not list the pane", "spawn it again"),
    "pending": _refused("the launch is not claimed yet", "try again in a moment"),
    "replaced": _refused("the pane belongs to another program now", "spawn it again"),
    "running": _refused("the launch is alive", "close it first"),
    "unknown": _refused("there was no answer, or it could not be seen", "try again, or look"),
    "unknown-place": _refused(
        "a place is not the one recorded, or not private", "make it private, or name another"
    ),
}

_GUARDED = {
    "bad-text": _refused("the text can't be typed", "send plain text without control characters"),
    "busy-start": _refused("the program is still starting", "try again in a moment"),
    "copy-mode": _refused("the pane is in a mode, as copy mode", "leave the mode in that pane"),
    "dialog": _refused("a dialog is open in the pane", "answer it in that pane"),
    "draft": _refused(
        "somebody's draft is in the composer",
        "`tongs-agents focus` the launch, then send it or clear it (Ctrl-U) there",
    ),
    "no-terminal": _refused("this has to be confirmed on a terminal", "run it in a terminal"),
    "not-confirmed": _refused("it was not confirmed", "confirm it when asked"),
    "shell": _refused("a shell, not the launch's program, is in front", "leave the shell"),
    "synchronized": _refused(
        "the window's panes are synchronized", "turn synchronize-panes off there"
    ),
    "too-large": _refused("the text is too long", "put it into a file and send the path"),
}

_NOT_ALLOWED = {
    "disabled": _refused("this is switched off", "a person can switch it on in the config"),
    "harness-too-old": _refused("the harness is too old for this", "update the harness"),
    "inside-agent": _refused("an agent may not do this", "do it outside an agent's pane"),
    "max-live": _refused("too many agents are alive below one launch", "close one first"),
    "max-spawns": _refused("too many agents were started below one launch", "start a new root"),
    "nested-spawn": _refused("an agent started over MCP may not start more", "ask your opener"),
    "no-identity": _refused(
        "the caller is no verified launch", "call from an agent that `tongs-agents spawn` started"
    ),
    "no-session": _refused(
        "the session does not run", "a person starts it with `tongs-agents spawn`"
    ),
    "no-such-profile": _refused(
        "the config has no such profile", "`tongs-agents config show` lists them"
    ),
    "not-ours": _refused(
        "a harness's settings are not of a form that we may change", "mend or move what it names"
    ),
    "not-opted-in": _refused("a profile has not opted in", "set mcp_control in that profile"),
    "not-owner": _refused("another caller started that launch", "drive only what you started"),
    "rate": Reason(5, "rate-limited", "too many in a short time", "wait a minute"),
    "self": _refused("the target is the caller itself", "name another launch"),
}

_CHAT = {
    "archived": _refused("the channel is archived", "post in another channel"),
    "bad-thread": _refused("the thread is no root of this channel", "give a root's id"),
    "duplicate": _refused("the same message is queued already", "wait until it is read"),
    "handle-taken": _refused("another grant has this handle", "choose another handle"),
    "loop": _refused("the answers go round without a user", "a person has to go on"),
    "no-such-channel": _refused("there is no such channel", "name one that exists"),
    "not-accepting": _refused("the other takes no peer messages", "a person can allow them"),
    "not-granted": _refused("the launch has no chat grant", "a person can grant it"),
    "queue-full": _refused("too many messages wait there", "wait until some are read"),
    "store-full": _refused("the chat file is full", "a person can remove old messages"),
    "too-many-mentions": _refused("it mentions too many", "mention fewer"),
}

REASONS: Mapping[str, Reason] = {
    **_BROKE,
    **_NOT_VERIFIED,
    **_GUARDED,
    **_NOT_ALLOWED,
    **_CHAT,
}
"""Every slug that a ``reason`` can be. ``exited`` is 5 where an act was refused for it."""


__all__ = ["REASONS", "Reason"]
