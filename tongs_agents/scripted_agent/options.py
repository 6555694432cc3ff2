"""The options: who the scripted agent is, whom it tells, and how it misbehaves."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tongs_agents.scripted_agent.journal import JOURNAL_VARIABLE

MCP_VARIABLE = "TONGS_SCRIPTED_MCP"
"""``on-demand``: MCP servers are started when they are first needed. Each costs a second of a
processor, which is too much where many agents are started for something else."""

HINT = "Ask the scripted agent"
"""What the empty composer shows, dim, where no other suggestion is given."""

_EPILOG = """\
What it does is written in the prompt, in steps: [[text:X]] answers X,
[[slow:SECONDS:X]] is busy first, [[tool:NAME {json}]] opens a permission dialog,
[[error:529]] fails the turn, [[exit:N]] ends the program. Any other prompt is
answered with its first 60 characters. A tool named mcp__SERVER__TOOL is called for
real, where the server lists it ([[force:...]]: though it does not); {{name}} in an
argument is the field of that name that a tool answered last.

example: tongs-agents-scripted --name worker -- '[[slow:3:done]]'
"""


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for on the command line."""

    name: str = "scripted"
    prompt: str | None = None
    log: str | None = None
    settings: str | None = None
    session_id: str | None = None
    mcp_config: tuple[str, ...] = ()
    old_mcp: bool = False
    mcp_on_demand: bool = False
    """Start a server when a prompt first asks for its tools, and not at once."""
    hint: str = HINT
    late: float = 0.0
    slow_echo: float = 0.0
    paste_window: float = 0.0
    """In seconds, unlike the option."""
    chunk: int = 65536
    hidden_composer: bool = False
    drop_first_enter: bool = False
    dialog_on_paste: bool = False
    vim_normal: bool = False


def parse(argv: Sequence[str], environ: Mapping[str, str]) -> Options:
    """The options in ``argv``; what follows ``--`` is the prompt, whatever it looks like.

    Raises:
        SystemExit: as argparse does, on a wrong usage and for ``--help``.
    """
    parser = _parser()
    given, prompt = list(argv), None
    if "--" in given:
        at = given.index("--")
        given, rest = given[:at], given[at + 1 :]
        if len(rest) != 1:
            parser.error("give the prompt after -- as one argument")
        prompt = rest[0]
    taken = vars(parser.parse_args(given))
    if prompt is not None and taken["prompt"] is not None:
        parser.error("give one prompt, before or after --")
    taken["prompt"] = taken["prompt"] if prompt is None else prompt
    taken["mcp_on_demand"] = environ.get(MCP_VARIABLE) == "on-demand"
    taken["log"] = taken["log"] or environ.get(JOURNAL_VARIABLE) or None
    taken["paste_window"] /= 1000
    taken["mcp_config"] = tuple(config for each in taken["mcp_config"] for config in each)
    return Options(**taken)


def _at_least(least: float) -> Callable[[str], float]:
    def number(text: str) -> float:
        value = float(text)
        if not least <= value <= 1e6:
            raise ValueError(text)
        return value

    return number


def _count(text: str) -> int:
    return int(_at_least(1)(text))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tongs-agents-scripted",
        description="A terminal program that behaves as coding agents do, without a model.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "prompt", nargs="?", metavar="PROMPT", help="first prompt, submitted once it is up"
    )
    parser.add_argument("--name", default="scripted", help="name in its banner and title")
    parser.add_argument(
        "--log", metavar="FILE", help=f"journal of JSON lines (default: ${JOURNAL_VARIABLE})"
    )
    parser.add_argument("--settings", metavar="FILE_OR_JSON", help="hooks, in Claude Code's form")
    parser.add_argument(
        "--mcp-config",
        metavar="FILE_OR_JSON",
        nargs="+",
        action="append",
        default=[],
        help="MCP servers, in Claude Code's form; may be given again",
    )
    parser.add_argument(
        "--old-mcp", action="store_true", help="speak MCP as before 2026, with a handshake"
    )
    parser.add_argument("--session-id", metavar="ID", help="session id (default: a new one)")
    parser.add_argument(
        "--suggest",
        metavar="TEXT",
        dest="hint",
        default=HINT,
        help="dim suggestion in the empty composer ('' for none)",
    )
    _add_faults(parser.add_argument_group("faults to act out"))
    return parser


def _add_faults(group: argparse._ArgumentGroup) -> None:
    seconds = _at_least(0)
    group.add_argument(
        "--late",
        metavar="SECS",
        type=seconds,
        default=0.0,
        help="show only a banner and throw away all input for SECS after the start",
    )
    group.add_argument(
        "--slow-echo",
        metavar="SECS",
        type=seconds,
        default=0.0,
        help="a paste reaches the composer only after SECS",
    )
    group.add_argument(
        "--paste-window",
        metavar="MS",
        type=seconds,
        default=0.0,
        help="an Enter within MS milliseconds of other input becomes a newline",
    )
    group.add_argument(
        "--chunk",
        metavar="N",
        type=_count,
        default=65536,
        help="read at most N bytes at a time",
    )
    for flag, text in _FLAGS.items():
        group.add_argument(flag, action="store_true", help=text)


_FLAGS = {
    "--hidden-composer": "never draw a composer",
    "--drop-first-enter": "ignore the first Enter after each paste",
    "--dialog-on-paste": "open a permission dialog as soon as a paste has arrived",
    "--vim-normal": "be in vim's NORMAL mode, where Enter is a motion",
}

__all__ = ["HINT", "MCP_VARIABLE", "Options", "parse"]
