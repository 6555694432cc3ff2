"""The commented config file that ``tongs-agents init`` writes, and a profile to add to one."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tongs_agents.config_schema import HARNESS_OF_COMMAND, PROFILE_NAME

_COMMANDS = {harness: command for command, harness in HARNESS_OF_COMMAND.items()}

_HEAD = """\
# tongs-agents: what may be started in a pane, and what agents may do there.
# A key that begins with "#" shows its default: take the "#" away to change it.
# After a change: `tongs-agents config check`

[workspace]
# "tmux" or "zellij"; unset: the one you are inside, else an installed Zellij, else tmux.
#multiplexer = "tmux"
#session = "agents"
# tmux only: a socket name or an absolute path; "default" is your own server.
#socket = "tongs-agents"

[control]
# Let agents start and drive each other over MCP. It takes this switch and mcp_control
# in each profile: docs/security.md, "What mcp_control hands over".
#mcp_enabled = false
# Also drive panes of opted-in profiles that another agent, or you, started.
#mcp_any_target = false
# Let an agent that was started over MCP start more.
#mcp_nested_spawn = false
# Sends, and separately starts, a minute for each caller: 1 to 60.
#mcp_rate_per_minute = 6
# Agents alive at once, and ever started, below one that you started yourself.
#mcp_max_live = 8
#mcp_max_spawns = 50

[chat]
# What a granted agent does with messages of other agents: "accept" or "refuse".
#peer_messages = "accept"
# Try a wake again that was put off, for as long as the mention is unread.
#retry_wakes = true

[sidebar]
# A notice when an agent waits for you.
#notify = true

# Profiles: what `tongs-agents spawn NAME` starts. Names: 1 to 28 of a-z, 0-9 and -.
# command is a list of words, no shell line.
"""

_WORKER = """
# The scripted agent, a program that behaves as coding agents do: to try things with.
{mark}[profiles.worker]
{mark}command = ["{command}"]
"""

_PROFILE = """
{mark}[profiles.{name}]
{mark}command = ["{command}"]
#cwd = "~"
#env = {{}}
# claude, codex, pi or other; unset: by the command's name.
#harness = "{harness}"
# true where the command is a wrapper that starts the harness below itself.
#wrapper = false
# Hand our hooks and MCP server over by flags: "auto" where they are not installed,
# "always" or "never".
#attach = "auto"
# May use the control tools, and may be started and driven by them.
#mcp_control = false
"""


def render_example(harnesses_found: Iterable[str]) -> str:
    """A config with a profile for each harness found, by its name; every other key a comment.

    ``worker`` starts the scripted agent; it is a comment too where there is a
    real harness. Raises ValueError for a name that is no harness with a command
    of its own.
    """
    found = list(dict.fromkeys(harnesses_found))
    for harness in found:
        if harness not in _COMMANDS:
            raise ValueError(f"{harness!r} is no harness")
    real = [harness for harness in found if harness != "scripted"]
    profiles = [_profile(harness, _COMMANDS[harness]) for harness in real]
    worker = _WORKER.format(mark="#" if real else "", command=_COMMANDS["scripted"])
    return _HEAD + worker + "".join(profiles or [_profile("claude", "claude", mark="#")])


def how_to_add(name: str, path: Path) -> str:
    """What to do where the config at ``path`` lacks profile ``name``: the very lines to paste."""
    if not PROFILE_NAME.fits(name):
        return f"a profile has {PROFILE_NAME.allowed}"
    command = name if name in HARNESS_OF_COMMAND else _COMMANDS["scripted"]
    return (
        f"put these two lines into {path}, with the command that you want:\n"
        f'[profiles.{name}]\ncommand = ["{command}"]'
    )


def _profile(harness: str, command: str, *, mark: str = "") -> str:
    return _PROFILE.format(mark=mark, name=harness, command=command, harness=harness)


__all__ = ["how_to_add", "render_example"]
