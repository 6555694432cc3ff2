"""Hands our hooks and MCP server to one launch by its harness's own flags.

The user's files stay untouched.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tongs_agents.harness.attach import (
    CLAUDE_EVENTS,
    SCRIPTED_EVENTS,
    attach_scripted,
    hook_settings,
    mcp_servers,
)
from tongs_agents.harness.claude_attach import Attachment, known_events
from tongs_agents.harness.claude_attach import attach as attach_claude
from tongs_agents.harness.pi_attach import attach as attach_pi
from tongs_agents.hooks.command import HookHarness
from tongs_mux import bounded
from tongs_mux.files import open_private, private_dir

VERSION_SECONDS = 5.0
"""How long a harness may take to say its version, or what its flags are."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be started: its command line, and what attaching may ask of the world."""

    harness: str
    argv: tuple[str, ...]
    settings_path: Path
    environ: Mapping[str, str]
    """What it is to be started with, but for what is ours."""
    said: Callable[[str], str]
    """What the installed harness answers to ``--version`` or ``--help``, empty where nothing."""
    read: Callable[[str], str]
    """The text of a file that the command names; may raise OSError."""


def settings_path(runtime: Path, launch_id: str, harness: str) -> Path:
    """Where the settings that are attached to a launch lie; Pi's are an extension."""
    return runtime / "attached" / f"{launch_id}{'.ts' if harness == 'pi' else '.json'}"


def unattached(wanted: Wanted) -> Attachment:
    """The command line where nothing is to be attached: as no launch may do without (A71)."""
    if wanted.harness != "codex":
        return Attachment(wanted.argv, None)
    from tongs_agents.harness.codex_attach import without_daemon  # as in `_codex`

    return Attachment(without_daemon(wanted.argv, wanted.said("--help")), None)


def attach(wanted: Wanted) -> Attachment:
    """The command line with our hooks and MCP server, and the settings to write.

    Pure but for what it asks. A harness that has no hooks to attach stays as it is, without a word.
    """
    if wanted.harness == "scripted":
        return _scripted(wanted)
    if wanted.harness == "claude":
        return _claude(wanted)
    if wanted.harness == "pi":
        python = Path(sys.executable)
        return attach_pi(wanted.argv, wanted.settings_path, wanted.said("--version"), python=python)
    if wanted.harness == "codex":
        return _codex(wanted)
    return Attachment(wanted.argv, None)


def _scripted(wanted: Wanted) -> Attachment:
    argv = attach_scripted(wanted.argv, wanted.settings_path, _servers())
    if argv == wanted.argv:
        return Attachment(argv, None, (_NOT_ATTACHED.format("it names settings of its own"),))
    return Attachment(argv, _settings("scripted", SCRIPTED_EVENTS))


def _claude(wanted: Wanted) -> Attachment:
    known = known_events(wanted.said("--version"))
    if not known:
        why = f"`{wanted.argv[0]} --version` gave no version that is known"
        return Attachment(wanted.argv, None, (_NOT_ATTACHED.format(why),))
    ours = _settings("claude", tuple(event for event in CLAUDE_EVENTS if event in known))
    return attach_claude(wanted.argv, wanted.settings_path, ours, _servers(), wanted.read)


def _codex(wanted: Wanted) -> Attachment:
    # here: a send imports this module too, and reads no TOML
    from tongs_agents.harness.codex_attach import attach as attach_codex
    from tongs_agents.harness.codex_attach import without_daemon
    from tongs_agents.harness.codex_trust import UNTRUSTED, are_trusted, config_of

    known = wanted.said("--help")
    argv = without_daemon(wanted.argv, known)
    found = attach_codex(argv, known, "attached", python=Path(sys.executable))
    notices = found.notices
    if found.hooks and not are_trusted(argv, found.hooks, config_of(wanted.environ)):
        notices = (*notices, UNTRUSTED)
    return Attachment(found.argv, None, notices, by_flags=bool(found.hooks))


_NOT_ATTACHED = "hooks are not attached, so its status stays unknown: {}"


def _settings(harness: HookHarness, events: tuple[str, ...]) -> str:
    return hook_settings(harness, "attached", events, python=Path(sys.executable))


def _servers() -> str:
    return mcp_servers("attached", python=Path(sys.executable))


def version_of(program: str, harness: str, environ: Mapping[str, str]) -> str:
    """What it says its version is, empty where it says none in time."""
    return said_by(program, harness, "--version", environ)


def said_by(program: str, harness: str, word: str, environ: Mapping[str, str]) -> str:
    """What ``program --version``, or another such ``word``, says; empty where nothing in time.

    Only a program of the harness's own name is asked: a wrapper might do
    anything at such a call.
    """
    if os.path.basename(program) != harness:
        program = harness
    try:
        ended = bounded.run((program, word), environ=environ, stdin=b"", deadline=VERSION_SECONDS)
    except (bounded.DeadlinePassed, OSError):
        return ""
    return ended.out.decode("utf-8", "replace").strip() if ended.code == 0 else ""


def write_settings(path: Path, text: str) -> None:
    """Write the settings, private; raises OSError, PlaceRefused."""
    private_dir(path.parent)
    fd = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        file.write(text)


__all__ = [
    "VERSION_SECONDS",
    "Wanted",
    "attach",
    "said_by",
    "settings_path",
    "unattached",
    "version_of",
    "write_settings",
]
