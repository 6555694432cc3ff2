"""``tongs-agents``: the table of verbs, and the one edge where errors become exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from tongs_agents.cli import printing
from tongs_agents.cli.group import VerbGroup
from tongs_agents.cli.signals import deafen, orderly
from tongs_agents.cli.verb import App

if TYPE_CHECKING:
    from tongs_agents.outcomes import Failure

DEBUG = "TONGS_AGENTS_DEBUG"
"""Set to 1, an unexpected error shows its traceback."""

_PROGRAM = "tongs-agents"
_HERE = "tongs_agents.cli."

_HELP = """Start coding agents in terminal panes, and prompt them through verified panes.

LAUNCH is a launch id, the beginning of one, or a chat handle written @handle.

Exit codes: 0 ok; 1 error, wrong usage or not found; 3 the launch has ended (a look or a
wait; an act on it is refused); 4 timeout; 5 refused; 6 unsupported; 7 cancelled;
130 Ctrl-C, 143 SIGTERM, 129 SIGHUP.
"""

ELSEWHERE = {
    "attach": ("focus",),
    "kill": ("close",),
    "logs": ("capture", "audit"),
    "ls": ("list",),
    "ps": ("list",),
    "rm": ("close", "gc"),
    "stop": ("close",),
    "version": ("--version",),
}
"""What tmux, docker and others call it, and what it is here."""

cli = VerbGroup(
    _PROGRAM,
    help=_HELP,
    example="tongs-agents init\ntongs-agents spawn claude --prompt 'Fix the failing test'",
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
    elsewhere=ELSEWHERE,
    verbs={
        "demo": f"{_HERE}demo",
        "init": f"{_HERE}init",
        "spawn": f"{_HERE}spawn",
        "list": f"{_HERE}listing",
        "status": f"{_HERE}status",
        "send": f"{_HERE}send",
        "agent-status": f"{_HERE}agent_status",
        "wait": f"{_HERE}wait",
        "focus": f"{_HERE}focus",
        "capture": f"{_HERE}capture",
        "close": f"{_HERE}close",
        "respawn": f"{_HERE}respawn",
        "gc": f"{_HERE}gc",
        "chat": f"{_HERE}chat",
        "install": f"{_HERE}install",
        "uninstall": f"{_HERE}uninstall",
        "mcp": f"{_HERE}mcp",
        "doctor": f"{_HERE}doctor",
        "config": f"{_HERE}config",
        "audit": f"{_HERE}audit",
    },
)
"""The whole command line; a verb's module is imported when it is called."""

click.version_option(package_name=_PROGRAM, message="%(prog)s %(version)s")(cli)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit code, the same table for every verb.

    Raises SystemExit only where click's shell completion ends the process.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    printing.open_missing()
    app = App(as_json=_wants_json(arguments))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    with orderly():
        try:
            code = cli.main(arguments, prog_name=_PROGRAM, standalone_mode=False, obj=app)
            if sys.stdout is not None:
                sys.stdout.flush()
            return int(code or 0)
        except SystemExit:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever it is, it ends in the table
            deafen()
            return _report(error, as_json=app.as_json)


def _wants_json(arguments: Sequence[str]) -> bool:
    """What a usage error goes by, when nothing could be parsed: ``--json`` before any ``--``."""
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in options


def _report(error: BaseException, *, as_json: bool) -> int:
    if isinstance(error, BrokenPipeError):
        printing.silence()
        return 1
    found = _failure(error)
    if os.environ.get(DEBUG) == "1" and found.reason == "failed":
        import traceback  # here: it costs a few milliseconds of every start

        traceback.print_exception(error)
    try:
        printing.failure(found, as_json=as_json)
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:  # the output is broken, maybe full: the exit code is what is left
        printing.silence()
    return found.exit_code


def _failure(error: BaseException) -> Failure:
    from tongs_agents.outcomes import failure, failure_of  # here: no error, no table

    if isinstance(error, click.UsageError):
        where = error.ctx.command_path if error.ctx else _PROGRAM
        more = getattr(error.ctx.command, "usage_hint", "") if error.ctx else ""
        hint = f"see `{where} --help`" + (f"; {more}" if more else "")
        return failure("usage", error.format_message(), hint=hint)
    if isinstance(error, click.Abort):
        # click's own word for Ctrl-C, which knows how far an act had come
        cause = error.__cause__
        return failure_of(cause if isinstance(cause, KeyboardInterrupt) else KeyboardInterrupt())
    return failure_of(error)


if __name__ == "__main__":
    sys.exit(main())

__all__ = ["DEBUG", "ELSEWHERE", "cli", "main"]
