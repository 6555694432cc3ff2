"""Attaching to one launch of Pi: ``-e`` with a file of ours, which loads our extension."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tongs_agents.harness.claude_attach import Attachment
from tongs_agents.hooks.command import DIRECTORY, Source
from tongs_agents.mcp_server.command import mcp_command
from tongs_agents.mcp_server.names import SERVER_NAME

EXTENSION = Path(__file__).with_name("pi_extension.ts")

SINCE_HOOKS = (0, 84, 4)
"""The first version with every event that tells the end of a turn and a question."""

SINCE_SERVERS = (0, 99, 0)
"""The first whose extensions can register an MCP server."""

_OTHER_PROGRAMS = re.compile("auth|config|install|list|mcp|remove|uninstall|update")
"""Subcommands: they are no session."""

_NO_EXTENSIONS = {"--no-extensions", "-ne"}
_FLAG = "-e"


def attach(argv: tuple[str, ...], path: Path, version: str, *, python: Path) -> Attachment:
    """``argv`` with ``-e path``, which is to hold the attachment's settings. Pure.

    ``version`` is what the program says of itself. The flag adds to any that
    the command names, so theirs stay (A73).
    """
    words = argv[: argv.index("--")] if "--" in argv else argv
    refusal = _refusal(words, version)
    if refusal:
        return Attachment(
            argv, None, (f"hooks are not attached, so its status stays unknown: {refusal}",)
        )
    text = extension_file("attached", python=python, server=_has_servers(words))
    return Attachment(_placed(argv, path), text, _notices(version))


def _refusal(words: tuple[str, ...], version: str) -> str:
    if len(words) > 1 and _OTHER_PROGRAMS.fullmatch(words[1]):
        return f"`{words[0]} {words[1]}` is no session"
    number = number_of(version)
    if number is None:
        return f"`{words[0]} --version` gave no version that is known"
    if number < SINCE_HOOKS:
        return f"Pi {version} is too old: from {_dotted(SINCE_HOOKS)} on it tells what it does"
    return ""


def _notices(version: str) -> tuple[str, ...]:
    number = number_of(version)
    if number is not None and number < SINCE_SERVERS:
        since = _dotted(SINCE_SERVERS)
        return (f"our MCP server is not attached: Pi {version} is older than {since}",)
    return ()


def number_of(version: str) -> tuple[int, int, int] | None:
    """The version as numbers, None where it is none."""
    found = re.match(r"(\d+)\.(\d+)\.(\d+)", version)
    return None if found is None else (int(found[1]), int(found[2]), int(found[3]))


def _dotted(number: tuple[int, int, int]) -> str:
    return ".".join(map(str, number))


def _has_servers(words: tuple[str, ...]) -> bool:
    """False where the command turns Pi's support of MCP off: it would complain of a server."""
    off = _NO_EXTENSIONS & set(words) and "builtin:mcp" not in words
    return not off and "--no-mcp" not in words


def _placed(argv: tuple[str, ...], path: Path) -> tuple[str, ...]:
    """The flag right behind the program, before what may be read as a prompt.

    Before ``--`` where another program stands first, which may hand its arguments on.
    """
    if Path(argv[0]).name == "pi":
        return (argv[0], _FLAG, str(path), *argv[1:])
    end = argv.index("--") if "--" in argv else len(argv)
    return (*argv[:end], _FLAG, str(path), *argv[end:])


def extension_file(source: Source, *, python: Path, server: bool = True) -> str:
    """What Pi is to load: it hands this installation's places to our extension.

    The same for every launch. A program that was removed stays silent: nothing
    is loaded then.
    """
    registration = {
        "source": source,
        "hook": [str(python), str(DIRECTORY / "entry.py")],
        "server": _server(source, python) if server else None,
    }
    return _FILE.format(
        extension=json.dumps(str(EXTENSION)), registration=json.dumps(registration, indent="\t")
    )


def _server(source: Source, python: Path) -> dict[str, object]:
    command, *words = mcp_command(source, python=python)
    return {"name": SERVER_NAME, "command": command, "args": words}


_FILE = """\
// Written by tongs-agents.
import {{ existsSync }} from "node:fs";

const extension = {extension};
const registration = {registration};

export default async function (pi) {{
	if (!existsSync(extension)) return;
	const {{ register }} = await import(extension);
	register(pi, registration);
}}
"""


def with_prompt(argv: tuple[str, ...], prompt: str) -> tuple[str, ...] | None:
    """``argv`` with a first prompt, None for one that Pi would not take there as it is typed.

    There ``@`` names a file that has to exist, and commands of its own are text.
    """
    if prompt.lstrip().startswith(("@", "/", "!")):
        return None
    return (*argv, prompt) if "--" in argv else (*argv, "--", prompt)


__all__ = [
    "EXTENSION",
    "SINCE_HOOKS",
    "SINCE_SERVERS",
    "attach",
    "extension_file",
    "number_of",
    "with_prompt",
]
